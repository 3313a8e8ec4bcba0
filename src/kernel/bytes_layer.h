/*
 * bytes_layer.h - convolution of bytes, of any geometry, as sums of products of tuples
 *
 * Taps that follow each other in the image are a run.  A tile of pixels meets a panel of output
 * channels: for each tuple of neighbours in a run, a vector of weights by the tuple of each pixel.
 * Sums of 32 bits do not overflow in the end (bytes.h), so that their order does not matter.
 *
 * A file that includes this defines before:
 *     TUPLE              the number of neighbours
 *     item, weight       the types of what is multiplied
 *     tuples, weights    vectors of tuples
 *     items_of()         items from bytes
 *     item_of_zero()     the one that stands for 0
 *     item_excess()      what items are larger than what they stand for
 *     are_items()        whether bytes in memory are the items
 *     TUPLES_ALL()       the tuple at an address, in all lanes
 *     WEIGHTS_LOAD()     a vector of weights
 *     ADD_PRODUCTS()     a sum and the products of tuples, modulo 2^32
 *     LAYER, RUN_LAYER   the names of the kernel and of its function in table.h
 *     LAYER_NAME         its name in plans
 */
#ifndef NNEFC_KERNEL_BYTES_LAYER_H
#define NNEFC_KERNEL_BYTES_LAYER_H

#include "kernel/bytes_copy.h"
#include "kernel/bytes_put.h"
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>

enum {
    LINE = 64,
    PIXELS = LANES == 16 ? 12 : 6, /* of a tile at most */
    BLOCK_TILES = 16,              /* that a member does at a time */
    NEAR_SIZE = 40 << 10,          /* of all weights that stay in the cache beside a tile */
};

/* The pixels of tiles of panels of so many vectors: registers hold their sums. */
ALWAYS_INLINE int tile_pixels(int vecs)
{
    return LANES == 16 && vecs > 2 ? 24 / vecs : PIXELS;
}

/* The pixels of a tile, and the panel that it meets. */
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

/* Add the products of a tuple of each pixel, at src[i], and the weights of a panel for it. `pixels`
 * and `vecs` are constants. */
ALWAYS_INLINE void add_tuple(ints (*sum)[PANEL_VECS], const item *const *src, const weight *from,
                             const int pixels, const int vecs)
{
    weights w[PANEL_VECS];

    UNROLL
    for (int v = 0; v < vecs; v++)
        w[v] = WEIGHTS_LOAD(from + (int64_t)v * LANES * TUPLE);
    UNROLL
    for (int i = 0; i < pixels; i++) {
        const tuples x = TUPLES_ALL(src[i]);
        UNROLL
        for (int v = 0; v < vecs; v++)
            sum[i][v] = ADD_PRODUCTS(sum[i][v], x, w[v]);
    }
}

/* The sums of the channels of a pixel, `count` of them. */
static void put_row(struct byte_sink sink, const ints *sums, int64_t at, int64_t padded, int count)
{
    for (int c = 0; c < count; c += LANES)
        put_sums(sink, sums[c / LANES], at + c, padded + c, count - c < LANES ? count - c : LANES);
}

/* The bytes of a tile. */
ALWAYS_INLINE void put_all(const struct byte_sink *sink, const struct tile *tile,
                           ints (*sum)[PANEL_VECS], const int pixels, const int vecs,
                           const bool saturate)
{
    const struct byte_row row = {tile->padded, tile->count, vecs};
    const int64_t channel = tile->channel;

    UNROLL
    for (int i = 0; i < pixels; i++)
        put_bytes(sink, sum[i], tile->dst[i] + channel, row, saturate);
}

/* The results of a tile. */
ALWAYS_INLINE void put_tile(const struct layer_run *r, const struct tile *tile,
                            ints (*sum)[PANEL_VECS], const int pixels, const int vecs)
{
    const struct byte_sink sink = sink_of(r->layer, r->operands);

    if (HAS_SATURATION && r->saturates) {
        put_all(&sink, tile, sum, pixels, vecs, true);
        return;
    }
    if (sink.result == RESULT_BYTES) {
        put_all(&sink, tile, sum, pixels, vecs, false);
        return;
    }
    ints rows[PIXELS][PANEL_VECS];
    UNROLL
    for (int i = 0; i < pixels; i++)
        UNROLL
    for (int v = 0; v < vecs; v++)
        rows[i][v] = sum[i][v];
    for (int i = 0; i < pixels; i++)
        put_row(sink, rows[i], tile->dst[i] + tile->channel, tile->padded, tile->count);
}

ALWAYS_INLINE void do_tile(const struct layer_run *r, const struct tile *tile, const int pixels,
                           const int vecs)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t row = conv->dilation.y * r->steps.row;
    const int64_t step = conv->dilation.x * r->steps.pixel, count = r->taps.tuples;
    const bits excess = (bits)ints_all(item_excess(&r->layer->src));
    const weight *from = tile->weights;
    const char *ahead = tile->ahead;
    ints sum[PIXELS][PANEL_VECS];

    UNROLL
    for (int64_t v = 0; v < vecs; v++) {
        const bits bias = (bits)ints_load(r->operands->bias + tile->padded + v * LANES);
        const bits begin = bias - (bits)ints_load(tile->sums + v * LANES) * excess;
        UNROLL
        for (int i = 0; i < pixels; i++)
            sum[i][v] = (ints)begin;
    }
    for (int64_t run = 0; run < r->taps.runs; run++) {
        const int64_t at = run / r->taps.row_runs * row + run % r->taps.row_runs * step;
        const item *src[PIXELS];
        UNROLL
        for (int i = 0; i < pixels; i++)
            src[i] = tile->src[i] + at;
        for (int64_t k = 0; k < count; k++, from += (int64_t)vecs * LANES * TUPLE) {
            if (vecs > 2) {
                __builtin_prefetch(ahead, 0, 2);
                ahead += tile->ahead_step;
            }
            add_tuple(sum, src, from, pixels, vecs);
            UNROLL
            for (int i = 0; i < pixels; i++)
                src[i] += TUPLE;
        }
    }
    put_tile(r, tile, sum, pixels, vecs);
}

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

/* A pixel of the results of all images, the first item that its window reads, and its own first
 * one. */
struct pixel {
    int64_t image, y, x;
    const item *src;
    int64_t dst;
};

/* Find the items, of group `group`. */
static void find_items(const struct layer_run *r, int64_t group, struct pixel *at)
{
    const struct conv *conv = &r->layer->conv;

    at->src = r->first + group * r->group + at->image * r->steps.image +
              at->y * conv->stride.y * r->steps.row + at->x * conv->stride.x * r->steps.pixel;
    at->dst = at->image * conv->dst.image + at->y * conv->dst.row + at->x * conv->dst.pixel;
}

static struct pixel pixel_at(const struct layer_run *r, int64_t group, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t row = index / conv->out.x;
    struct pixel pixel = {row / conv->out.y, row % conv->out.y, index % conv->out.x, NULL, 0};

    find_items(r, group, &pixel);
    return pixel;
}

static void next_row(const struct layer_run *r, int64_t group, struct pixel *pixel)
{
    pixel->x = 0;
    if (++pixel->y == r->layer->conv.out.y) {
        pixel->y = 0;
        pixel->image++;
    }
    find_items(r, group, pixel);
}

/* Let a tile have so many pixels; *pixel becomes the one behind. */
static void set_pixels(const struct layer_run *r, struct tile *tile, int64_t group, int count,
                       struct pixel *pixel)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t step = conv->stride.x * r->steps.pixel;

    for (int i = 0; i < count; i++) {
        tile->src[i] = pixel->src;
        tile->dst[i] = pixel->dst;
        pixel->src += step;
        pixel->dst += conv->dst.pixel;
        if (++pixel->x == conv->out.x)
            next_row(r, group, pixel);
    }
}

/* Let a tile meet a panel of a group. */
static void set_panel(const struct layer_run *r, struct tile *tile, int64_t group, int64_t panel)
{
    const int64_t out = group_out(&r->layer->conv), vecs = panel_vecs(&r->panels, panel);
    const int64_t begin = panel_begin(&r->panels, panel), all = num_divide_up(out, LANES);

    tile->vecs = (int)vecs;
    tile->sums = (const void *)((const char *)r->operands->packed +
                                (size_t)(group * all + begin) * r->vec_size);
    tile->weights = (const void *)(tile->sums + vecs * LANES);
    tile->channel = group * out + begin * LANES;
    tile->padded = group * (num_divide_up(out, BYTE_PANEL) * BYTE_PANEL) + begin * LANES;
    tile->count = (int)num_min(out - begin * LANES, vecs * LANES);
}

/* One of some tiles that meet a panel in turn. */
struct part {
    int64_t index, count;
};

/* Let each tile fetch a part of the next panel. */
static void look_ahead(const struct layer_run *r, struct tile *tile, int64_t panel,
                       struct part part)
{
    const int64_t step = num_min(tile->vecs * LINE / part.count + 1, LINE);

    tile->ahead = (const char *)tile->weights;
    tile->ahead_step = 0;
    if (panel + 1 < r->panels.count) {
        tile->ahead += (size_t)tile->vecs * r->vec_size +
                       (size_t)(part.index * r->taps.runs * r->taps.tuples * step);
        tile->ahead_step = step;
    }
}

/* A block of tiles of some panels of one group; tiles have nearly the same number of pixels. */
static void do_block(const struct layer_run *r, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t block = index % r->blocks, part = index / r->blocks % r->parts;
    const int64_t panels = r->panels.count, group = index / r->blocks / r->parts;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    const int64_t first = panels * part / r->parts, last = panels * (part + 1) / r->parts;
    const int64_t t_begin = r->tiles * block / r->blocks;
    const int64_t t_end = r->tiles * (block + 1) / r->blocks;
    int64_t begin = pixels * t_begin / r->tiles;
    struct pixel pixel = pixel_at(r, group, begin);
    struct tile tile;

    for (int64_t t = t_begin; t < t_end; t++) {
        const int64_t end = pixels * (t + 1) / r->tiles;
        set_pixels(r, &tile, group, (int)(end - begin), &pixel);
        for (int64_t panel = first; panel < last; panel++) {
            set_panel(r, &tile, group, panel);
            look_ahead(r, &tile, panel, (struct part){t - t_begin, t_end - t_begin});
            do_tile_of(r, &tile, (int)(end - begin));
        }
        begin = end;
    }
}

static void do_blocks(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        do_block(data, begin);
}

void BYTE_KERNEL(RUN_LAYER)(const struct byte_layer *layer, const struct byte_operands *operands,
                            struct team *team)
{
    const struct conv *conv = &layer->conv;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    struct layer_run r = {.layer = layer,
                          .operands = operands,
                          .taps = taps_of(conv),
                          .extents = KERNEL(border_extents)(conv),
                          .channels = group_in(conv),
                          .panels = panels_of(conv),
                          .vec_size = vec_size(conv)};
    const int widest = (int)panel_vecs(&r.panels, 0);

    assert(pixels > 0 && layer->result <= RESULT_SUMS);
    r.parts = (size_t)vec_count(conv) * r.vec_size <= NEAR_SIZE ? 1 : r.panels.count;
    r.tiles = num_divide_up(pixels, tile_pixels(widest));
    r.blocks = num_divide_up(r.tiles, BLOCK_TILES);
    r.saturates =
        HAS_SATURATION &&
        saturates(layer, operands->factor,
                  conv->groups * (num_divide_up(group_out(conv), BYTE_PANEL) * BYTE_PANEL));
    prepare_source(&r, team);
    team_share(team, conv->groups * r.parts * r.blocks, 1, do_blocks, &r);
}

const struct conv_kernel BYTE_KERNEL(LAYER) = {
    .name = LAYER_NAME,
    .fits = conv_fits_any,
    .packed_size = layer_packed_size,
    .pack = layer_pack,
    .scratch_size = layer_scratch_size,
};

#endif
