/*
 * bytes_pack.h - the order of the operands of products of bytes, and weights packed in that order;
 * a part of bytes_layer.h, which lists the names that have to be defined before
 */
#ifndef NNEFC_KERNEL_BYTES_PACK_H
#define NNEFC_KERNEL_BYTES_PACK_H

#include "base/num.h"
#include "kernel/table.h"

enum { PANEL_VECS = LANES == 16 ? 4 : 2, BLOCK = 64 };

/* The items of the copy that an output channel sums up. */
struct taps {
    int64_t runs, length, tuples; /* tuples: of a run, the last of which may have fewer items */
    int64_t row_runs;             /* runs of one row of the filter */
};

static int64_t group_in(const struct conv *conv)
{
    return conv->in_channels / conv->groups;
}

static int64_t group_out(const struct conv *conv)
{
    return conv->out_channels / conv->groups;
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

/* Vectors of output channels of a group, the last of which may have fewer. */
static int64_t vec_count(const struct conv *conv)
{
    return num_divide_up(group_out(conv), LANES);
}

/* Vectors of the panels of a group: each has `few`, and the first ones one more. */
struct panels {
    int64_t count, few, larger;
};

static struct panels panels_of(const struct conv *conv)
{
    const int64_t vecs = vec_count(conv), count = num_divide_up(vecs, PANEL_VECS);

    return (struct panels){count, vecs / count, vecs % count};
}

static int64_t panel_begin(const struct panels *panels, int64_t panel)
{
    return panel * panels->few + num_min(panel, panels->larger);
}

static int64_t panel_vecs(const struct panels *panels, int64_t panel)
{
    return panels->few + (panel < panels->larger);
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

/* --- packing --------------------------------------------------------------------------------- */

struct layer_packing {
    const struct conv *conv;
    const struct filter *filter;
    char *packed;
};

/* The weights of an output channel at a tap, less their zero. */
struct tap_items {
    const struct filter *filter;
    int64_t at, zero, count;
    int64_t channels; /* of the panel */
};

/* They become items k and on of the run; returns their sum. */
ALWAYS_INLINE int32_t pack_items(weight *run, int64_t k, const struct tap_items *items,
                                 enum filter_form form)
{
    const void *from = items->filter->items;
    const int64_t step = items->filter->in, end = k + items->count;
    const uint32_t zero = (uint32_t)items->zero;
    int64_t at = items->at;
    int32_t sum = 0;

    while (k < end) {
        const bool whole = k % TUPLE == 0 && k + TUPLE <= end;
        weight *to = run + k / TUPLE * items->channels * TUPLE + k % TUPLE;
        for (int i = 0; i < (whole ? TUPLE : 1); i++, k++, at += step) {
            to[i] = (weight)((uint32_t)filter_integer(from, form, at) - zero);
            sum += to[i];
        }
    }
    return sum;
}

/* The same in a loop for each form. */
static int32_t pack_tap(weight *run, int64_t k, const struct tap_items *items)
{
    switch (items->filter->form) {
    case FILTER_SIGNED:
        return pack_items(run, k, items, FILTER_SIGNED);
    case FILTER_UNSIGNED:
        return pack_items(run, k, items, FILTER_UNSIGNED);
    case FILTER_SIGNED_NIBBLES:
        return pack_items(run, k, items, FILTER_SIGNED_NIBBLES);
    case FILTER_UNSIGNED_NIBBLES:
        return pack_items(run, k, items, FILTER_UNSIGNED_NIBBLES);
    case FILTER_WIDE:
        break;
    }
    return pack_items(run, k, items, FILTER_WIDE);
}

/* Panel `index` of all groups: sums, then [runs][tuples][channels][TUPLE]. */
static void pack_panel(const struct layer_packing *p, int64_t index)
{
    const struct conv *conv = p->conv;
    const struct filter *f = p->filter;
    const struct taps taps = taps_of(conv);
    const struct panels panels = panels_of(conv);
    const int64_t group = index / panels.count, panel = index % panels.count;
    const int64_t vecs = panel_vecs(&panels, panel), width = vecs * LANES;
    const int64_t begin = panel_begin(&panels, panel), first = begin * LANES;
    const int64_t channels = group_in(conv), last = num_min(group_out(conv) - first, width);
    int32_t *sum =
        (int32_t *)(void *)(p->packed + (size_t)(group * vec_count(conv) + begin) * vec_size(conv));
    weight *to = (weight *)(void *)(sum + width);

    memset(sum, 0, (size_t)vecs * vec_size(conv));
    for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++) {
        const int64_t y = tap / conv->kernel.x, x = tap % conv->kernel.x;
        const int64_t run = taps.row_runs == 1 ? y : tap, k = taps.row_runs == 1 ? x * channels : 0;
        /* Tuples of all output channels lie side by side, so that a block of them stays in the
         * cache. */
        for (int64_t c = 0; c < channels; c += BLOCK)
            for (int64_t o = 0; o < last; o++) {
                const int64_t at = group * group_out(conv) + first + o;
                const struct tap_items items = {
                    f, group * f->group + (first + o) * f->out + y * f->y + x * f->x + c * f->in,
                    f->zero[at * f->zero_step], num_min(BLOCK, channels - c), width};
                sum[o] += pack_tap(to + (run * taps.tuples * width + o) * TUPLE, k + c, &items);
            }
    }
}

static void pack_panels(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        pack_panel(data, begin);
}

static void layer_pack(const struct conv *conv, const struct filter *filter,
                       float *packed, /* NOLINT(readability-non-const-parameter) */
                       struct team *team)
{
    struct layer_packing p = {conv, filter, (char *)packed};

    team_share(team, conv->groups * panels_of(conv).count, 1, pack_panels, &p);
}

#endif
