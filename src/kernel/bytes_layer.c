/*
 * bytes_layer.c - convolution of bytes, of any geometry, as products of pairs of 16 bits
 *
 * The images are copied as 16-bit integers less their zero, with zeros around them.  Taps that
 * follow each other in the copy are a run.  A tile of pixels meets a panel of output channels: for
 * each pair of neighbours in a run, a vector of weights by the pair of each pixel.  Products of
 * pairs are exact, and sums of 32 bits do not overflow (bytes.h), so that their order does not
 * matter.
 */
#include "base/num.h"
#include "kernel/bytes_put.h"
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>

enum {
    PANEL_VECS = 2,
    PANEL = PANEL_VECS * LANES,
    PIXELS = LANES == 16 ? 12 : 6,
    PAIR = 2,
    BLOCK_TILES = 16, /* that a member does at a time */
};

/* Where the copy has what an output channel sums up. */
struct taps {
    int64_t runs, length, pairs; /* pairs: of a run, the last of which may have one item */
    int64_t row_runs;            /* runs of one row of the filter */
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
    taps.pairs = num_divide_up(taps.length, PAIR);
    return taps;
}

static int64_t panel_count(const struct conv *conv)
{
    return num_divide_up(group_out(conv), PANEL);
}

static int64_t panel_items(const struct conv *conv)
{
    const struct taps taps = taps_of(conv);

    return taps.runs * taps.pairs * PANEL * PAIR;
}

static size_t layer_packed_size(const struct conv *conv)
{
    return (size_t)(conv->groups * panel_count(conv) * panel_items(conv)) * sizeof(int16_t);
}

/* --- packing --------------------------------------------------------------------------------- */

struct layer_packing {
    const struct conv *conv;
    const struct filter *filter;
    int16_t *packed;
};

/* The items of an output channel at a tap: so many, less a zero. */
struct tap_items {
    const int64_t *from;
    int64_t step, zero, count;
};

/* They are items k and on of the run. */
static void pack_channel(int16_t *run, int64_t k, const struct tap_items *items)
{
    for (int64_t i = 0; i < items->count; i++, k++)
        run[k / PAIR * PANEL * PAIR + k % PAIR] =
            (int16_t)(items->from[i * items->step] - items->zero);
}

/* Panel `index` of all groups: [runs][pairs][channels][2]. */
static void pack_panel(const struct layer_packing *p, int64_t index)
{
    const struct conv *conv = p->conv;
    const struct filter *f = p->filter;
    const struct taps taps = taps_of(conv);
    const int64_t group = index / panel_count(conv), first = index % panel_count(conv) * PANEL;
    const int64_t channels = group_in(conv), last = num_min(group_out(conv) - first, PANEL);
    const int64_t *items = f->items;
    int16_t *to = p->packed + index * panel_items(conv);

    memset(to, 0, (size_t)panel_items(conv) * sizeof *to);
    for (int64_t o = 0; o < last; o++) {
        const int64_t at = group * group_out(conv) + first + o;
        const int64_t zero = f->zero[at * f->zero_step];
        const int64_t *from = items + group * f->group + (first + o) * f->out;
        for (int64_t tap = 0; tap < conv->kernel.y * conv->kernel.x; tap++) {
            const int64_t y = tap / conv->kernel.x, x = tap % conv->kernel.x;
            const int64_t run = taps.row_runs == 1 ? y : tap,
                          k = taps.row_runs == 1 ? x * channels : 0;
            pack_channel(to + (run * taps.pairs * PANEL + o) * PAIR, k,
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
    struct layer_packing p = {conv, filter, (int16_t *)(void *)packed};

    team_share(team, conv->groups * panel_count(conv), 1, pack_panels, &p);
}

/* --- the copy -------------------------------------------------------------------------------- */

/* The part of an image that windows reach, with the pixels outside. */
static struct plane copy_extents(const struct conv *conv)
{
    return (struct plane){
        windows_reach(conv->out.y, conv->stride.y, conv->kernel.y, conv->dilation.y),
        windows_reach(conv->out.x, conv->stride.x, conv->kernel.x, conv->dilation.x)};
}

/* An item behind the last one, for pairs of which only one item counts. */
static int64_t copy_items(const struct conv *conv)
{
    const struct plane extents = copy_extents(conv);

    return conv->batch * extents.y * extents.x * conv->in_channels + 1;
}

static size_t layer_scratch_size(const struct conv *conv, int members)
{
    (void)members;
    return (size_t)copy_items(conv) * sizeof(int16_t);
}

struct layer_run {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    struct taps taps;
    struct plane extents;
    int64_t channels; /* of a group of the source */
    int16_t *copy;
    int64_t tiles, blocks; /* of all images, in a group; blocks of tiles */
};

/* Bytes less their zero. */
static void copy_items_of(int16_t *restrict to, const uint8_t *from, const struct byte_code *code,
                          int64_t count)
{
    const int8_t *with_sign = (const int8_t *)from;
    const int16_t zero = (int16_t)code->zero;

    if (code->is_signed)
        for (int64_t i = 0; i < count; i++)
            to[i] = (int16_t)(with_sign[i] - zero);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = (int16_t)(from[i] - zero);
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
        int16_t *to = r->copy + (group * images + row) * width;
        if (y < 0 || y >= conv->in.y) {
            memset(to, 0, (size_t)width * sizeof *to);
            continue;
        }
        memset(to, 0, (size_t)(begin * channels) * sizeof *to);
        if (conv->groups == 1 && conv->src.pixel == channels)
            copy_items_of(to + begin * channels, from, &r->layer->src, (end - begin) * channels);
        else
            for (int64_t x = begin; x < end; x++)
                copy_items_of(to + x * channels,
                              from + (x - begin) * conv->src.pixel + group * channels,
                              &r->layer->src, channels);
        memset(to + end * channels, 0, (size_t)(width - end * channels) * sizeof *to);
    }
}

static void copy_rows(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        copy_row(data, begin);
}

/* --- tiles ----------------------------------------------------------------------------------- */

/* The pixels of a tile, and the panel that it meets. */
struct tile {
    const int16_t *src[PIXELS];
    int64_t dst[PIXELS]; /* items from the first result */
    const int16_t *weights;
    int64_t channel, padded; /* of the panel: its first one, and where its bias is */
    int count;               /* channels that exist */
};

/* Add the products of a pair of each pixel, at src[i], and the weights of a panel for it.  `pixels`
 * is a constant. */
ALWAYS_INLINE void add_pair(ints (*sum)[PANEL_VECS], const int16_t *const *src, int64_t at,
                            const int16_t *weights, const int pixels)
{
    pairs w[PANEL_VECS];

    UNROLL
    for (int64_t v = 0; v < PANEL_VECS; v++)
        w[v] = pairs_load(weights + v * LANES * PAIR);
    UNROLL
    for (int i = 0; i < pixels; i++) {
        const pairs x = pairs_all(src[i] + at);
        UNROLL
        for (int v = 0; v < PANEL_VECS; v++)
            sum[i][v] = pairs_add_products(sum[i][v], x, w[v]);
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
    const int64_t row = conv->dilation.y * r->extents.x * r->channels;
    const int64_t step = conv->dilation.x * r->channels, count = r->taps.pairs;
    const int16_t *weights = tile->weights;
    ints sum[PIXELS][PANEL_VECS];

    UNROLL
    for (int i = 0; i < pixels; i++) {
        UNROLL
        for (int64_t v = 0; v < PANEL_VECS; v++)
            sum[i][v] = ints_load(r->operands->bias + tile->padded + v * LANES);
    }
    for (int64_t run = 0; run < r->taps.runs; run++) {
        const int64_t at = run / r->taps.row_runs * row + run % r->taps.row_runs * step;
        const int16_t *src[PIXELS];
        UNROLL
        for (int i = 0; i < pixels; i++)
            src[i] = tile->src[i] + at;
        for (int64_t k = 0; k < count; k++, weights += (int64_t)PANEL * PAIR)
            add_pair(sum, src, k * PAIR, weights, pixels);
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
    const int64_t row = (group * conv->batch + at->image) * r->extents.y + at->y * conv->stride.y;

    tile->src[i] = r->copy + (row * r->extents.x + at->x * conv->stride.x) * r->channels;
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
    struct tile tile = {.weights = (const int16_t *)r->operands->packed +
                                   (group * panels + panel) * panel_items(conv),
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

void KERNEL(run_byte_layer)(const struct byte_layer *layer, const struct byte_operands *operands,
                            struct team *team)
{
    const struct conv *conv = &layer->conv;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    struct layer_run r = {.layer = layer,
                          .operands = operands,
                          .taps = taps_of(conv),
                          .extents = copy_extents(conv),
                          .channels = group_in(conv),
                          .copy = operands->scratch,
                          .tiles = num_divide_up(pixels, PIXELS)};

    assert(pixels > 0 && layer->result <= RESULT_SUMS);
    r.blocks = num_divide_up(r.tiles, BLOCK_TILES);
    r.copy[copy_items(conv) - 1] = 0;
    team_share(team, conv->batch * r.extents.y, 8, copy_rows, &r);
    team_share(team, conv->groups * panel_count(conv) * r.blocks, 1, do_blocks, &r);
}

const struct conv_kernel KERNEL(byte_layer) = {
    .name = "direct, bytes",
    .fits = conv_fits_any,
    .packed_size = layer_packed_size,
    .pack = layer_pack,
    .scratch_size = layer_scratch_size,
};
