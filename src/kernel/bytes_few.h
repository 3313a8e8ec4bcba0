/*
 * bytes_few.h - layers of so few weights that registers hold nearly all of a panel; a part of
 * bytes_layer.h, which lists the names that have to be defined before
 *
 * Such a layer takes longer to prepare tiles and to store results than to multiply.  Here, pixels
 * of a row follow each other in one loop.
 */
#ifndef NNEFC_KERNEL_BYTES_FEW_H
#define NNEFC_KERNEL_BYTES_FEW_H

#include "kernel/bytes_held.h"

enum {
    HELD = 32,        /* vectors of weights at most: a few of these stay in memory */
    FEW_PIXELS = 128, /* that a member computes at a time, about */
    TOGETHER = 18,    /* vectors of weights at most beside the sums of several pixels */
};

/* Pixels of a row: the first item that the window of the first one reads, and its first result. */
struct stretch {
    const item *src;
    int64_t dst, count;
};

static int64_t all_tuples(const struct taps *taps)
{
    return taps->runs * taps->tuples;
}

static bool has_few_weights(const struct layer_run *r)
{
    const int64_t all = all_tuples(&r->taps);

    return r->layer->result == RESULT_BYTES && all > 0 && all <= MOST_FEW &&
           all * panel_vecs(&r->panels, 0) <= HELD;
}

/* Compute pixels whose results fill a panel together, and follow each other; returns how many.  The
 * sink has their factors. */
ALWAYS_INLINE int64_t do_together(const struct byte_sink *to_sink, const struct held_panel *held,
                                  struct stretch pixels, int64_t channel,
                                  const struct held_form few)
{
    const int together = PANEL_VECS / few.vecs;
    const struct byte_row row = {0, PANEL_VECS * LANES, PANEL_VECS, few.saturation};
    const struct byte_sink sink = *to_sink;
    int64_t i = 0, to = pixels.dst + channel;

    for (; i + together <= pixels.count; i += together, to += row.count) {
        ints sum[PANEL_VECS];
        if (few.vecs > 1) {
            sum_up(sum, held, pixels.src, together, few);
        } else { /* with one product for each tuple that is loaded, turns take longer */
            UNROLL
            for (int p = 0; p < together; p++)
                sum_up(sum + p, held, pixels.src + p * held->step, 1, few);
        }
        pixels.src += together * held->step;
        put_bytes(&sink, sum, to, row);
    }
    return i;
}

/* Compute pixels one by one. */
ALWAYS_INLINE void do_singly(const struct layer_run *r, const struct tile *panel,
                             const struct held_panel *held, struct stretch pixels,
                             const struct held_form few)
{
    const struct conv *conv = &r->layer->conv;
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const struct byte_row row = {panel->padded, panel->count, few.vecs, few.saturation};
    const bool far = is_far(conv->dst.image);
    int64_t to = pixels.dst + panel->channel;

    for (int64_t i = 0; i < pixels.count; i++, pixels.src += held->step, to += conv->dst.pixel) {
        ints sum[PANEL_VECS];
        sum_up(sum, held, pixels.src, 1, few);
        if (far)
            __builtin_prefetch((const char *)sink.dst + to + FAR_AHEAD, 1);
        put_bytes(&sink, sum, to, row);
    }
}

/* Pixels of a group, row by row. */
struct few_block {
    int64_t group, begin, end;
    struct pixel first;
};

/* Do the results of pixels fill a panel together? */
ALWAYS_INLINE bool fills_panels(const struct layer_run *r, const struct tile *panel,
                                const struct held_form few)
{
    const int64_t out = r->layer->conv.dst.pixel;

    return few.vecs * 2 <= PANEL_VECS && few.tuples * few.vecs <= TOGETHER && panel->count == out &&
           out == (int64_t)few.vecs * LANES;
}

/* Compute a block with a panel.  `few` is a constant. */
ALWAYS_INLINE void do_pixels(const struct layer_run *r, const struct tile *panel,
                             const struct few_block *block, const struct held_form few)
{
    const struct conv *conv = &r->layer->conv;
    const bool together = fills_panels(r, panel, few);
    struct byte_sink sink = sink_of(r->layer, r->operands);
    struct pixel pixel = block->first;
    struct held_panel held;
    float factor[PANEL_VECS * LANES];

    hold_panel(r, panel, &held, few);
    if (together) {
        for (int k = 0; k < PANEL_VECS * LANES; k++)
            factor[k] = sink.factor[panel->padded + k % (few.vecs * LANES)];
        sink.factor = factor;
    }
    for (int64_t begin = block->begin; begin < block->end;) {
        const int64_t count = num_min(block->end - begin, conv->out.x - pixel.x);
        struct stretch row = {pixel.src, pixel.dst, count};
        if (together) {
            const int64_t done = do_together(&sink, &held, row, panel->channel, few);
            row = (struct stretch){row.src + done * held.step, row.dst + done * conv->dst.pixel,
                                   count - done};
        }
        do_singly(r, panel, &held, row, few);
        begin += count;
        next_row(r, block->group, &pixel);
    }
}

#define FEW_CASE(n, vecs, saturation)                                            \
    case n:                                                                      \
        if ((n) * (vecs) <= HELD)                                                \
            do_pixels(r, panel, block, (struct held_form){n, vecs, saturation}); \
        break;
#define PIXELS_OF(vecs, name, saturation)                                                      \
    static void do_pixels_##vecs##_##name(const struct layer_run *r, const struct tile *panel, \
                                          const struct few_block *block)                       \
    {                                                                                          \
        switch (all_tuples(&r->taps)) {                                                        \
            FEW_CASE(1, vecs, saturation)                                                      \
            FEW_CASE(2, vecs, saturation)                                                      \
            FEW_CASE(3, vecs, saturation)                                                      \
            FEW_CASE(4, vecs, saturation)                                                      \
            FEW_CASE(5, vecs, saturation)                                                      \
            FEW_CASE(6, vecs, saturation)                                                      \
            FEW_CASE(7, vecs, saturation)                                                      \
            FEW_CASE(8, vecs, saturation)                                                      \
            FEW_CASE(9, vecs, saturation)                                                      \
            FEW_CASE(10, vecs, saturation)                                                     \
            FEW_CASE(11, vecs, saturation)                                                     \
            FEW_CASE(12, vecs, saturation)                                                     \
        }                                                                                      \
    }
#define PIXELS_OF_ALL(vecs)                \
    PIXELS_OF(vecs, compared, UNSATURATED) \
    PIXELS_OF(vecs, packed, SATURATED)     \
    PIXELS_OF(vecs, packed_at_zero, SATURATED_AT_ZERO)
PIXELS_OF_ALL(1)
PIXELS_OF_ALL(2)
PIXELS_OF_ALL(3)
PIXELS_OF_ALL(4)

typedef void pixels_function(const struct layer_run *r, const struct tile *panel,
                             const struct few_block *block);
static pixels_function *const pixels_functions[][PANEL_VECS] = {
    [UNSATURATED] = {do_pixels_1_compared, do_pixels_2_compared, do_pixels_3_compared,
                     do_pixels_4_compared},
    [SATURATED] = {do_pixels_1_packed, do_pixels_2_packed, do_pixels_3_packed, do_pixels_4_packed},
    [SATURATED_AT_ZERO] = {do_pixels_1_packed_at_zero, do_pixels_2_packed_at_zero,
                           do_pixels_3_packed_at_zero, do_pixels_4_packed_at_zero},
};
#undef FEW_CASE
#undef PIXELS_OF
#undef PIXELS_OF_ALL

/* Divide the pixels into blocks of whole rows, for a row that is cut leaves some that are computed
 * singly; unless rows are long, or fewer than members.  Members get the same number of blocks if
 * there are enough. */
static void divide_few(struct layer_run *r, int members)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t rows = conv->batch * conv->out.y;

    r->unit = conv->out.x > 2 * FEW_PIXELS || rows < members ? 1 : conv->out.x;
    r->units = rows * conv->out.x / r->unit;
    r->blocks = num_divide_up(r->units, num_divide_up(FEW_PIXELS, r->unit));
    r->blocks = num_min(num_divide_up(r->blocks, members) * members, r->units);
}

static void do_few_block(const struct layer_run *r, int64_t index)
{
    const int64_t group = index / r->blocks, number = index % r->blocks;
    const int64_t begin = r->units * number / r->blocks * r->unit;
    const struct few_block block = {group, begin, r->units * (number + 1) / r->blocks * r->unit,
                                    pixel_at(r, group, begin)};

    for (int64_t i = 0; i < r->panels.count; i++) {
        struct tile panel;
        set_panel(r, &panel, group, i);
        pixels_functions[r->saturation][panel.vecs - 1](r, &panel, &block);
    }
}

static void do_few_blocks(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        do_few_block(data, begin);
}

static void run_few(struct layer_run *r, struct team *team)
{
    divide_few(r, team_size(team));
    team_share(team, r->layer->conv.groups * r->blocks, 1, do_few_blocks, r);
}

#endif
