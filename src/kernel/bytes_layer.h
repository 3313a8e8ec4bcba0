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
 *     tuples_all()       the tuple at an address, in all lanes
 *     weights_load()     a vector of weights
 *     add_products()     a sum and the products of tuples, modulo 2^32
 */
#ifndef NNEFC_KERNEL_BYTES_LAYER_H
#define NNEFC_KERNEL_BYTES_LAYER_H

#include "base/num.h"
#include "kernel/bytes_put.h"
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>

enum {
    PANEL_VECS = 2,
    PANEL = PANEL_VECS * LANES,
    PIXELS = LANES == 16 ? 12 : 6,
    BLOCK_TILES = 16, /* that a member does at a time */
};

/* Where the copy has what an output channel sums up. */
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

static int64_t panel_count(const struct conv *conv)
{
    return num_divide_up(group_out(conv), PANEL);
}

/* The weights of a panel. */
static int64_t panel_weights(const struct conv *conv)
{
    const struct taps taps = taps_of(conv);

    return taps.runs * taps.tuples * PANEL * TUPLE;
}

/* The sum of the weights of each channel is before them. */
static size_t panel_size(const struct conv *conv)
{
    return PANEL * sizeof(int32_t) + (size_t)panel_weights(conv) * sizeof(weight);
}

static size_t layer_packed_size(const struct conv *conv)
{
    return (size_t)(conv->groups * panel_count(conv)) * panel_size(conv);
}

/* --- packing --------------------------------------------------------------------------------- */

struct layer_packing {
    const struct conv *conv;
    const struct filter *filter;
    char *packed;
};

/* The items of an output channel at a tap: so many, less a zero. */
struct tap_items {
    const int64_t *from;
    int64_t step, zero, count;
};

/* They are items k and on of the run; returns their sum. */
static int32_t pack_tap(weight *run, int64_t k, const struct tap_items *items)
{
    int32_t sum = 0;

    for (int64_t i = 0; i < items->count; i++, k++) {
        const weight w = (weight)(items->from[i * items->step] - items->zero);
        run[k / TUPLE * PANEL * TUPLE + k % TUPLE] = w;
        sum += w;
    }
    return sum;
}

/* Panel `index` of all groups: sums, then [runs][tuples][channels][TUPLE]. */
static void pack_panel(const struct layer_packing *p, int64_t index)
{
    const struct conv *conv = p->conv;
    const struct filter *f = p->filter;
    const struct taps taps = taps_of(conv);
    const int64_t group = index / panel_count(conv), first = index % panel_count(conv) * PANEL;
    const int64_t channels = group_in(conv), last = num_min(group_out(conv) - first, PANEL);
    const int64_t *items = f->items;
    char *panel = p->packed + (size_t)index * panel_size(conv);
    int32_t *sum = (int32_t *)(void *)panel;
    weight *to = (weight *)(void *)(sum + PANEL);

    memset(panel, 0, panel_size(conv));
    for (int64_t o = 0; o < last; o++) {
        const int64_t at = group * group_out(conv) + first + o;
        const int64_t zero = f->zero[at * f->zero_step];
        const int64_t *from = items + group * f->group + (first + o) * f->out;
        for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++) {
            const int64_t y = tap / conv->kernel.x, x = tap % conv->kernel.x;
            const int64_t run = taps.row_runs == 1 ? y : tap,
                          k = taps.row_runs == 1 ? x * channels : 0;
            sum[o] +=
                pack_tap(to + (run * taps.tuples * PANEL + o) * TUPLE, k,
                         &(struct tap_items){from + y * f->y + x * f->x, f->in, zero, channels});
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

    team_share(team, conv->groups * panel_count(conv), 1, pack_panels, &p);
}

/* --- the copy -------------------------------------------------------------------------------- */

/* Items behind the last one, for tuples that have fewer. */
static int64_t copy_count(const struct conv *conv)
{
    const struct plane extents = KERNEL(border_extents)(conv);

    return conv->batch * extents.y * extents.x * conv->in_channels + TUPLE - 1;
}

static size_t layer_scratch_size(const struct conv *conv, int members)
{
    (void)members;
    return (size_t)copy_count(conv) * sizeof(item);
}

struct layer_run {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    struct taps taps;
    struct plane extents; /* that windows reach */
    int64_t channels;     /* of a group of the source */
    item *copy;
    const item *first;     /* of the copy, or of the source: that of the first window */
    struct steps steps;    /* there */
    int64_t group;         /* there: from a group to the next one */
    int64_t tiles, blocks; /* of all images, in a group; blocks of tiles */
};

static void fill_zero(const struct layer_run *r, item *to, int64_t count)
{
    const item zero = item_of_zero(&r->layer->src);

    for (int64_t i = 0; i < count; i++)
        to[i] = zero;
}

/* Row `row` of all images, for each group: pixels of a group follow each other. */
static void copy_row(const struct layer_run *r, int64_t row)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t channels = group_in(conv), y = row % r->extents.y - conv->before.y;
    const int64_t width = r->extents.x * channels, images = conv->batch * r->extents.y;
    const int64_t begin = num_min(num_max(conv->before.x, 0), r->extents.x);
    const int64_t end = num_max(num_min(conv->before.x + conv->in.x, r->extents.x), begin);
    const uint8_t *from = (const uint8_t *)r->operands->src + row / r->extents.y * conv->src.image +
                          y * conv->src.row + num_max(-conv->before.x, 0) * conv->src.pixel;

    for (int64_t group = 0; group < conv->groups; group++) {
        item *to = r->copy + (group * images + row) * width;
        if (y < 0 || y >= conv->in.y) {
            fill_zero(r, to, width);
            continue;
        }
        fill_zero(r, to, begin * channels);
        if (conv->groups == 1 && conv->src.pixel == channels)
            items_of(to + begin * channels, from, &r->layer->src, (end - begin) * channels);
        else
            for (int64_t x = begin; x < end; x++)
                items_of(to + x * channels, from + (x - begin) * conv->src.pixel + group * channels,
                         &r->layer->src, channels);
        fill_zero(r, to + end * channels, width - end * channels);
    }
}

static void copy_rows(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        copy_row(data, begin);
}

/* Copy all images, or look at them where they are. */
static void prepare_source(struct layer_run *r, struct team *team)
{
    const struct conv *conv = &r->layer->conv;
    const bool follow = r->taps.row_runs == conv->kernel.x || conv->src.pixel == r->channels;

    if (are_items(&r->layer->src) && !KERNEL(border_is_reached)(conv) && follow &&
        r->taps.length % TUPLE == 0) {
        r->first = (const item *)r->operands->src - conv->before.y * conv->src.row -
                   conv->before.x * conv->src.pixel;
        r->steps = conv->src;
        r->group = r->channels;
        return;
    }
    r->first = r->copy = r->operands->scratch;
    r->steps = steps_dense(r->channels, r->extents);
    r->group = conv->batch * r->steps.image;
    fill_zero(r, r->copy + copy_count(conv) - (TUPLE - 1), TUPLE - 1);
    team_share(team, conv->batch * r->extents.y, 8, copy_rows, r);
}

/* --- tiles ----------------------------------------------------------------------------------- */

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
        w[v] = weights_load(from + v * LANES * TUPLE);
    UNROLL
    for (int i = 0; i < pixels; i++) {
        const tuples x = tuples_all(src[i] + at);
        UNROLL
        for (int v = 0; v < PANEL_VECS; v++)
            sum[i][v] = add_products(sum[i][v], x, w[v]);
    }
}

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
    for (int v = 0; v < PANEL_VECS; v++) {
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

static void layer_run(const struct byte_layer *layer, const struct byte_operands *operands,
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

#endif
