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
    FEW_PIXELS = 128, /* that a member computes at a time */
};

/* Pixels of a row: the first item that the window of the first one reads, and its first result. */
struct stretch {
    const item *src;
    int64_t dst, count;
};

/* What a loop over pixels is made for: the tuples of a window, the vectors of the panel, and
 * whether results saturate (bytes_put.h). */
struct few {
    int tuples, vecs;
    bool saturate;
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
    int64_t offset[MOST_FEW];
    weights w[MOST_FEW][PANEL_VECS];
    ints begin[PANEL_VECS];
};

ALWAYS_INLINE void hold_panel(const struct layer_run *r, const struct tile *panel,
                              struct held_panel *held, const struct few few)
{
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

/* The sums of a pixel. */
ALWAYS_INLINE void sum_up(ints *sum, const struct held_panel *held, const item *src,
                          const struct few few)
{
    UNROLL
    for (int v = 0; v < few.vecs; v++)
        sum[v] = held->begin[v];
    UNROLL
    for (int t = 0; t < few.tuples; t++) {
        const tuples x = TUPLES_ALL(src + held->offset[t]);
        UNROLL
        for (int v = 0; v < few.vecs; v++)
            sum[v] = ADD_PRODUCTS(sum[v], x, held->w[t][v]);
    }
}

/* Compute pixels whose results fill a panel together, and follow each other; returns how many. */
ALWAYS_INLINE int64_t do_together(const struct layer_run *r, const struct tile *panel,
                                  const struct held_panel *held, struct stretch pixels,
                                  const struct few few)
{
    const int together = PANEL_VECS / few.vecs;
    const int64_t step = r->layer->conv.stride.x * r->steps.pixel;
    const struct byte_row row = {0, PANEL_VECS * LANES, PANEL_VECS, few.saturate};
    struct byte_sink sink = sink_of(r->layer, r->operands);
    float factor[PANEL_VECS * LANES];
    int64_t i = 0, to = pixels.dst + panel->channel;

    for (int k = 0; k < PANEL_VECS * LANES; k++)
        factor[k] = sink.factor[panel->padded + k % (few.vecs * LANES)];
    sink.factor = factor;
    for (; i + together <= pixels.count; i += together, to += row.count) {
        ints sum[PANEL_VECS];
        UNROLL
        for (int p = 0; p < together; p++, pixels.src += step)
            sum_up(sum + (ptrdiff_t)p * few.vecs, held, pixels.src, few);
        put_bytes(&sink, sum, to, row);
    }
    return i;
}

/* Compute pixels of a row with a panel.  `few` is a constant. */
ALWAYS_INLINE void do_pixels(const struct layer_run *r, const struct tile *panel,
                             struct stretch pixels, const struct few few)
{
    const struct conv *conv = &r->layer->conv;
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const struct byte_row row = {panel->padded, panel->count, few.vecs, few.saturate};
    const int64_t step = conv->stride.x * r->steps.pixel, out = conv->dst.pixel;
    const bool far = is_far(conv->dst.image);
    struct held_panel held;
    int64_t i = 0;

    hold_panel(r, panel, &held, few);
    if (few.vecs * 2 <= PANEL_VECS && few.tuples * few.vecs <= HELD / 2 && panel->count == out &&
        out == (int64_t)few.vecs * LANES)
        i = do_together(r, panel, &held, pixels, few);
    pixels.src += i * step;
    int64_t to = pixels.dst + panel->channel + i * out;
    for (; i < pixels.count; i++, pixels.src += step, to += out) {
        ints sum[PANEL_VECS];
        sum_up(sum, &held, pixels.src, few);
        if (far)
            __builtin_prefetch((const char *)sink.dst + to + FAR_AHEAD, 1);
        put_bytes(&sink, sum, to, row);
    }
}

#define FEW_CASE(n, vecs, saturate)                                       \
    case n:                                                               \
        if ((n) * (vecs) <= HELD)                                         \
            do_pixels(r, panel, pixels, (struct few){n, vecs, saturate}); \
        break;
#define PIXELS_OF(vecs, saturate)                                                                  \
    static void do_pixels_##vecs##_##saturate(const struct layer_run *r, const struct tile *panel, \
                                              struct stretch pixels)                               \
    {                                                                                              \
        switch (all_tuples(&r->taps)) {                                                            \
            FEW_CASE(1, vecs, saturate)                                                            \
            FEW_CASE(2, vecs, saturate)                                                            \
            FEW_CASE(3, vecs, saturate)                                                            \
            FEW_CASE(4, vecs, saturate)                                                            \
            FEW_CASE(5, vecs, saturate)                                                            \
            FEW_CASE(6, vecs, saturate)                                                            \
            FEW_CASE(7, vecs, saturate)                                                            \
            FEW_CASE(8, vecs, saturate)                                                            \
            FEW_CASE(9, vecs, saturate)                                                            \
            FEW_CASE(10, vecs, saturate)                                                           \
            FEW_CASE(11, vecs, saturate)                                                           \
            FEW_CASE(12, vecs, saturate)                                                           \
        }                                                                                          \
    }
#define PIXELS_OF_BOTH(vecs) PIXELS_OF(vecs, true) PIXELS_OF(vecs, false)
PIXELS_OF_BOTH(1)
PIXELS_OF_BOTH(2)
PIXELS_OF_BOTH(3)
PIXELS_OF_BOTH(4)
#undef FEW_CASE
#undef PIXELS_OF
#undef PIXELS_OF_BOTH

typedef void pixels_function(const struct layer_run *r, const struct tile *panel,
                             struct stretch pixels);

static pixels_function *const pixels_functions[][2] = {
    {do_pixels_1_false, do_pixels_1_true},
    {do_pixels_2_false, do_pixels_2_true},
    {do_pixels_3_false, do_pixels_3_true},
    {do_pixels_4_false, do_pixels_4_true},
};

/* A block of pixels of one group, row by row. */
static void do_few_block(const struct layer_run *r, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    const int64_t blocks = num_divide_up(pixels, FEW_PIXELS), group = index / blocks;
    const int64_t end = num_min((index % blocks + 1) * FEW_PIXELS, pixels);
    int64_t begin = index % blocks * FEW_PIXELS;
    struct pixel pixel = pixel_at(r, group, begin);

    while (begin < end) {
        const struct stretch row = {pixel.src, pixel.dst,
                                    num_min(end - begin, conv->out.x - pixel.x)};
        for (int64_t i = 0; i < r->panels.count; i++) {
            struct tile panel;
            set_panel(r, &panel, group, i);
            pixels_functions[panel.vecs - 1][r->saturates](r, &panel, row);
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
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;

    team_share(team, conv->groups * num_divide_up(pixels, FEW_PIXELS), 1, do_few_blocks, r);
}

#endif
