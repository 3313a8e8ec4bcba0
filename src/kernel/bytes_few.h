/*
 * bytes_few.h - layers of so few weights that registers hold nearly all of a panel; a part of
 * bytes_layer.h, which lists the names that have to be defined before
 *
 * Such a layer takes longer to prepare tiles and to store results than to multiply.  Here, pixels
 * of a row follow each other in one loop.
 */
#ifndef NNEFC_KERNEL_BYTES_FEW_H
#define NNEFC_KERNEL_BYTES_FEW_H

#include "kernel/bytes_tile.h"

enum {
    HELD = 32,        /* vectors of weights at most: a few of these stay in memory */
    MOST_FEW = 12,    /* tuples of a pixel at most */
    FEW_PIXELS = 128, /* that a member computes at a time, about */
    TOGETHER = 18,    /* vectors of weights at most beside the sums of several pixels */
};

/* Pixels of a row: the first item that the window of the first one reads, and its first result. */
struct stretch {
    const item *src;
    int64_t dst, count;
};

/* What a loop over pixels is made for: the tuples of a window, the vectors of the panel, and
 * how steps are cut. */
struct few {
    int tuples, vecs;
    enum byte_saturation saturation;
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

/* The weights of a panel, the sums before any product, and where the tuples of a window are. */
struct held_panel {
    int64_t step; /* items to the next window */
    int64_t offset[MOST_FEW];
    weights w[MOST_FEW][PANEL_VECS];
    ints begin[PANEL_VECS];
};

ALWAYS_INLINE void hold_panel(const struct layer_run *r, const struct tile *panel,
                              struct held_panel *held, const struct few few)
{
    held->step = r->layer->conv.stride.x * r->steps.pixel;
    UNROLL
    for (int v = 0; v < few.vecs; v++)
        held->begin[v] = sums_before(r, panel, v);
    UNROLL
    for (int t = 0; t < few.tuples; t++) {
        held->offset[t] = run_offset(r, t / r->taps.tuples) + t % r->taps.tuples * TUPLE;
        UNROLL
        for (int v = 0; v < few.vecs; v++)
            held->w[t][v] =
                WEIGHTS_LOAD(panel->weights + ((int64_t)t * few.vecs + v) * LANES * TUPLE);
    }
}

/* The sums of some neighbouring pixels, a constant number: chains of products take turns. */
ALWAYS_INLINE void sum_up(ints *sum, const struct held_panel *held, const item *src,
                          const int count, const struct few few)
{
    UNROLL
    for (int i = 0; i < count * few.vecs; i++)
        sum[i] = held->begin[i % few.vecs];
    UNROLL
    for (int t = 0; t < few.tuples; t++)
        UNROLL
    for (int p = 0; p < count; p++) {
        const tuples x = TUPLES_ALL(src + p * held->step + held->offset[t]);
        UNROLL
        for (int v = 0; v < few.vecs; v++)
            sum[p * few.vecs + v] = ADD_PRODUCTS(sum[p * few.vecs + v], x, held->w[t][v]);
    }
}

/* Compute pixels whose results fill a panel together, and follow each other; returns how many. */
ALWAYS_INLINE int64_t do_together(const struct layer_run *r, const struct tile *panel,
                                  const struct held_panel *held, struct stretch pixels,
                                  const struct few few)
{
    const int together = PANEL_VECS / few.vecs;
    const struct byte_row row = {0, PANEL_VECS * LANES, PANEL_VECS, few.saturation};
    struct byte_sink sink = sink_of(r->layer, r->operands);
    float factor[PANEL_VECS * LANES];
    int64_t i = 0, to = pixels.dst + panel->channel;

    for (int k = 0; k < PANEL_VECS * LANES; k++)
        factor[k] = sink.factor[panel->padded + k % (few.vecs * LANES)];
    sink.factor = factor;
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
                             const struct few few)
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

/* Compute pixels of a row with a panel.  `few` is a constant. */
ALWAYS_INLINE void do_pixels(const struct layer_run *r, const struct tile *panel,
                             struct stretch pixels, const struct few few)
{
    const int64_t out = r->layer->conv.dst.pixel;
    struct held_panel held;

    hold_panel(r, panel, &held, few);
    if (few.vecs * 2 <= PANEL_VECS && few.tuples * few.vecs <= TOGETHER && panel->count == out &&
        out == (int64_t)few.vecs * LANES) {
        const int64_t done = do_together(r, panel, &held, pixels, few);
        pixels = (struct stretch){pixels.src + done * held.step, pixels.dst + done * out,
                                  pixels.count - done};
    }
    do_singly(r, panel, &held, pixels, few);
}

#define FEW_CASE(n, vecs, saturation)                                       \
    case n:                                                                 \
        if ((n) * (vecs) <= HELD)                                           \
            do_pixels(r, panel, pixels, (struct few){n, vecs, saturation}); \
        break;
#define PIXELS_OF(vecs, name, saturation)                                                      \
    static void do_pixels_##vecs##_##name(const struct layer_run *r, const struct tile *panel, \
                                          struct stretch pixels)                               \
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
                             struct stretch pixels);
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

/* The pixels of a block: whole rows, for a row that is cut leaves some that are computed singly;
 * unless rows are long, or there are so few that members would wait. */
static int64_t block_pixels(const struct conv *conv)
{
    const int64_t rows = num_divide_up(FEW_PIXELS, conv->out.x);
    const bool cuts = conv->out.x > 2 * FEW_PIXELS || rows >= conv->batch * conv->out.y;

    return cuts ? FEW_PIXELS : rows * conv->out.x;
}

/* A block of pixels of one group, row by row. */
static void do_few_block(const struct layer_run *r, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    const int64_t size = block_pixels(conv), group = index / r->blocks;
    const int64_t end = num_min((index % r->blocks + 1) * size, pixels);
    int64_t begin = index % r->blocks * size;
    struct pixel pixel = pixel_at(r, group, begin);

    while (begin < end) {
        const struct stretch row = {pixel.src, pixel.dst,
                                    num_min(end - begin, conv->out.x - pixel.x)};
        for (int64_t i = 0; i < r->panels.count; i++) {
            struct tile panel;
            set_panel(r, &panel, group, i);
            pixels_functions[r->saturation][panel.vecs - 1](r, &panel, row);
        }
        begin += row.count;
        next_row(r, group, &pixel);
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
    const struct conv *conv = &r->layer->conv;

    r->blocks = num_divide_up(conv->batch * conv->out.y * conv->out.x, block_pixels(conv));
    team_share(team, conv->groups * r->blocks, 1, do_few_blocks, r);
}

#endif
