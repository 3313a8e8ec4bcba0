/*
 * bytes_winograd.c - convolutions of bytes by 3 x 3 taps with a quarter of the products
 *
 * This is F(4,3) of winograd_line.h in integers, with the points 0, 1, -1, 2, -2, and infinity.
 * Transformed items fit 16 bits.  Inputs are at most 10 * 10 * 255.  Filters are transformed by
 * the rows of G times 12 or 24, whose items are whole: they are at most 12 * 12 * 128.  Results are
 * 576, 288 or 144 times the sum, modulo 2^32.  Each of these factors is 9 times a power of two: 9
 * has an inverse, and a shift divides by the rest.  That is exact if sums without the bias are
 * below BYTE_WINOGRAD_SUMS, for 64 times as much is below 2^31.
 *
 * A tile has 4 x 4 outputs and 6 x 6 inputs.  Each transformed input belongs to a plane of its own.
 * The planes of a block of tiles are multiplied by those of the filters as matrices: tiles by input
 * channels, and input channels by output channels.  They stay in the cache.
 */
#include "kernel/bytes.h"
#include "kernel/bytes_put.h"
#include "kernel/table.h"
#include "kernel/winograd_place.h"

#include <assert.h>

enum { TUPLE = 2 };
typedef int16_t item, weight;
typedef pairs tuples, weights;

#define TUPLES_ALL   pairs_all
#define WEIGHTS_LOAD pairs_load
#define ADD_PRODUCTS pairs_add_products
#include "kernel/bytes_sum.h"

enum {
    SIZE = WINOGRAD_LARGE, /* outputs of a tile along a dimension */
    INPUTS = WINOGRAD_MOST,
    PLANES = INPUTS * INPUTS,
    WIDTH = 2 * LANES, /* items of a vector */
    TAPS = WINOGRAD_TAPS * WINOGRAD_TAPS,
    GATHERED = 8,     /* input channels that are gathered at a time */
    LEAST_TILES = 24, /* of a block, if there are several; a multiple of each unit */
    BLOCK_TILES = 36, /* of a block, about */
};

#define NINTH 0x38e38e39U /* 9 * NINTH = 1 modulo 2^32 */

/* --- lines ---------------------------------------------------------------------------------- */

/* B d: each item is at most 10 times as large. */
ALWAYS_INLINE void line_in(const pairs *d, pairs *out)
{
    const pairs near_even = d[4] - (d[2] << 2), near_odd = d[3] - (d[1] << 2);
    const pairs far_even = d[4] - d[2], difference = d[3] - d[1];
    const pairs far_odd = difference + difference;

    out[0] = ((d[0] - d[2]) << 2) + far_even;
    out[1] = near_even + near_odd;
    out[2] = near_even - near_odd;
    out[3] = far_even + far_odd;
    out[4] = far_even - far_odd;
    out[5] = (d[5] - d[3]) - (far_odd + far_odd);
}

/* G g; each row of G has its own factor: 24, 12, 12, 24, 24, 12.  Each item is at most 12 times
 * as large. */
ALWAYS_INLINE void line_filter(const ints *g, ints *out)
{
    const ints near = g[0] + g[2], far = g[0] + 4 * g[2];

    out[0] = 6 * g[0];
    out[1] = -2 * (near + g[1]);
    out[2] = -2 * (near - g[1]);
    out[3] = far + 2 * g[1];
    out[4] = far - 2 * g[1];
    out[5] = 12 * g[2];
}

/* A m; outputs are 24, 12, 12 and 12 times as large. */
ALWAYS_INLINE void line_out(const bits *m, bits *out)
{
    const bits near_sum = m[1] + m[2], near_difference = m[1] - m[2];
    const bits far_sum = m[3] + m[4], far_difference = m[3] - m[4];

    out[0] = m[0] + (near_sum + near_sum) + far_sum;
    out[1] = near_difference + far_difference;
    out[2] = near_sum + (far_sum + far_sum);
    out[3] = near_difference + (far_difference << 2) + m[5];
}

/* --- the geometry --------------------------------------------------------------------------- */

struct byte_winograd {
    const struct byte_layer *layer;
    const struct byte_operands *operands;
    struct panels panels;
    struct plane tiles;    /* of an image */
    int64_t count, blocks; /* tiles of all images, and their blocks */
    int64_t unit;          /* all blocks but the last one have a multiple of so many tiles */
    int64_t room;          /* for tiles of a block */
    int64_t channels, depth, tuples; /* input channels, in whole vectors; tuples of them */
    enum byte_saturation saturation;
    char *scratch; /* of the members */
};

static int64_t tiles_of(const struct conv *conv)
{
    const struct plane tiles = winograd_tiles(conv, SIZE);

    return conv->batch * tiles.y * tiles.x;
}

/* A single block has all tiles, which must be as many as any panel multiplies at a time. */
static bool fits(const struct conv *conv)
{
    return winograd_fits(conv) && tiles_of(conv) >= PIXELS;
}

/* All members get the same number of blocks if there are enough tiles.  Each of several blocks has
 * at least LEAST_TILES, so at least as many as any panel multiplies at a time. */
static struct byte_winograd winograd_of(const struct conv *conv, int64_t members)
{
    struct byte_winograd w = {.panels = panels_of(conv),
                              .tiles = winograd_tiles(conv, SIZE),
                              .count = tiles_of(conv),
                              .channels = conv->in_channels,
                              .depth = num_divide_up(conv->in_channels, WIDTH) * WIDTH,
                              .tuples = num_divide_up(conv->in_channels, TUPLE)};

    w.unit = tile_pixels((int)panel_vecs(&w.panels, 0));
    w.blocks = num_divide_up(num_divide_up(w.count, BLOCK_TILES), members) * members;
    w.blocks = num_max(num_min(w.blocks, w.count / LEAST_TILES), 1);
    w.room = num_divide_up(num_divide_up(w.count, w.unit), w.blocks) * w.unit;
    return w;
}

/* Bytes of the inputs of a tile, rounded up to the alignment. */
static size_t inputs_size(const struct byte_winograd *w)
{
    return (size_t)num_divide_up(PLANES * w->channels, KERNEL_ALIGNMENT) * KERNEL_ALIGNMENT;
}

/* The inputs of a tile, planes before and after the product with a panel. */
static size_t member_size(const struct byte_winograd *w)
{
    const size_t width = (size_t)panel_vecs(&w->panels, 0) * LANES;

    return inputs_size(w) +
           (size_t)(PLANES * w->room) * ((size_t)w->depth * sizeof(item) + width * sizeof(int32_t));
}

static size_t scratch_size(const struct conv *conv, int members)
{
    const struct byte_winograd w = winograd_of(conv, members);

    return rooms_size(member_size(&w), members);
}

/* --- packing -------------------------------------------------------------------------------- */

/* Items of the planes of a vector of output channels. */
static int64_t vec_items(const struct conv *conv)
{
    return PLANES * num_divide_up(conv->in_channels, TUPLE) * TUPLE * LANES;
}

static size_t packed_size(const struct conv *conv)
{
    return (size_t)(vec_count(conv) * vec_items(conv)) * sizeof(weight);
}

struct packing {
    const struct conv *conv;
    const struct filter *filter;
    weight *packed;
};

/* The filters of a vector of output channels from `channel` on, for GATHERED input channels from
 * `in` on. */
struct tap_block {
    ints at[GATHERED][WINOGRAD_TAPS][WINOGRAD_TAPS]; /* [x][y] */
};

/* Gather the taps of the channels that exist. */
ALWAYS_INLINE void gather_taps(const struct packing *p, int64_t channel, int64_t in,
                               struct tap_block *to, const enum filter_form form)
{
    const struct filter *f = p->filter;
    const int64_t outs = num_min(p->conv->out_channels - channel, LANES);
    const int64_t ins = num_min(p->conv->in_channels - in, GATHERED);

    for (int64_t o = 0; o < outs; o++) {
        const int64_t first = (channel + o) * f->out + in * f->in;
        const int64_t zero = f->zero[(channel + o) * f->zero_step];
        for (int64_t i = 0; i < ins; i++)
            UNROLL
        for (int tap = 0; tap < TAPS; tap++) {
            const int y = tap / WINOGRAD_TAPS, x = tap % WINOGRAD_TAPS;
            const int64_t at = first + i * f->in + y * f->y + x * f->x;
            to->at[i][x][y][o] = (int32_t)(filter_integer(f->items, form, at) - zero);
        }
    }
}

/* Taps of channels that do not exist are 0. */
static void load_taps(const struct packing *p, int64_t channel, int64_t in, struct tap_block *to)
{
    memset(to, 0, sizeof *to);
    if (p->filter->form == FILTER_SIGNED)
        gather_taps(p, channel, in, to, FILTER_SIGNED);
    else
        gather_taps(p, channel, in, to, p->filter->form);
}

/* The transformed filters of a vector of output channels and an input channel. */
static void transform_filter(ints taps[WINOGRAD_TAPS][WINOGRAD_TAPS], ints to[INPUTS][INPUTS])
{
    ints rows[INPUTS][WINOGRAD_TAPS], line[INPUTS];

    for (int x = 0; x < WINOGRAD_TAPS; x++) {
        line_filter(taps[x], line);
        for (int y = 0; y < INPUTS; y++)
            rows[y][x] = line[y];
    }
    for (int y = 0; y < INPUTS; y++)
        line_filter(rows[y], to[y]);
}

/* Pairs of the lowest 16 bits of two vectors; those of `first` come first in memory. */
ALWAYS_INLINE pairs pairs_of(ints first, ints second)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (pairs)((first & UINT16_MAX) | second << 16);
#else
    return (pairs)((second & UINT16_MAX) | first << 16);
#endif
}

/* A vector of a panel: [plane][tuple][vectors of the panel][LANES][TUPLE]. */
static void pack_vec(const struct packing *p, int64_t channel, weight *to, int64_t vecs)
{
    const int64_t count = num_divide_up(p->conv->in_channels, TUPLE);
    const int64_t step = vecs * LANES * TUPLE;
    ints even[INPUTS][INPUTS], odd[INPUTS][INPUTS];
    struct tap_block taps;

    for (int64_t i = 0; i < count; i++) {
        const int64_t in = i * TUPLE % GATHERED;
        if (in == 0)
            load_taps(p, channel, i * TUPLE, &taps);
        transform_filter(taps.at[in], even);
        transform_filter(taps.at[in + 1], odd);
        for (int plane = 0; plane < PLANES; plane++) {
            const int y = plane / INPUTS, x = plane % INPUTS;
            const pairs both = pairs_of(even[y][x], odd[y][x]);
            memcpy(to + (plane * count + i) * step, &both, sizeof both);
        }
    }
}

static void pack_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct packing *p = data;
    const struct panels panels = panels_of(p->conv);

    (void)member;
    for (; begin < end; begin++) {
        const int64_t first = panel_begin(&panels, begin), vecs = panel_vecs(&panels, begin);
        weight *to = p->packed + first * vec_items(p->conv);
        for (int64_t v = 0; v < vecs; v++)
            pack_vec(p, (first + v) * LANES, to + v * LANES * TUPLE, vecs);
    }
}

static void pack(const struct conv *conv, const struct filter *filter,
                 float *packed, /* NOLINT(readability-non-const-parameter) */
                 struct team *team)
{
    struct packing p = {conv, filter, (weight *)(void *)packed};

    team_share(team, panels_of(conv).count, 1, pack_panels, &p);
}

/* --- inputs --------------------------------------------------------------------------------- */

struct in_bytes {
    const uint8_t *from; /* the first input */
    int64_t row, pixel;  /* bytes to the next ones */
    item *to;            /* in the first plane */
    int64_t step, next;  /* from plane to plane, and from tile to tile */
    int32_t zero;
};

/* WIDTH channels from `channel` on, of which `wanted` exist.  The place of the next tile in
 * each plane is prefetched.  Addresses are computed when they are needed: registers cannot hold
 * them all. */
ALWAYS_INLINE void transform_in(const struct in_bytes *tile, int64_t channel, int wanted,
                                const bool is_signed)
{
    const uint8_t *left = tile->from + channel;
    item *to = tile->to + channel;
    pairs rows[INPUTS][INPUTS], line[INPUTS], column[INPUTS];

    UNROLL
    for (int x = 0; x < INPUTS; x++, left += tile->pixel) {
        const uint8_t *from = left;
        UNROLL
        for (int y = 0; y < INPUTS; y++, from += tile->row) {
            HIDE(from);
            line[y] = pairs_of_bytes(from, is_signed, wanted);
        }
        line_in(line, column);
        UNROLL
        for (int y = 0; y < INPUTS; y++)
            rows[y][x] = column[y];
    }
    UNROLL
    for (int y = 0; y < INPUTS; y++) {
        line_in(rows[y], line);
        /* Subtract the zero of the source.  Only row 1 of B does not add up to 0 but to -6. */
        if (y == 1)
            line[1] -= (int16_t)(36 * tile->zero);
        UNROLL
        for (int x = 0; x < INPUTS; x++, to += tile->step) {
            HIDE(to);
            memcpy(to, &line[x], sizeof line[x]);
            __builtin_prefetch(to + tile->next, 1, 3);
        }
    }
}

ALWAYS_INLINE void transform_channels(const struct in_bytes *tile, int64_t channels,
                                      const bool is_signed)
{
    int64_t channel = 0;

    for (; channel + WIDTH <= channels; channel += WIDTH)
        transform_in(tile, channel, WIDTH, is_signed);
    if (channel < channels)
        transform_in(tile, channel, (int)(channels - channel), is_signed);
}

/* Memory of a member: the inputs of a tile [pixel][channel], and planes [tile][channel]. */
struct planes {
    uint8_t *inputs;
    item *in;
    int32_t *out;
};

static struct planes planes_of(const struct byte_winograd *w, int member)
{
    char *all = w->scratch + room_begin(member_size(w), member);
    item *in = (item *)(void *)(all + inputs_size(w));

    return (struct planes){(uint8_t *)all, in,
                           (int32_t *)(void *)(in + PLANES * w->room * w->depth)};
}

/* Copy the inputs of a tile that reaches beyond the image. */
static void copy_inputs(const struct byte_winograd *w, const uint8_t *image, struct plane first,
                        uint8_t *to)
{
    const struct conv *conv = &w->layer->conv;
    const size_t size = (size_t)conv->in_channels;

    for (int64_t k = 0; k < INPUTS; k++)
        for (int64_t j = 0; j < INPUTS; j++, to += size) {
            const int64_t y = first.y + k * conv->dilation.y, x = first.x + j * conv->dilation.x;
            if (y >= 0 && x >= 0 && y < conv->in.y && x < conv->in.x)
                memcpy(to, image + y * conv->src.row + x * conv->src.pixel, size);
            else
                memset(to, w->layer->src.zero, size);
        }
}

/* Does a dimension of the image have all inputs from `first` on? */
static bool has_inputs(int64_t first, int64_t dilation, int64_t extent)
{
    return first >= 0 && first + (INPUTS - 1) * dilation < extent;
}

/* Transform the inputs of a tile as tile `i` of the planes. */
static void transform_tile(const struct byte_winograd *w, const struct tile_index *index,
                           const struct planes *planes, int64_t i)
{
    const struct conv *conv = &w->layer->conv;
    const struct plane place = tile_place(conv, SIZE, index), *step = &conv->dilation;
    const struct plane first = {place.y - conv->before.y, place.x - conv->before.x};
    const uint8_t *image = (const uint8_t *)w->operands->src + index->image * conv->src.image;
    struct in_bytes tile = {.row = step->y * conv->src.row,
                            .pixel = step->x * conv->src.pixel,
                            .to = planes->in + i * w->depth,
                            .step = w->room * w->depth,
                            .next = w->depth,
                            .zero = w->layer->src.zero};

    if (has_inputs(first.y, step->y, conv->in.y) && has_inputs(first.x, step->x, conv->in.x)) {
        tile.from = image + first.y * conv->src.row + first.x * conv->src.pixel;
    } else {
        copy_inputs(w, image, first, planes->inputs);
        tile.from = planes->inputs;
        tile.pixel = conv->in_channels;
        tile.row = INPUTS * tile.pixel;
    }
    if (w->layer->src.is_signed)
        transform_channels(&tile, conv->in_channels, true);
    else
        transform_channels(&tile, conv->in_channels, false);
}

/* --- products ------------------------------------------------------------------------------- */

/* A plane of a block of tiles, and a panel.  A tile takes the place of a pixel of bytes_sum.h. */
struct plane_product {
    const item *src;
    const weight *weights;
    int32_t *dst;
    int64_t tuples, step; /* step: items from tile to tile of src */
    int64_t count;        /* tiles */
    const char *ahead;    /* the weights of the next product */
};

/* Multiply some tiles, a constant number, from `first` on, and prefetch a part of the next weights.
 */
ALWAYS_INLINE void multiply_tiles(const struct plane_product *p, int64_t first, const int pixels,
                                  const int vecs)
{
    const int64_t width = (int64_t)vecs * LANES, lines = (int64_t)vecs * LINE;
    const int64_t step = lines / num_divide_up(p->count, pixels) + 1;
    const char *ahead = p->ahead + first / pixels * p->tuples * step;
    const item *src[PIXELS];
    const weight *from = p->weights;
    int32_t *to = p->dst + first * width;
    ints sum[PIXELS][PANEL_VECS];

    UNROLL
    for (int i = 0; i < pixels; i++) {
        src[i] = p->src + (first + i) * p->step;
        UNROLL
        for (int v = 0; v < vecs; v++)
            sum[i][v] = ints_all(0);
    }
    for (int64_t k = 0; k < p->tuples; k++, from += width * TUPLE) {
        ahead = fetch(ahead, step, vecs);
        add_tuple(sum, src, from, pixels, vecs);
    }
    UNROLL
    for (int i = 0; i < pixels; i++)
        UNROLL
    for (int v = 0; v < vecs; v++, to += LANES)
        memcpy(to, &sum[i][v], sizeof sum[i][v]);
}

/* All tiles; the last ones may be computed twice. */
ALWAYS_INLINE void multiply_all(const struct plane_product *p, const int vecs)
{
    const int pixels = tile_pixels(vecs);

    assert(p->count >= pixels);
    for (int64_t i = 0; i < p->count; i += pixels)
        multiply_tiles(p, num_min(i, p->count - pixels), pixels, vecs);
}

static void multiply(const struct plane_product *p, int64_t vecs)
{
    if (vecs == 1)
        multiply_all(p, 1);
    else if (vecs == 2)
        multiply_all(p, 2);
#if LANES == 16
    else if (vecs == 3)
        multiply_all(p, 3);
    else
        multiply_all(p, 4);
#endif
}

/* --- results -------------------------------------------------------------------------------- */

/* A panel: its first vector, and the number of its vectors. */
struct out_panel {
    int64_t begin, vecs;
    int64_t step; /* items from plane to plane of its products */
    int count;    /* channels that exist */
};

static struct out_panel panel_of(const struct byte_winograd *w, int64_t index)
{
    const int64_t begin = panel_begin(&w->panels, index), vecs = panel_vecs(&w->panels, index);
    const int64_t left = w->layer->conv.out_channels - begin * LANES;

    return (struct out_panel){begin, vecs, w->room * vecs * LANES,
                              (int)num_min(left, vecs * LANES)};
}

/* Sums and bias of a vector of channels whose planes are `step` items apart.  The planes of the
 * next tile, `next` items behind, are prefetched. */
ALWAYS_INLINE void transform_out(const int32_t *from, int64_t step, int64_t next, ints bias,
                                 ints *sums)
{
    bits rows[SIZE][INPUTS], line[INPUTS], column[SIZE];

    UNROLL
    for (int x = 0; x < INPUTS; x++, from += step) {
        const int32_t *at = from;
        UNROLL
        for (int y = 0; y < INPUTS; y++, at += INPUTS * step) {
            HIDE(at);
            line[y] = (bits)ints_load(at);
            __builtin_prefetch(at + next);
        }
        line_out(line, column);
        UNROLL
        for (int y = 0; y < SIZE; y++)
            rows[y][x] = column[y];
    }
    UNROLL
    for (int y = 0; y < SIZE; y++) {
        line_out(rows[y], line);
        UNROLL
        for (int x = 0; x < SIZE; x++)
            sums[(ptrdiff_t)(y * SIZE + x) * PANEL_VECS] =
                ((ints)(line[x] * NINTH) >> (4 + (y == 0) + (x == 0))) + bias;
    }
}

/* Store the outputs of a tile that exist.  Loops keep what they need in variables (bytes_put.h).
 * The number of vectors and the saturation in `row` are constants. */
ALWAYS_INLINE void put_tile(const struct byte_winograd *w, const ints *sums,
                            const struct tile_index *index, const struct byte_row row)
{
    const struct conv *conv = &w->layer->conv;
    const struct plane first = tile_place(conv, SIZE, index), step = conv->dilation;
    const struct plane out = conv->out;
    const int64_t down = step.y * conv->dst.row, right = step.x * conv->dst.pixel;
    const struct byte_sink sink = sink_of(w->layer, w->operands);
    int64_t left = index->image * conv->dst.image + first.y * conv->dst.row +
                   first.x * conv->dst.pixel + row.padded;

    for (int64_t y = first.y, i = 0; i < SIZE && y < out.y; i++, y += step.y, left += down) {
        const ints *from = sums + i * SIZE * PANEL_VECS;
        int64_t at = left;
        for (int64_t x = first.x, j = 0; j < SIZE && x < out.x; j++, x += step.x) {
            if (sink.result == RESULT_BYTES)
                put_bytes(&sink, from, at, row);
            else
                put_row(&sink, from, at, row);
            from += PANEL_VECS;
            at += right;
        }
    }
}

ALWAYS_INLINE void put_vecs(const struct byte_winograd *w, const ints *sums,
                            const struct tile_index *index, const struct out_panel *panel,
                            const int vecs)
{
    const int64_t channel = panel->begin * LANES;

    if (HAS_SATURATION && w->saturation == SATURATED_AT_ZERO)
        put_tile(w, sums, index, (struct byte_row){channel, panel->count, vecs, SATURATED_AT_ZERO});
    else if (HAS_SATURATION && w->saturation == SATURATED)
        put_tile(w, sums, index, (struct byte_row){channel, panel->count, vecs, SATURATED});
    else
        put_tile(w, sums, index, (struct byte_row){channel, panel->count, vecs, UNSATURATED});
}

/* Transform and store tile `i` of a block. */
static void store_tile(const struct byte_winograd *w, const struct planes *planes, int64_t i,
                       const struct tile_index *index, const struct out_panel *panel)
{
    const int64_t vecs = panel->vecs, channel = panel->begin * LANES;
    const int32_t *from = planes->out + i * vecs * LANES;
    ints sums[SIZE * SIZE * PANEL_VECS];

    for (int64_t v = 0; v < vecs; v++)
        transform_out(from + v * LANES, panel->step, vecs * LANES,
                      ints_load(w->operands->bias + channel + v * LANES), sums + v);
    if (vecs == 1)
        put_vecs(w, sums, index, panel, 1);
    else if (vecs == 2)
        put_vecs(w, sums, index, panel, 2);
#if LANES == 16
    else if (vecs == 3)
        put_vecs(w, sums, index, panel, 3);
    else
        put_vecs(w, sums, index, panel, 4);
#endif
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Multiply all planes of so many tiles by a panel.  With the last plane of the last panel, the
 * first weights are prefetched for the next block. */
static void multiply_planes(const struct byte_winograd *w, const struct planes *planes,
                            int64_t count, const struct out_panel *panel)
{
    const weight *packed = w->operands->packed;
    const weight *end = packed + vec_count(&w->layer->conv) * vec_items(&w->layer->conv);
    struct plane_product p = {.src = planes->in,
                              .weights = packed + panel->begin * vec_items(&w->layer->conv),
                              .dst = planes->out,
                              .tuples = w->tuples,
                              .step = w->depth,
                              .count = count};

    for (int plane = 0; plane < PLANES; plane++) {
        const weight *next = p.weights + w->tuples * panel->vecs * LANES * TUPLE;
        p.ahead = (const char *)(next < end ? next : packed);
        multiply(&p, panel->vecs);
        p.src += w->room * w->depth;
        p.weights = next;
        p.dst += panel->step;
    }
}

/* The first tile of a block. */
static int64_t block_begin(const struct byte_winograd *w, int64_t block)
{
    const int64_t units = num_divide_up(w->count, w->unit);

    return num_min(units * block / w->blocks * w->unit, w->count);
}

static void do_block(const struct byte_winograd *w, const struct planes *planes, int64_t block)
{
    const int64_t first = block_begin(w, block), count = block_begin(w, block + 1) - first;
    struct tile_index index = tile_at(&w->tiles, first);

    for (int64_t i = 0; i < count; i++, tile_next(&w->tiles, &index))
        transform_tile(w, &index, planes, i);
    for (int64_t p = 0; p < w->panels.count; p++) {
        const struct out_panel panel = panel_of(w, p);
        multiply_planes(w, planes, count, &panel);
        index = tile_at(&w->tiles, first);
        for (int64_t i = 0; i < count; i++, tile_next(&w->tiles, &index))
            store_tile(w, planes, i, &index, &panel);
    }
}

static void do_blocks(void *data, int64_t begin, int64_t end, int member)
{
    const struct byte_winograd *w = data;
    const struct planes planes = planes_of(w, member);

    for (; begin < end; begin++)
        do_block(w, &planes, begin);
}

void BYTE_KERNEL(run_byte_winograd)(const struct byte_layer *layer,
                                    const struct byte_operands *operands, struct team *team)
{
    struct byte_winograd w = winograd_of(&layer->conv, team_size(team));

    assert(fits(&layer->conv) && !layer->src.wide);
    w.layer = layer;
    w.operands = operands;
    w.saturation = saturation_of(layer, operands->factor,
                                 num_divide_up(layer->conv.out_channels, BYTE_PANEL) * BYTE_PANEL);
    w.scratch = operands->scratch;
    team_share(team, w.blocks, 1, do_blocks, &w);
}

const struct conv_kernel BYTE_KERNEL(byte_winograd) = {
    .name = "winograd F(4,3), pairs of bytes",
    .shortens = true,
    .fits = fits,
    .packed_size = packed_size,
    .pack = pack,
    .scratch_size = scratch_size,
};
