/*
 * bytes_layer.h - convolution of bytes, of any geometry, as sums of products of tuples
 *
 * Taps that follow each other in the image are a run.  A tile of pixels meets a panel of output
 * channels: for each tuple of neighbours in a run, a vector of weights by the tuple of each pixel.
 * Sums of 32 bits do not overflow in the end (bytes.h), so that their order does not matter.
 *
 * A file that includes this defines before:
 *     TUPLE              the number of neighbours
 *     source             the type of items of images in memory
 *     item, weight       the types of what is multiplied
 *     tuples, weights    vectors of tuples
 *     items_of()         items from those in memory
 *     item_of_zero()     the one that stands for 0
 *     item_excess()      what items are larger than what they stand for
 *     are_items()        whether those in memory are the items
 *     TUPLES_ALL()       the tuple at an address, in all lanes
 *     WEIGHTS_LOAD()     a vector of weights
 *     ADD_PRODUCTS()     a sum and the products of tuples, modulo 2^32
 *     LAYER, RUN_LAYER   the names of the kernel and of its function in table.h
 *     LAYER_NAME         its name in plans
 *     WIDE_SUMS          perhaps: sums are those of bytes_wide.h
 */
#ifndef NNEFC_KERNEL_BYTES_LAYER_H
#define NNEFC_KERNEL_BYTES_LAYER_H

#include "kernel/bytes_copy.h"
#include "kernel/bytes_put.h"
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>

enum {
    PIXELS = LANES == 16 ? 12 : 6,
    BLOCK_TILES = 16, /* that a member does at a time */
};

/* The pixels of a tile, and the panel that it meets. */
struct tile {
    const item *src[PIXELS];
    int64_t dst[PIXELS]; /* items from the first result */
    const int32_t *sums; /* of weights */
    const weight *weights;
    int64_t channel, padded; /* of the panel: its first one, and where its bias is */
    int count;               /* channels that exist */
};

/* Add the products of a tuple of each pixel, at src[i], and the weights of a panel for it. `pixels`
 * is a constant. */
ALWAYS_INLINE void add_tuple(ints (*sum)[PANEL_VECS], const item *const *src, int64_t at,
                             const weight *from, const int pixels)
{
    weights w[PANEL_VECS];

    UNROLL
    for (int64_t v = 0; v < PANEL_VECS; v++)
        w[v] = WEIGHTS_LOAD(from + v * LANES * TUPLE);
    UNROLL
    for (int i = 0; i < pixels; i++) {
        const tuples x = TUPLES_ALL(src[i] + at);
        UNROLL
        for (int v = 0; v < PANEL_VECS; v++)
            sum[i][v] = ADD_PRODUCTS(sum[i][v], x, w[v]);
    }
}

#ifdef WIDE_SUMS
#include "kernel/bytes_wide.h"
#else

/* The results of a tile. */
ALWAYS_INLINE void put_tile(const struct layer_run *r, const struct tile *tile,
                            ints (*sum)[PANEL_VECS], const int pixels)
{
    const struct byte_sink sink = sink_of(r->layer, r->operands);
    const int64_t channel = tile->channel, padded = tile->padded;
    const int last = tile->count;

    UNROLL
    for (int i = 0; i < pixels; i++) {
        UNROLL
        for (int v = 0; v < PANEL_VECS; v++) {
            const int lane = v * LANES, left = last - lane;
            if (left > 0)
                put_sums(sink, sum[i][v], tile->dst[i] + channel + lane, padded + lane,
                         left < LANES ? left : LANES);
        }
    }
}

ALWAYS_INLINE void do_tile(const struct layer_run *r, const struct tile *tile, const int pixels)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t row = conv->dilation.y * r->steps.row;
    const int64_t step = conv->dilation.x * r->steps.pixel, count = r->taps.tuples;
    const bits excess = (bits)ints_all(item_excess(&r->layer->src));
    const weight *from = tile->weights;
    ints sum[PIXELS][PANEL_VECS];

    UNROLL
    for (int64_t v = 0; v < PANEL_VECS; v++) {
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
        for (int64_t k = 0; k < count; k++, from += (int64_t)PANEL * TUPLE)
            add_tuple(sum, src, k * TUPLE, from, pixels);
    }
    put_tile(r, tile, sum, pixels);
}

#endif

/* Expanded for each number of pixels, so that sums stay in registers. */
static void do_tile_of(const struct layer_run *r, const struct tile *tile, int pixels)
{
#define PIXELS_CASE(n)       \
    case n:                  \
        do_tile(r, tile, n); \
        break;
    switch (pixels) {
        PIXELS_CASE(1)
        PIXELS_CASE(2)
        PIXELS_CASE(3)
        PIXELS_CASE(4)
        PIXELS_CASE(5)
        PIXELS_CASE(6)
#if LANES == 16
        PIXELS_CASE(7)
        PIXELS_CASE(8)
        PIXELS_CASE(9)
        PIXELS_CASE(10)
        PIXELS_CASE(11)
        PIXELS_CASE(12)
#endif
    }
#undef PIXELS_CASE
}

/* A pixel of the results of all images. */
struct pixel {
    int64_t image, y, x;
};

static struct pixel pixel_at(const struct conv *conv, int64_t index)
{
    const int64_t row = index / conv->out.x;

    return (struct pixel){row / conv->out.y, row % conv->out.y, index % conv->out.x};
}

static void set_pixel(const struct layer_run *r, struct tile *tile, int i, int64_t group,
                      const struct pixel *at)
{
    const struct conv *conv = &r->layer->conv;
    tile->src[i] = r->first + group * r->group + at->image * r->steps.image +
                   at->y * conv->stride.y * r->steps.row + at->x * conv->stride.x * r->steps.pixel;
    tile->dst[i] = at->image * conv->dst.image + at->y * conv->dst.row + at->x * conv->dst.pixel;
}

static void next_pixel(const struct conv *conv, struct pixel *pixel)
{
    if (++pixel->x < conv->out.x)
        return;
    pixel->x = 0;
    if (++pixel->y < conv->out.y)
        return;
    pixel->y = 0;
    pixel->image++;
}

/* A block of tiles of one panel of one group; tiles have nearly the same number of pixels. */
static void do_block(const struct layer_run *r, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t panels = panel_count(conv), panel = index / r->blocks % panels;
    const int64_t group = index / r->blocks / panels, block = index % r->blocks;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    const int64_t rounded = num_divide_up(group_out(conv), BYTE_PANEL) * BYTE_PANEL;
    const int32_t *sums = (const void *)((const char *)r->operands->packed +
                                         (size_t)(group * panels + panel) * panel_size(conv));
    struct tile tile = {.sums = sums,
                        .weights = (const void *)(sums + PANEL),
                        .channel = group * group_out(conv) + panel * PANEL,
                        .padded = group * rounded + panel * PANEL,
                        .count = (int)num_min(group_out(conv) - panel * PANEL, PANEL)};

    int64_t t = r->tiles * block / r->blocks, begin = pixels * t / r->tiles;
    struct pixel pixel = pixel_at(conv, begin);
    for (; t < r->tiles * (block + 1) / r->blocks; t++) {
        const int64_t end = pixels * (t + 1) / r->tiles;
        for (int64_t i = begin; i < end; i++) {
            set_pixel(r, &tile, (int)(i - begin), group, &pixel);
            next_pixel(conv, &pixel);
        }
        do_tile_of(r, &tile, (int)(end - begin));
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
                          .tiles = num_divide_up(pixels, PIXELS)};

    assert(pixels > 0 && layer->result <= RESULT_SUMS);
    r.blocks = num_divide_up(r.tiles, BLOCK_TILES);
    prepare_source(&r, team);
    team_share(team, conv->groups * panel_count(conv) * r.blocks, 1, do_blocks, &r);
}

const struct conv_kernel BYTE_KERNEL(LAYER) = {
    .name = LAYER_NAME,
    .fits = conv_fits_any,
    .packed_size = layer_packed_size,
    .pack = layer_pack,
    .scratch_size = layer_scratch_size,
};

#endif
