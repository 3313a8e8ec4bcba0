/*
 * conv.h - convolutions of images whose channels are stored last (NNEF 1.0.5, section 4.3.1)
 *
 *     dst[y, x, o] = activation(bias[o] + residual[y, x, o] +
 *         sum src[y * stride + ky * dilation - before, x likewise, i] * filter[o, i, ky, kx])
 *
 * Sources outside the image are 0.  A transposed convolution reads src[(y + before - ky * dilation)
 * / stride] if there is no remainder.  An algorithm packs the filter once, in an order of its own,
 * and computes any number of images then.  Nothing here allocates memory.  One thread sums each
 * result, in an order that does not depend on the number of threads.
 */
#ifndef NNEFC_KERNEL_CONV_H
#define NNEFC_KERNEL_CONV_H

#include "base/num.h"
#include "base/team.h"
#include "kernel/epilogue.h"
#include "tensor/quantization.h"

#include <stddef.h>

enum { KERNEL_ALIGNMENT = 64 };

/* Bytes between what a member of a team writes all the time and what others use: a processor that
 * reads at equal distances fetches lines far beyond the end, and takes them from another one. */
enum { MEMBERS_APART = 32 << 10 };

/* Where the room of a member begins, behind those of the members before; in bytes. */
static inline size_t room_begin(size_t room, int64_t member)
{
    return (size_t)member * (room + MEMBERS_APART);
}

/* Bytes of the rooms of so many members. */
static inline size_t rooms_size(size_t room, int64_t members)
{
    return room_begin(room, members) - MEMBERS_APART;
}

struct plane {
    int64_t y, x;
};

/* Items from one pixel, row and image to the next. */
struct steps {
    int64_t pixel, row, image;
};

struct conv {
    int64_t batch, groups;
    int64_t in_channels, out_channels; /* of all groups */
    struct plane in, out;              /* extents of the images */
    struct plane kernel, stride, dilation, before;
    struct steps src, dst;
    int64_t ring; /* depthwise only: src has so many rows, and row y is y % ring; 0: src has all */
    struct epilogue epilogue;
};

/* Items of a filter: floats, or for layers of bytes (bytes.h) integers of 64 bits; or bytes; or
 * nibbles (struct tensor). */
enum filter_form {
    FILTER_WIDE,
    FILTER_SIGNED,
    FILTER_UNSIGNED,
    FILTER_SIGNED_NIBBLES,
    FILTER_UNSIGNED_NIBBLES
};

/* A filter that is not packed: filter[o, i, ky, kx] of group g is item o * out + i * in + ky * y +
 * kx * x + g * group. */
struct filter {
    const void *items;
    enum filter_form form;
    int64_t out, in, y, x, group;
    const int64_t *zero; /* of those integers: item o * zero_step is taken from channel o of all */
    int64_t zero_step;
};

struct conv_operands {
    const float *src;
    const float *packed;   /* by pack(), at a multiple of KERNEL_ALIGNMENT */
    const float *bias;     /* [out_channels]; NULL: none */
    const float *residual; /* NULL: none; stored like dst, which it may be */
    float *dst;
    void *scratch;      /* at a multiple of KERNEL_ALIGNMENT */
    const float *next;  /* what is read after this, which an algorithm may fetch; NULL: nothing */
    int64_t next_items; /* of it */
};

/*
 * An algorithm.  pack() and run() share their work among the team; each writes only its own outputs
 * and scratch memory.  packed_size() and pack() go by groups, channels and taps, so that packed
 * weights serve images of any number and size.
 */
struct conv_kernel {
    const char *name;
    bool shortens;                         /* it takes fewer products than the definition has */
    bool packs_phases;                     /* packing goes by stride, dilation and padding, too */
    bool (*fits)(const struct conv *conv); /* the other functions rely on it */
    size_t (*packed_size)(const struct conv *conv); /* in bytes */
    void (*pack)(const struct conv *conv, const struct filter *filter, float *packed,
                 struct team *team);
    size_t (*scratch_size)(const struct conv *conv, int members); /* in bytes, for such a team */
    void (*run)(const struct conv *conv, const struct conv_operands *operands, struct team *team);
};

/* Items that `out` windows reach along a dimension. */
static inline int64_t windows_reach(int64_t out, int64_t stride, int64_t kernel, int64_t dilation)
{
    return (out - 1) * stride + (kernel - 1) * dilation + 1;
}

/* Is it a product of matrices: does each pixel of the results depend on the same pixel of the image
 * alone? */
static inline bool conv_is_pointwise(const struct conv *conv)
{
    return conv->groups == 1 && conv->kernel.y == 1 && conv->kernel.x == 1 && conv->stride.y == 1 &&
           conv->stride.x == 1 && conv->before.y == 0 && conv->before.x == 0 &&
           conv->in.y == conv->out.y && conv->in.x == conv->out.x;
}

/* Has each channel a filter of its own, which makes one channel? */
static inline bool conv_is_depthwise(const struct conv *conv)
{
    return conv->groups > 1 && conv->groups == conv->in_channels &&
           conv->groups == conv->out_channels;
}

/* Tiles of Winograd's algorithm along a dimension: each of the first `dilation` outputs begins a
 * list of outputs that are `dilation` apart, which tiles of `size` outputs cover. */
static inline int64_t winograd_tiles_along(int64_t outputs, int64_t dilation, int64_t size)
{
    return dilation * num_divide_up(num_divide_up(outputs, dilation), size);
}

/* For algorithms that take any geometry. */
static inline bool conv_fits_any(const struct conv *conv)
{
    return conv->groups > 0;
}

/* What integers of a filter can be that are bytes or nibbles: from `low` to `high`. */
struct filter_range {
    int64_t low, high;
};

static inline struct filter_range filter_range(enum filter_form form)
{
    const bool is_signed = form == FILTER_SIGNED || form == FILTER_SIGNED_NIBBLES;
    const int64_t count = form == FILTER_SIGNED || form == FILTER_UNSIGNED ? 1 << 8 : 1 << 4;
    const int64_t low = is_signed ? -count / 2 : 0;

    return (struct filter_range){low, low + count - 1};
}

/* Item `at` of a filter of integers. */
static inline int64_t filter_integer(const void *items, enum filter_form form, int64_t at)
{
    if (form == FILTER_WIDE)
        return ((const int64_t *)items)[at];
    if (form == FILTER_SIGNED_NIBBLES || form == FILTER_UNSIGNED_NIBBLES)
        return nibble_load(items, form == FILTER_SIGNED_NIBBLES, at);
    return form == FILTER_SIGNED ? ((const int8_t *)items)[at] : ((const uint8_t *)items)[at];
}

/* The steps of images without gaps between pixels, rows or images. */
static inline struct steps steps_dense(int64_t channels, struct plane extents)
{
    return (struct steps){channels, channels * extents.x, channels * extents.x * extents.y};
}

/* A filter in NNEF's order: [out channels, channels of a group, y, x]. */
static inline struct filter filter_dense(const struct conv *conv, const void *items)
{
    int64_t in = conv->kernel.y * conv->kernel.x, out = conv->in_channels / conv->groups * in;

    return (struct filter){.items = items,
                           .out = out,
                           .in = in,
                           .y = conv->kernel.x,
                           .x = 1,
                           .group = conv->out_channels / conv->groups * out};
}

/* The same of a transposed convolution: [channels of src, channels of dst of a group, y, x]. */
static inline struct filter filter_transposed(const struct conv *conv, const float *items)
{
    int64_t out = conv->kernel.y * conv->kernel.x, in = conv->out_channels / conv->groups * out;

    return (struct filter){.items = items,
                           .out = out,
                           .in = in,
                           .y = conv->kernel.x,
                           .x = 1,
                           .group = conv->in_channels / conv->groups * in};
}

/*
 * The product of a matrix of `rows` rows of `depth` items and one of `columns` columns is the
 * convolution of an image of one row by a filter of one tap.  Steps of the second matrix are
 * `in`, along its depth, and `out` of a filter.
 */
static inline struct conv conv_of_matrices(int64_t rows, int64_t depth, int64_t columns)
{
    struct plane row = {1, rows}, one = {1, 1};

    return (struct conv){
        .batch = 1,
        .groups = 1,
        .in_channels = depth,
        .out_channels = columns,
        .in = row,
        .out = row,
        .kernel = one,
        .stride = one,
        .dilation = one,
        .src = steps_dense(depth, row),
        .dst = steps_dense(columns, row),
    };
}

#endif
