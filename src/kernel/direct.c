/*
 * direct.c - convolution as products of tiles and panels, of any geometry
 *
 * Pixels are done in blocks whose source stays in the cache while all panels meet it.  The products
 * of an output are summed in chunks: the weights of one stay in the cache while the tiles of a
 * block meet them, and those of the next are fetched meanwhile.  What is summed so far is in dst.
 */
#include "kernel/panel.h"
#include "kernel/table.h"
#include "kernel/transpose.h"

#include <assert.h>

enum {
    BLOCK_BYTES = 256 << 10, /* of the source */
    CHUNK_DEPTH = 256,
    DEEP = 128, /* deeper sums are taken in two chunks at least: they lose fewer digits */
    RUN = 64,   /* items of a filter that are packed at once */
};

/* Taps of a filter whose items follow each other are one run. */
struct runs {
    int64_t count, length;
};

struct direct {
    const struct conv *conv;
    const struct conv_operands *operands;
    const float *src; /* the first tap of output [0, 0] */
    struct steps steps;
    struct runs runs;
    int64_t *taps;
    struct panels panels; /* of a group */
    const float *packed_end;
    struct plane lines; /* results of an image, as lines of pixels that are alike */
    int64_t pixels, block, blocks;
};

/* --- geometry ------------------------------------------------------------------------------- */

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t group_in(const struct conv *conv)
{
    return conv->in_channels / conv->groups;
}

static struct panels group_panels(const struct conv *conv)
{
    return panels_of(conv->out_channels / conv->groups);
}

static int64_t depth_of(const struct conv *conv)
{
    return group_in(conv) * conv->kernel.y * conv->kernel.x;
}

static bool direct_fits(const struct conv *conv)
{
    (void)conv;
    return true;
}

static size_t direct_packed_size(const struct conv *conv)
{
    struct panels panels = group_panels(conv);

    return (size_t)(conv->groups * panels_volume(&panels, depth_of(conv))) * sizeof(float);
}

/* --- packing -------------------------------------------------------------------------------- */

struct direct_packing {
    const struct conv *conv;
    const struct filter *filter;
    struct panels panels;
    float *packed;
};

/* Neighbouring input channels of a group, of which filters of NNEF have lines of the cache. */
struct direct_part {
    int64_t begin, end;
};

/* A tap of these, for all output channels of a panel; what is behind the last channel is 0. */
static void pack_tap(const struct direct_packing *p, const struct panel *panel,
                     const struct direct_part *in, const float *from, float *to)
{
    int64_t width = panel->vecs * LANES, wanted = width - LANES + panel->last;
    const struct filter *filter = p->filter;

    for (int64_t i = in->begin; i < in->end && wanted < width; i++)
        memset(to + i * width + wanted, 0, (size_t)(width - wanted) * sizeof *to);
    if (filter->out == 1) {
        for (int64_t i = in->begin; i < in->end; i++)
            memcpy(to + i * width, from + i * filter->in, (size_t)wanted * sizeof *to);
        return;
    }
    for (int64_t o = 0; o < wanted; o++)
        for (int64_t i = in->begin; i < in->end; i++)
            to[i * width + o] = from[i * filter->in + o * filter->out];
}

/* Do the items of an output channel lie as those of filter_dense()? */
static bool is_dense(const struct direct_packing *p)
{
    const struct plane *kernel = &p->conv->kernel;
    const struct filter *filter = p->filter;

    return filter->out > 1 && filter->in == kernel->y * kernel->x &&
           (kernel->x == 1 || filter->x == 1) && (kernel->y == 1 || filter->y == kernel->x);
}

/* Neighbouring items of LANES output channels, `wanted` of which are there: item `at` of one is
 * that of tap at % taps and input channel at / taps. */
struct square {
    int64_t at;
    int count, wanted;
};

/* To the first item of the vector in the panel. */
static void pack_square(const struct direct_packing *p, const struct square *square,
                        const float *from, int64_t width, float *to)
{
    int64_t taps = p->filter->in, step = group_in(p->conv) * width;
    int64_t tap = square->at % taps;
    vec row[LANES];

    vec_load_square(from, p->filter->out, square->wanted, square->count, row);
    vec_transpose(row);
    to += tap * step + square->at / taps * width;
    for (int i = 0; i < square->count; i++) {
        vec_store(to, row[i]);
        to += step;
        if (++tap == taps) {
            tap = 0;
            to += width - taps * step;
        }
    }
}

static void pack_dense(const struct direct_packing *p, const struct panel *panel, const float *from,
                       float *to)
{
    int64_t depth = depth_of(p->conv), width = panel->vecs * LANES;

    for (int64_t run = 0; run < depth; run += RUN)
        for (int64_t v = 0; v < panel->vecs; v++)
            for (int64_t at = run; at < at_most(run + RUN, depth); at += LANES) {
                const struct square square = {.at = at,
                                              .count = (int)at_most(LANES, depth - at),
                                              .wanted = v + 1 < panel->vecs ? LANES : panel->last};
                pack_square(p, &square, from + v * LANES * p->filter->out + at, width,
                            to + v * LANES);
            }
}

static void direct_pack_panel(const struct direct_packing *p, int64_t group, int64_t i)
{
    const struct filter *filter = p->filter;
    const struct plane *kernel = &p->conv->kernel;
    struct panel panel = panel_at(&p->panels, i);
    int64_t depth = depth_of(p->conv), channels = group_in(p->conv);
    const float *from = filter->items + group * filter->group + panel.channel * filter->out;
    float *to = p->packed + group * panels_volume(&p->panels, depth) + panel.channel * depth;

    if (is_dense(p)) {
        pack_dense(p, &panel, from, to);
        return;
    }
    for (struct direct_part in = {0, 0}; in.begin < channels; in.begin = in.end) {
        in.end = at_most(in.begin + LINE, channels);
        for (int64_t tap = 0; tap < kernel->y * kernel->x; tap++)
            pack_tap(p, &panel, &in,
                     from + tap / kernel->x * filter->y + tap % kernel->x * filter->x,
                     to + tap * channels * panel.vecs * LANES);
    }
}

static void direct_pack_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct direct_packing *p = data;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        direct_pack_panel(p, i / p->panels.count, i % p->panels.count);
}

static void direct_pack(const struct conv *conv, const struct filter *filter, float *packed,
                        struct team *team)
{
    struct direct_packing p = {.conv = conv, .filter = filter, .panels = group_panels(conv)};

    assert(direct_fits(conv));
    p.packed = packed;
    team_share(team, conv->groups * p.panels.count, 1, direct_pack_panels, &p);
}

/* --- source --------------------------------------------------------------------------------- */

/* Bytes of the table of taps, so that what follows it is aligned. */
static size_t taps_size(const struct conv *conv)
{
    size_t size = (size_t)(conv->kernel.y * conv->kernel.x) * sizeof(int64_t);

    return (size + KERNEL_ALIGNMENT - 1) / KERNEL_ALIGNMENT * KERNEL_ALIGNMENT;
}

static size_t direct_scratch_size(const struct conv *conv, int members)
{
    struct plane extents = KERNEL(border_extents)(conv);
    size_t size = taps_size(conv);

    (void)members;
    if (KERNEL(border_is_reached)(conv))
        size += (size_t)(conv->batch * extents.y * extents.x * conv->in_channels) * sizeof(float);
    return size;
}

static void set_source(struct direct *d, struct team *team)
{
    const struct conv *conv = d->conv;

    d->src = d->operands->src - conv->before.y * conv->src.row - conv->before.x * conv->src.pixel;
    d->steps = conv->src;
    if (!KERNEL(border_is_reached)(conv))
        return;
    float *copy = (void *)((char *)d->operands->scratch + taps_size(conv));
    KERNEL(border_copy)(conv, d->operands->src, copy, team);
    d->src = copy;
    d->steps = steps_dense(conv->in_channels, KERNEL(border_extents)(conv));
}

static void set_taps(struct direct *d)
{
    const struct conv *conv = d->conv;
    bool dense = d->steps.pixel == group_in(conv) && conv->dilation.x == 1;
    int64_t per_row = dense ? 1 : conv->kernel.x;

    d->taps = d->operands->scratch;
    d->runs = (struct runs){conv->kernel.y * per_row, depth_of(conv) / conv->kernel.y / per_row};
    for (int64_t i = 0; i < d->runs.count; i++)
        d->taps[i] = i / per_row * conv->dilation.y * d->steps.row +
                     i % per_row * conv->dilation.x * d->steps.pixel;
}

/* Rows that follow each other in the source and in the results are one line. */
static void set_lines(struct direct *d)
{
    const struct conv *conv = d->conv;
    const struct steps *src = &d->steps, *dst = &conv->dst;
    int64_t width = conv->out.x;

    d->lines = conv->out;
    if (conv->stride.y * src->row != width * conv->stride.x * src->pixel ||
        dst->row != width * dst->pixel)
        return;
    d->lines = (struct plane){1, conv->out.y * width};
}

/* --- blocks --------------------------------------------------------------------------------- */

/* Items of the source that are new to a pixel's window. */
static int64_t items_per_pixel(const struct conv *conv)
{
    const struct plane *kernel = &conv->kernel, *stride = &conv->stride;

    return group_in(conv) * at_most(kernel->y, stride->y) * at_most(kernel->x, stride->x);
}

/* Blocks are at least some tiles large, and there are enough for all members. */
static void set_blocks(struct direct *d, int64_t members)
{
    const struct conv *conv = d->conv;
    int64_t rows = KERNEL(tile_rows)(PANEL_VECS), panels = conv->groups * d->panels.count;
    int64_t most = at_least(BLOCK_BYTES / (int64_t)sizeof(float) / items_per_pixel(conv), 4 * rows);

    d->pixels = conv->batch * conv->out.y * conv->out.x;
    d->blocks = quotient_up(d->pixels, most);
    if (members > 1 && d->blocks * panels < 3 * members)
        d->blocks = quotient_up(3 * members, panels);
    d->block = quotient_up(quotient_up(d->pixels, d->blocks), rows) * rows;
    d->blocks = quotient_up(d->pixels, d->block);
}

/* --- tiles ---------------------------------------------------------------------------------- */

/* Pixels of a block, line by line. */
static void compute_lines(const struct direct *d, const struct tile *tile, int64_t begin,
                          int64_t end)
{
    const struct conv *conv = d->conv;
    struct tile line = *tile;

    for (int64_t pixel = begin, next; pixel < end; pixel = next) {
        int64_t row = pixel / d->lines.x, x = pixel % d->lines.x;
        int64_t image = row / d->lines.y, y = row % d->lines.y;
        int64_t in = image * d->steps.image + y * conv->stride.y * d->steps.row + x * line.in_step;
        int64_t out = image * conv->dst.image + y * conv->dst.row + x * conv->dst.pixel;

        next = at_most(end, (row + 1) * d->lines.x);
        line.src = tile->src + in;
        line.dst = tile->dst + out;
        line.residual = tile->residual ? tile->residual + out : NULL;
        KERNEL(tile_compute)(&line, next - pixel);
    }
}

/* However many pixels there are, so that nothing but the depth decides in which order products are
 * summed. */
static int64_t chunks_of(int64_t depth)
{
    int64_t chunks = quotient_up(depth, CHUNK_DEPTH);

    return depth > DEEP ? at_least(chunks, 2) : chunks;
}

/* The part of each run that a chunk has; chunks of short runs have several of them. */
static struct runs chunk_of(const struct direct *d)
{
    struct runs all = d->runs;
    int64_t pieces = chunks_of(all.length), chunks = chunks_of(all.count * all.length);

    if (chunks == 1)
        return all;
    if (pieces > 1)
        return (struct runs){1, quotient_up(all.length, pieces)};
    return (struct runs){quotient_up(all.count, chunks), all.length};
}

static void compute_chunks(const struct direct *d, struct tile *tile, int64_t begin, int64_t end)
{
    struct runs chunk = chunk_of(d), all = d->runs;
    const float *src = tile->src;

    for (int64_t tap = 0; tap < all.count; tap += chunk.count)
        for (int64_t item = 0; item < all.length; item += chunk.length) {
            bool last = tap + chunk.count >= all.count && item + chunk.length >= all.length;

            tile->src = src + item;
            tile->taps = d->taps + tap;
            tile->tap_count = at_most(chunk.count, all.count - tap);
            tile->run = at_most(chunk.length, all.length - item);
            tile->epilogue = last ? &d->conv->epilogue : NULL;
            compute_lines(d, tile, begin, end);
            tile->weights += tile->tap_count * tile->run * tile->vecs * LANES;
            tile->more = true;
        }
}

/* --- the whole ------------------------------------------------------------------------------ */

static void direct_compute_panel(const struct direct *d, int64_t block, int64_t group, int64_t i)
{
    const struct conv_operands *operands = d->operands;
    struct panel panel = panel_at(&d->panels, i);
    int64_t channel = group * d->panels.channels + panel.channel, depth = depth_of(d->conv);
    struct tile tile = {
        .src = d->src + group * group_in(d->conv),
        .weights =
            operands->packed + group * panels_volume(&d->panels, depth) + panel.channel * depth,
        .bias = operands->bias ? operands->bias + channel : NULL,
        .residual = operands->residual ? operands->residual + channel : NULL,
        .dst = operands->dst + channel,
        .in_step = d->conv->stride.x * d->steps.pixel,
        .out_step = d->conv->dst.pixel,
        .residual_step = d->conv->dst.pixel,
        .weights_end = d->packed_end,
        .vecs = panel.vecs,
        .last = panel.last,
    };

    compute_chunks(d, &tile, block * d->block, at_most((block + 1) * d->block, d->pixels));
}

static void direct_compute_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct direct *d = data;
    int64_t panels = d->panels.count, groups = d->conv->groups;

    (void)member;
    for (int64_t i = begin; i < end; i++)
        direct_compute_panel(d, i / panels / groups, i / panels % groups, i % panels);
}

static void direct_run(const struct conv *conv, const struct conv_operands *operands,
                       struct team *team)
{
    struct direct d = {.conv = conv, .operands = operands, .panels = group_panels(conv)};
    int64_t members = team_size(team);

    assert(direct_fits(conv));
    d.packed_end = operands->packed + direct_packed_size(conv) / sizeof(float);
    set_source(&d, team);
    set_taps(&d);
    set_lines(&d);
    set_blocks(&d, members);
    int64_t count = d.blocks * conv->groups * d.panels.count;
    team_share(team, count, at_least(count / (4 * members), 1), direct_compute_panels, &d);
}

const struct conv_kernel KERNEL(direct) = {
    .name = "direct",
    .fits = direct_fits,
    .packed_size = direct_packed_size,
    .pack = direct_pack,
    .scratch_size = direct_scratch_size,
    .run = direct_run,
};
