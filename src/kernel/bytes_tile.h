/*
 * bytes_tile.h - sums of products of a tile of pixels and a panel of channels, and their results; a
 * part of bytes_layer.h, which lists the names that have to be defined before
 */
#ifndef NNEFC_KERNEL_BYTES_TILE_H
#define NNEFC_KERNEL_BYTES_TILE_H

#include "kernel/bytes_copy.h"
#include "kernel/bytes_put.h"
#include "kernel/bytes_sum.h"

enum {
    FEW = 2,     /* so few pixels wait for weights */
    STREAMS = 8, /* parts of a run that are read at once then */
};

/* The pixels of a tile, and its panel. */
struct tile {
    const item *src[PIXELS];
    int64_t dst[PIXELS]; /* items from the first result */
    const int32_t *sums; /* of weights */
    const weight *weights;
    const char *ahead; /* weights of the next panel, which are to be near soon */
    int64_t ahead_step;
    int64_t channel, padded; /* of the panel: its first one, and where its bias is */
    int count;               /* channels that exist */
    int vecs;                /* vectors of them */
};

/* A run of `count` tuples, the first of each pixel at src[i]. */
struct run {
    const item *src[PIXELS];
    int64_t count;
};

/* Add the products of a run and its weights.  Memory delivers the weights of few pixels faster in
 * several streams than in one, so these take the parts of the run in turns. */
ALWAYS_INLINE void add_run(ints (*sum)[PANEL_VECS], const struct run *run, const weight *from,
                           const int pixels, const int vecs)
{
    const int64_t part = run->count / STREAMS, width = (int64_t)vecs * LANES * TUPLE;
    const item *src[STREAMS][PIXELS];

    UNROLL
    for (int s = 0; s < STREAMS; s++)
        UNROLL
    for (int i = 0; i < pixels; i++)
        src[s][i] = run->src[i] + s * part * TUPLE;
    for (int64_t k = 0; k < part; k++)
        UNROLL
    for (int s = 0; s < STREAMS; s++)
        add_tuple(sum, src[s], from + (s * part + k) * width, pixels, vecs);
    for (int64_t k = part * STREAMS; k < run->count; k++)
        add_tuple(sum, src[STREAMS - 1], from + k * width, pixels, vecs);
}

/* The distance of a run of taps from the first item of a window.  Divisions take longer than a
 * tuple. */
static int64_t run_offset(const struct layer_run *r, int64_t run)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t down = conv->dilation.y * r->steps.row, right = conv->dilation.x * r->steps.pixel;

    if (r->taps.row_runs == 1)
        return run * down;
    return run / r->taps.row_runs * down + run % r->taps.row_runs * right;
}

#ifdef WIDE_SUMS
#include "kernel/bytes_wide.h"
#else

/* The bytes of a tile. */
ALWAYS_INLINE void put_all(const struct byte_sink *sink, const struct tile *tile,
                           ints (*sum)[PANEL_VECS], const int pixels, const struct byte_row row)
{
    const int64_t channel = tile->channel;

    UNROLL
    for (int i = 0; i < pixels; i++)
        put_bytes(sink, sum[i], tile->dst[i] + channel, row);
}

/* The results of a tile. */
ALWAYS_INLINE void put_tile(const struct layer_run *r, const struct tile *tile,
                            ints (*sum)[PANEL_VECS], const int pixels, const int vecs)
{
    const struct byte_sink sink = sink_of(r->layer, r->operands);

    /* Tiles make few bytes for their many products: at zero they have no form of their own. */
    if (HAS_SATURATION && r->saturation != UNSATURATED) {
        put_all(&sink, tile, sum, pixels,
                (struct byte_row){tile->padded, tile->count, vecs, SATURATED});
        return;
    }
    if (sink.result == RESULT_BYTES) {
        put_all(&sink, tile, sum, pixels,
                (struct byte_row){tile->padded, tile->count, vecs, UNSATURATED});
        return;
    }
    ints rows[PIXELS][PANEL_VECS];
    UNROLL
    for (int i = 0; i < pixels; i++)
        UNROLL
    for (int v = 0; v < vecs; v++)
        rows[i][v] = sum[i][v];
    for (int i = 0; i < pixels; i++)
        put_row(&sink, rows[i], tile->dst[i] + tile->channel,
                (struct byte_row){tile->padded, tile->count, vecs, UNSATURATED});
}

/* The bias of a vector of the panel, less the excess of the items. */
ALWAYS_INLINE ints sums_before(const struct layer_run *r, const struct tile *tile, int64_t v)
{
    const bits excess = (bits)ints_all(item_excess(&r->layer->src));
    const bits bias = (bits)ints_load(r->operands->bias + tile->padded + v * LANES);

    return (ints)(bias - (bits)ints_load(tile->sums + v * LANES) * excess);
}

ALWAYS_INLINE void do_tile(const struct layer_run *r, const struct tile *tile, const int pixels,
                           const int vecs)
{
    const int64_t count = r->taps.tuples;
    const weight *from = tile->weights;
    const char *ahead = tile->ahead;
    ints sum[PIXELS][PANEL_VECS];

    UNROLL
    for (int64_t v = 0; v < vecs; v++) {
        const ints begin = sums_before(r, tile, v);
        UNROLL
        for (int i = 0; i < pixels; i++)
            sum[i][v] = begin;
    }
    for (int64_t run = 0; run < r->taps.runs; run++) {
        const int64_t at = run_offset(r, run);
        struct run all = {.count = count};
        UNROLL
        for (int i = 0; i < pixels; i++)
            all.src[i] = tile->src[i] + at;
        if (pixels <= FEW) {
            add_run(sum, &all, from, pixels, vecs);
            from += count * vecs * LANES * TUPLE;
            continue;
        }
        for (int64_t k = 0; k < count; k++, from += (int64_t)vecs * LANES * TUPLE) {
            ahead = fetch(ahead, tile->ahead_step, vecs);
            add_tuple(sum, all.src, from, pixels, vecs);
        }
    }
    put_tile(r, tile, sum, pixels, vecs);
}

#endif

/* Defines a function that is expanded for each number of pixels, so that sums stay in registers. */
#define PIXELS_CASE(n, vecs)           \
    case n:                            \
        if (n <= tile_pixels(vecs))    \
            do_tile(r, tile, n, vecs); \
        break;
#define TILES_OF(vecs)                                                                         \
    static void do_tile_##vecs(const struct layer_run *r, const struct tile *tile, int pixels) \
    {                                                                                          \
        switch (pixels) {                                                                      \
            PIXELS_CASE(1, vecs)                                                               \
            PIXELS_CASE(2, vecs)                                                               \
            PIXELS_CASE(3, vecs)                                                               \
            PIXELS_CASE(4, vecs)                                                               \
            PIXELS_CASE(5, vecs)                                                               \
            PIXELS_CASE(6, vecs)                                                               \
            WIDE_CASES(vecs)                                                                   \
        }                                                                                      \
    }
#if LANES == 16
#define WIDE_CASES(vecs) \
    PIXELS_CASE(7, vecs) \
    PIXELS_CASE(8, vecs) \
    PIXELS_CASE(9, vecs) PIXELS_CASE(10, vecs) PIXELS_CASE(11, vecs) PIXELS_CASE(12, vecs)
TILES_OF(3)
TILES_OF(4)
#else
#define WIDE_CASES(vecs)
#endif
TILES_OF(1)
TILES_OF(2)
#undef PIXELS_CASE
#undef WIDE_CASES
#undef TILES_OF

static void do_tile_of(const struct layer_run *r, const struct tile *tile, int pixels)
{
    switch (tile->vecs) {
    case 1:
        do_tile_1(r, tile, pixels);
        break;
    case 2:
        do_tile_2(r, tile, pixels);
        break;
#if LANES == 16
    case 3:
        do_tile_3(r, tile, pixels);
        break;
    case 4:
        do_tile_4(r, tile, pixels);
        break;
#endif
    }
}

#endif
