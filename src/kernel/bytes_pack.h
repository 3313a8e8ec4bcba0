/*
 * bytes_pack.h - the weights of products of bytes, packed in the order of bytes_order.h; a part of
 * bytes_layer.h, which lists the names that have to be defined before
 */
#ifndef NNEFC_KERNEL_BYTES_PACK_H
#define NNEFC_KERNEL_BYTES_PACK_H

#include "kernel/bytes_order.h"

enum { BLOCK = 64 };

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

/* A tap of the channels of a panel, which are bytes that follow each other. */
struct tap_rows {
    const uint8_t *from; /* the first channel of the first input channel */
    int64_t in;          /* bytes to the next input channel */
    const int32_t *zero; /* of each channel */
    int32_t *sum;        /* to which its weights are added */
    int64_t channels, width;
};

/* `count` input channels from `at` on, a constant number, of all channels: items of a tuple. */
ALWAYS_INLINE void pack_tuple(weight *restrict to, const struct tap_rows *rows, int64_t at,
                              const int count, bool is_signed)
{
    const uint8_t *restrict from = rows->from + at * rows->in;
    const int32_t *restrict zero = rows->zero;
    int32_t *restrict sum = rows->sum;
    const int64_t in = rows->in, channels = rows->channels;

    for (int64_t o = 0; o < channels; o++)
        for (int i = 0; i < count; i++) {
            const uint8_t byte = from[i * in + o];
            const weight w = (weight)((is_signed ? (int8_t)byte : byte) - zero[o]);
            to[o * TUPLE + i] = w;
            sum[o] += w;
        }
}

/* `count` input channels become items k and on of the run. */
ALWAYS_INLINE void pack_rows(weight *run, int64_t k, int64_t count, const struct tap_rows *rows,
                             bool is_signed)
{
    for (int64_t i = 0; i < count;) {
        weight *to = run + (k + i) / TUPLE * rows->width * TUPLE + (k + i) % TUPLE;
        const bool whole = (k + i) % TUPLE == 0 && i + TUPLE <= count;
        if (whole)
            pack_tuple(to, rows, i, TUPLE, is_signed);
        else
            pack_tuple(to, rows, i, 1, is_signed);
        i += whole ? TUPLE : 1;
    }
}

/* A panel: its channels in all of them, and where it is packed. */
struct packed_panel {
    int64_t first, last, width; /* last: so many exist */
    int64_t group;              /* where its group begins in the filter */
    int32_t *sum;
    weight *to;
};

/* Input channels of a tap become items k and on of a run. */
static void pack_tap_rows(const struct layer_packing *p, const struct packed_panel *panel,
                          int64_t at, weight *run, int64_t k)
{
    const struct filter *f = p->filter;
    const int64_t channels = group_in(p->conv);
    int32_t zero[PANEL_VECS * LANES];
    const struct tap_rows rows = {
        (const uint8_t *)f->items + at, f->in, zero, panel->sum, panel->last, panel->width};

    for (int64_t o = 0; o < panel->last; o++)
        zero[o] = (int32_t)f->zero[(panel->first + o) * f->zero_step];
    if (f->form == FILTER_SIGNED)
        pack_rows(run, k, channels, &rows, true);
    else
        pack_rows(run, k, channels, &rows, false);
}

/* The same, whatever the filter is.  Tuples of all output channels lie side by side, so that a
 * block of them stays in the cache. */
static void pack_tap_blocks(const struct layer_packing *p, const struct packed_panel *panel,
                            int64_t at, weight *run, int64_t k)
{
    const struct filter *f = p->filter;
    const int64_t channels = group_in(p->conv);

    for (int64_t c = 0; c < channels; c += BLOCK)
        for (int64_t o = 0; o < panel->last; o++) {
            const struct tap_items items = {f, at + o * f->out + c * f->in,
                                            f->zero[(panel->first + o) * f->zero_step],
                                            num_min(BLOCK, channels - c), panel->width};
            panel->sum[o] += pack_tap(run + o * TUPLE, k + c, &items);
        }
}

/* Panel `index` of all groups: sums, then [runs][tuples][channels][TUPLE]. */
static void pack_panel(const struct layer_packing *p, int64_t index)
{
    const struct conv *conv = p->conv;
    const struct filter *f = p->filter;
    const struct taps taps = taps_of(conv);
    const struct panels panels = panels_of(conv);
    const int64_t group = index / panels.count, at = index % panels.count;
    const int64_t vecs = panel_vecs(&panels, at), begin = panel_begin(&panels, at);
    const int64_t first = begin * LANES, width = vecs * LANES;
    const bool follow = f->out == 1 && (f->form == FILTER_SIGNED || f->form == FILTER_UNSIGNED);
    int32_t *sum =
        (int32_t *)(void *)(p->packed + (size_t)(group * vec_count(conv) + begin) * vec_size(conv));
    const struct packed_panel panel = {.first = group * group_out(conv) + first,
                                       .last = num_min(group_out(conv) - first, width),
                                       .width = width,
                                       .group = group * f->group + first * f->out,
                                       .sum = sum,
                                       .to = (weight *)(void *)(sum + width)};

    memset(sum, 0, (size_t)vecs * vec_size(conv));
    for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++) {
        const int64_t y = tap / conv->kernel.x, x = tap % conv->kernel.x;
        const int64_t run = taps.row_runs == 1 ? y : tap;
        (follow ? pack_tap_rows : pack_tap_blocks)(p, &panel, panel.group + y * f->y + x * f->x,
                                                   panel.to + run * taps.tuples * width * TUPLE,
                                                   taps.row_runs == 1 ? x * group_in(conv) : 0);
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
