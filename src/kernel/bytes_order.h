/*
 * bytes_order.h - the order of the operands of products of bytes; a part of bytes_layer.h, which
 * lists the names that have to be defined before
 */
#ifndef NNEFC_KERNEL_BYTES_ORDER_H
#define NNEFC_KERNEL_BYTES_ORDER_H

#include "kernel/bytes_panels.h"
#include "kernel/table.h"

/* The items of the copy that an output channel sums up. */
struct taps {
    int64_t runs, length, tuples; /* tuples: of a run, the last of which may have fewer items */
    int64_t row_runs;             /* runs of one row of the filter */
};

static int64_t group_in(const struct conv *conv)
{
    return conv->in_channels / conv->groups;
}

static struct taps taps_of(const struct conv *conv)
{
    struct taps taps = {.length = group_in(conv), .row_runs = conv->kernel.x};

    if (conv->dilation.x == 1 || conv->kernel.x == 1) {
        taps.length *= conv->kernel.x;
        taps.row_runs = 1;
    }
    taps.runs = conv->kernel.y * taps.row_runs;
    taps.tuples = num_divide_up(taps.length, TUPLE);
    return taps;
}

/* The bytes of a vector of channels in a panel, the sum of the weights of each among them. */
static size_t vec_size(const struct conv *conv)
{
    const struct taps taps = taps_of(conv);

    return LANES * (sizeof(int32_t) + (size_t)(taps.runs * taps.tuples * TUPLE) * sizeof(weight));
}

static size_t layer_packed_size(const struct conv *conv)
{
    return (size_t)(conv->groups * vec_count(conv)) * vec_size(conv);
}

#endif
