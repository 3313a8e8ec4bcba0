/*
 * winograd.c - convolutions by 3 x 3 taps with fewer products; see winograd_line.h
 *
 * The image is cut into tiles of size * size outputs, which overlap in their (size + 2)^2 inputs.
 * Dilated taps make dilated tiles.  After the transform each input of a tile belongs to a plane of
 * its own.  In a plane, the convolution is a product of matrices: tiles by input channels and input
 * channels by output channels.  The planes of a block of tiles stay in the cache; if there are few
 * blocks, members share the panels of each.
 */
#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/panel.h"
#include "kernel/table.h"
#include "kernel/winograd_line.h"
#include "kernel/winograd_place.h"

#include <assert.h>

enum {
    CACHE_ITEMS = 200 << 10, /* of a block's planes, before and after the product */
    LEAST_TILES = 14,        /* of a block: weights that were fetched are used so often */
    MOST_PLANES = WINOGRAD_MOST * WINOGRAD_MOST,
    MOST_OUTPUTS = 16, /* of a tile */
    OUTSIDE = -1,
};

struct winograd {
    const struct conv *conv;
    const struct conv_operands *operands;
    struct panels panels;
    int64_t size;         /* outputs of a tile along y and x, as far apart as taps are */
    struct plane tiles;   /* of an image */
    int64_t count, block; /* tiles of all images, of a block */
    int64_t depth;        /* input channels, in whole vectors */
    bool shares_planes;   /* members multiply planes that other members have transformed */
    const float *packed_end;
    float *zeros, *in, *out; /* scratch: planes before and after products */
};

/* --- geometry ------------------------------------------------------------------------------- */

static int64_t planes_of(int64_t size)
{
    return (size + WINOGRAD_TAPS - 1) * (size + WINOGRAD_TAPS - 1);
}

static int64_t blocks_of(const struct winograd *w)
{
    return num_divide_up(w->count, w->block);
}

/* Items of the planes of a block after the product with a panel. */
static int64_t out_volume(const struct winograd *w)
{
    return planes_of(w->size) * w->block * PANEL_VECS * LANES;
}

static int64_t in_volume(const struct winograd *w)
{
    return planes_of(w->size) * w->block * w->depth;
}

/* Tiles and blocks of a convolution.  Blocks are as large as the cache allows; if members would be
 * idle then, they share the panels of a block, or blocks become smaller. */
static struct winograd winograd_of(const struct conv *conv, int64_t size, int64_t members)
{
    struct winograd w = {.conv = conv, .size = size, .panels = panels_of(conv->out_channels)};
    int64_t rows = KERNEL(tile_rows)(PANEL_VECS);

    w.tiles = winograd_tiles(conv, size);
    w.count = conv->batch * w.tiles.y * w.tiles.x;
    w.depth = num_divide_up(conv->in_channels, LANES) * LANES;
    w.block = CACHE_ITEMS / planes_of(size) / (w.depth + (int64_t)PANEL_VECS * LANES);
    w.block = num_divide_up(w.block > LEAST_TILES ? w.block : LEAST_TILES, rows) * rows;
    w.block = w.block < w.count ? num_divide_up(w.count, blocks_of(&w)) : w.count;
    if (members > 1 && blocks_of(&w) < 2 * members) {
        int64_t least = num_divide_up(2 * members, w.panels.count);
        w.shares_planes = true;
        w.block = blocks_of(&w) < least ? num_divide_up(w.count, least) : w.block;
    }
    return w;
}

/* --- packing -------------------------------------------------------------------------------- */

static size_t winograd_packed_size(const struct conv *conv, int64_t size)
{
    struct panels panels = panels_of(conv->out_channels);

    return (size_t)panels_volume(&panels, conv->in_channels * planes_of(size)) * sizeof(float);
}

struct winograd_packing {
    const struct filter *filter;
    struct panels panels;
    int64_t size, in_channels;
    float *packed;
};

/* The taps of LANES output channels, of which `wanted` exist, and one input channel. */
struct in_filter {
    const float *from;
    float *to;    /* in the first plane */
    int64_t step; /* from plane to plane */
    int wanted;
};

ALWAYS_INLINE void transform_filter(const struct filter *filter, const struct in_filter *f,
                                    const int64_t size)
{
    const int64_t inputs = size + WINOGRAD_TAPS - 1;
    vec rows[WINOGRAD_MOST][WINOGRAD_TAPS], tap[WINOGRAD_TAPS] = {{0}}, line[WINOGRAD_MOST];

    UNROLL
    for (int64_t x = 0; x < WINOGRAD_TAPS; x++) {
        for (int64_t y = 0; y < WINOGRAD_TAPS; y++)
            for (int64_t o = 0; o < f->wanted; o++)
                tap[y][o] = f->from[y * filter->y + x * filter->x + o * filter->out];
        winograd_filter(tap, line, size);
        UNROLL
        for (int64_t y = 0; y < inputs; y++)
            rows[y][x] = line[y];
    }
    UNROLL
    for (int64_t y = 0; y < inputs; y++) {
        winograd_filter(rows[y], line, size);
        UNROLL
        for (int64_t x = 0; x < inputs; x++)
            vec_store(f->to + (y * inputs + x) * f->step, line[x]);
    }
}

/* Panels are [plane][input channel][vectors]. */
static void winograd_pack_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct winograd_packing *p = data;
    const struct filter *filter = p->filter;

    (void)member;
    for (int64_t k = begin; k < end; k++) {
        struct panel panel = panel_at(&p->panels, k);
        int64_t width = panel.vecs * LANES;
        float *packed = p->packed + panel.channel * p->in_channels * planes_of(p->size);
        for (int64_t i = 0; i < p->in_channels * panel.vecs; i++) {
            int64_t in = i / panel.vecs, first = i % panel.vecs * LANES;
            const struct in_filter f = {
                .from = (const float *)filter->items + (panel.channel + first) * filter->out +
                        in * filter->in,
                .to = packed + in * width + first,
                .step = p->in_channels * width,
                .wanted = first + LANES < width ? LANES : panel.last,
            };
            if (p->size == 4)
                transform_filter(filter, &f, 4);
            else
                transform_filter(filter, &f, 2);
        }
    }
}

static void winograd_pack(const struct conv *conv, int64_t size, const struct filter *filter,
                          float *packed, struct team *team)
{
    struct winograd_packing p = {.filter = filter,
                                 .panels = panels_of(conv->out_channels),
                                 .size = size,
                                 .in_channels = conv->in_channels};

    assert(filter->items && packed && winograd_fits(conv));
    p.packed = packed;
    team_share(team, p.panels.count, 1, winograd_pack_panels, &p);
}

/* --- input tiles ---------------------------------------------------------------------------- */

struct in_tile {
    const float *at[MOST_PLANES];
    float *to;    /* in the first plane */
    int64_t step; /* from plane to plane */
};

/* LANES channels from `channel` on, of which `wanted` exist; `size` is a constant. */
ALWAYS_INLINE void transform_in(const struct in_tile *tile, int64_t channel, int wanted,
                                const int64_t size)
{
    const int64_t inputs = size + WINOGRAD_TAPS - 1;
    vec rows[WINOGRAD_MOST][WINOGRAD_MOST], line[WINOGRAD_MOST], column[WINOGRAD_MOST];

    UNROLL
    for (int64_t y = 0; y < inputs; y++) {
        UNROLL
        for (int64_t x = 0; x < inputs; x++)
            line[x] = vec_load_some(tile->at[y * inputs + x] + channel, wanted);
        winograd_in(line, rows[y], size);
    }
    UNROLL
    for (int64_t x = 0; x < inputs; x++) {
        UNROLL
        for (int64_t y = 0; y < inputs; y++)
            line[y] = rows[y][x];
        winograd_in(line, column, size);
        UNROLL
        for (int64_t y = 0; y < inputs; y++)
            vec_store(tile->to + (y * inputs + x) * tile->step + channel, column[y]);
    }
}

ALWAYS_INLINE void transform_channels(const struct in_tile *tile, int64_t channels,
                                      const int64_t size)
{
    int64_t channel = 0;

    for (; channel + LANES <= channels; channel += LANES)
        transform_in(tile, channel, LANES, size);
    if (channel < channels)
        transform_in(tile, channel, (int)(channels - channel), size);
}

/* Transform tile `i` of a block; its planes are [tile][channel]. */
static void transform_tile(const struct winograd *w, int64_t block, int64_t i, float *planes)
{
    const struct conv *conv = w->conv;
    struct in_tile tile = {.step = w->block * w->depth};
    const struct tile_index index = tile_at(&w->tiles, block * w->block + i);
    const struct plane place = tile_place(conv, w->size, &index);
    const float *image = w->operands->src + index.image * conv->src.image, **at = tile.at;
    int64_t top = place.y - conv->before.y, left = place.x - conv->before.x;

    assert(w->size == 2 || w->size == 4);
    tile.to = planes + i * w->depth;
    /* The addresses of the inputs; outside the image there are zeros. */
    for (int64_t k = 0; k < w->size + WINOGRAD_TAPS - 1; k++)
        for (int64_t j = 0; j < w->size + WINOGRAD_TAPS - 1; j++) {
            int64_t y = top + k * conv->dilation.y, x = left + j * conv->dilation.x;
            bool inside = y >= 0 && x >= 0 && y < conv->in.y && x < conv->in.x;
            *at++ = inside ? image + y * conv->src.row + x * conv->src.pixel : w->zeros;
        }
    if (w->size == 4)
        transform_channels(&tile, conv->in_channels, 4);
    else
        transform_channels(&tile, conv->in_channels, 2);
}

/* --- output tiles --------------------------------------------------------------------------- */

struct out_tile {
    const struct epilogue *epilogue;
    int64_t at[MOST_OUTPUTS]; /* offset of each output in dst and residual; OUTSIDE */
    const float *from, *bias, *residual;
    float *dst;
    int64_t step; /* from plane to plane */
};

ALWAYS_INLINE void winograd_finish(const struct out_tile *tile, int64_t at, vec sum, int wanted)
{
    const struct epilogue *epilogue = tile->epilogue;

    if (at == OUTSIDE)
        return;
    if (tile->residual)
        sum += vec_load_some(tile->residual + at, wanted);
    if (clamps(epilogue))
        sum = vec_clamp(epilogue, sum);
    vec_store_some(tile->dst + at, sum, wanted);
}

/* The channels of a vector, of which `wanted` exist; `size` is a constant. */
ALWAYS_INLINE void transform_out(const struct out_tile *tile, int wanted, const int64_t size)
{
    const int64_t inputs = size + WINOGRAD_TAPS - 1;
    vec rows[WINOGRAD_MOST][WINOGRAD_MOST], line[WINOGRAD_MOST], column[WINOGRAD_MOST];
    vec bias = tile->bias ? vec_load_some(tile->bias, wanted) : vec_all(0);

    UNROLL
    for (int64_t x = 0; x < inputs; x++) {
        UNROLL
        for (int64_t y = 0; y < inputs; y++)
            line[y] = vec_load(tile->from + (y * inputs + x) * tile->step);
        winograd_out(line, column, size);
        UNROLL
        for (int64_t y = 0; y < size; y++)
            rows[y][x] = column[y];
    }
    UNROLL
    for (int64_t y = 0; y < size; y++) {
        winograd_out(rows[y], line, size);
        UNROLL
        for (int64_t x = 0; x < size; x++)
            winograd_finish(tile, tile->at[y * size + x], line[x] + bias, wanted);
    }
}

ALWAYS_INLINE void transform_vecs(struct out_tile *tile, const struct panel *panel,
                                  const int64_t size)
{
    for (int64_t i = 0; i < panel->vecs; i++) {
        transform_out(tile, i < panel->vecs - 1 ? LANES : panel->last, size);
        tile->from += LANES;
        tile->dst += LANES;
        if (tile->bias)
            tile->bias += LANES;
        if (tile->residual)
            tile->residual += LANES;
    }
}

/* Transform and store a tile; its products with the panel are in planes [tile][channel]. */
static void store_tile(const struct winograd *w, const struct panel *panel, int64_t tile,
                       const float *planes)
{
    const struct conv *conv = w->conv;
    const struct conv_operands *operands = w->operands;
    float *dst = operands->dst + panel->channel;
    const struct tile_index index = tile_at(&w->tiles, tile);
    const struct plane place = tile_place(conv, w->size, &index);
    struct out_tile out = {
        .epilogue = &conv->epilogue,
        .from = planes + tile % w->block * panel->vecs * LANES,
        .bias = operands->bias ? operands->bias + panel->channel : NULL,
        .residual = operands->residual ? operands->residual + panel->channel : NULL,
        .dst = dst,
        .step = w->block * panel->vecs * LANES,
    };
    int64_t count = 0, image = index.image * conv->dst.image;

    for (int64_t i = 0; i < w->size; i++)
        for (int64_t j = 0; j < w->size; j++) {
            int64_t y = place.y + i * conv->dilation.y, x = place.x + j * conv->dilation.x;
            bool inside = y < conv->out.y && x < conv->out.x;
            out.at[count++] = inside ? image + y * conv->dst.row + x * conv->dst.pixel : OUTSIDE;
        }
    if (w->size == 4)
        transform_vecs(&out, panel, 4);
    else
        transform_vecs(&out, panel, 2);
    for (int64_t i = 0; i < count && !epilogue_is_clamp(out.epilogue); i++)
        if (out.at[i] != OUTSIDE)
            KERNEL(activate)
    (out.epilogue, dst + out.at[i], (panel->vecs - 1) * LANES + panel->last);
}

/* --- products ------------------------------------------------------------------------------- */

static int64_t tiles_in(const struct winograd *w, int64_t block)
{
    int64_t rest = w->count - block * w->block;

    return rest < w->block ? rest : w->block;
}

/* Multiply all planes of a block with a panel, and store the tiles. */
static void winograd_compute_panel(const struct winograd *w, int64_t block, int64_t i,
                                   const float *in, float *out)
{
    const int64_t tap = 0;
    struct panel panel = panel_at(&w->panels, i);
    int64_t planes = planes_of(w->size), channels = w->conv->in_channels;
    int64_t count = tiles_in(w, block), width = panel.vecs * LANES;
    struct tile tile = {
        .src = in,
        .weights = w->operands->packed + panel.channel * channels * planes,
        .taps = &tap,
        .tap_count = 1,
        .run = channels,
        .dst = out,
        .in_step = w->depth,
        .out_step = width,
        .weights_end = w->packed_end,
        .vecs = panel.vecs,
        .last = LANES,
    };

    for (int64_t plane = 0; plane < planes; plane++) {
        tile.fetched = 0;
        KERNEL(tile_compute)(&tile, count);
        tile.src += w->block * w->depth;
        tile.weights += channels * width;
        tile.dst += w->block * width;
    }
    for (int64_t t = 0; t < count; t++)
        store_tile(w, &panel, block * w->block + t, out);
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Whole blocks: each member has planes of its own. */
static void compute_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct winograd *w = data;
    float *in = w->in + member * in_volume(w), *out = w->out + member * out_volume(w);

    for (int64_t block = begin; block < end; block++) {
        for (int64_t i = 0; i < tiles_in(w, block); i++)
            transform_tile(w, block, i, in);
        for (int64_t i = 0; i < w->panels.count; i++)
            winograd_compute_panel(w, block, i, in, out);
    }
}

/* If members share planes, all tiles are transformed first ... */
static void transform_tiles(void *data, int64_t begin, int64_t end, int member)
{
    const struct winograd *w = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        transform_tile(w, i / w->block, i % w->block, w->in + i / w->block * in_volume(w));
}

/* ... and then multiplied, panel by panel. */
static void winograd_compute_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct winograd *w = data;

    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / w->panels.count;
        winograd_compute_panel(w, block, i % w->panels.count, w->in + block * in_volume(w),
                               w->out + member * out_volume(w));
    }
}

/* Zeros for pixels outside the image, planes before and after the products. */
static size_t winograd_scratch_size(const struct conv *conv, int64_t size, int members)
{
    struct winograd w = winograd_of(conv, size, members);
    int64_t blocks = w.shares_planes ? blocks_of(&w) : members;

    return (size_t)(w.depth + blocks * in_volume(&w) + members * out_volume(&w)) * sizeof(float);
}

static void winograd_run(const struct conv *conv, int64_t size,
                         const struct conv_operands *operands, struct team *team)
{
    int members = team_size(team);
    struct winograd w = winograd_of(conv, size, members);
    int64_t blocks = blocks_of(&w);

    assert(operands->src && operands->packed && operands->dst && operands->scratch);
    assert(winograd_fits(conv) && conv->in_channels > 0 && w.block > 0);
    w.operands = operands;
    w.packed_end = operands->packed + winograd_packed_size(conv, size) / sizeof(float);
    w.zeros = operands->scratch;
    w.in = w.zeros + w.depth;
    w.out = w.in + (w.shares_planes ? blocks : members) * in_volume(&w);
    memset(w.zeros, 0, (size_t)w.depth * sizeof *w.zeros);
    if (!w.shares_planes) {
        team_share(team, blocks, 1, compute_blocks, &w);
        return;
    }
    team_share(team, w.count, num_divide_up(w.count, 4 * (int64_t)members), transform_tiles, &w);
    team_share(team, blocks * w.panels.count, 1, winograd_compute_panels, &w);
}

/* --- the two sizes -------------------------------------------------------------------------- */

#define DEFINE_WINOGRAD(size)                                                                    \
    static size_t packed_size_##size(const struct conv *conv)                                    \
    {                                                                                            \
        return winograd_packed_size(conv, size);                                                 \
    }                                                                                            \
    static void pack_##size(const struct conv *conv, const struct filter *filter, float *packed, \
                            struct team *team)                                                   \
    {                                                                                            \
        winograd_pack(conv, size, filter, packed, team);                                         \
    }                                                                                            \
    static size_t scratch_size_##size(const struct conv *conv, int members)                      \
    {                                                                                            \
        return winograd_scratch_size(conv, size, members);                                       \
    }                                                                                            \
    static void run_##size(const struct conv *conv, const struct conv_operands *operands,        \
                           struct team *team)                                                    \
    {                                                                                            \
        winograd_run(conv, size, operands, team);                                                \
    }                                                                                            \
    const struct conv_kernel KERNEL(winograd_##size) = {                                         \
        .name = "winograd F(" #size ",3)",                                                       \
        .shortens = true,                                                                        \
        .fits = winograd_fits,                                                                   \
        .packed_size = packed_size_##size,                                                       \
        .pack = pack_##size,                                                                     \
        .scratch_size = scratch_size_##size,                                                     \
        .run = run_##size,                                                                       \
    };
DEFINE_WINOGRAD(2)
DEFINE_WINOGRAD(4)
