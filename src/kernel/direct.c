/*
 * direct.c - convolution as products of tiles and panels, of any geometry
 *
 * The source of a block of pixels stays in the cache while all panels meet it.  The products of an
 * output are summed in chunks: the weights of a chunk stay in the cache while the tiles of a block
 * meet them, and those of the next one are fetched meanwhile.  dst holds the sums so far.
 */
#include "base/num.h"
#include "kernel/panel.h"
#include "kernel/table.h"
#include "kernel/transpose.h"

#include <assert.h>

enum {
    BLOCK_BYTES = 256 << 10,              /* of the source */
    CHUNK_DEPTH = LANES < 16 ? 256 : 128, /* 16 or 32 KiB of a panel */
    DEEP = 128, /* deeper sums are taken in two chunks at least: they lose fewer digits */
    RUN = 64,   /* items of a filter that are packed at once */
};

/* Taps of a filter are one run if their items follow each other in the source. */
struct runs {
    int64_t count, length;
};

/* A run of the algorithm, shared among members by blocks and panels. */
struct direct {
    const struct conv *conv;
    const struct conv_operands *operands;
    const float *src; /* the first tap of output [0, 0] */
    struct steps steps;
    struct runs runs;
    int64_t *taps;
    struct panels panels; /* of a group */
    const float *packed_end;
    struct plane lines; /* an image of results, as lines of pixels at the same distance */
    int64_t pixels, block, blocks;
};

/* --- geometry ------------------------------------------------------------------------------- */

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

size_t KERNEL(direct_packed_size)(const struct conv *conv)
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

/* Neighbouring input channels of a group: a line of the cache of them, if the items of an output
 * channel may follow each other. */
struct direct_part {
    int64_t begin, end;
};

/* Neighbouring items for all output channels of a panel; zeros behind the last one. */
static void pack_row(const struct panel *panel, const float *from, float *to)
{
    int64_t last = (panel->vecs - 1) * LANES;

    for (int64_t j = 0; j < last; j += LANES)
        vec_store(to + j, vec_load(from + j));
    vec_store(to + last, vec_load_some(from + last, panel->last));
}

/* A tap of some input channels, for all output channels of a panel; zeros behind the last one. */
static void pack_tap(const struct direct_packing *p, const struct panel *panel,
                     const struct direct_part *in, const float *from, float *to)
{
    int64_t width = panel->vecs * LANES, wanted = width - LANES + panel->last;
    const struct filter *filter = p->filter;

    if (filter->out == 1) {
        for (int64_t i = in->begin; i < in->end; i++)
            pack_row(panel, from + i * filter->in, to + i * width);
        return;
    }
    for (int64_t o = 0; o < width; o++)
        for (int64_t i = in->begin; i < in->end; i++)
            to[i * width + o] = o < wanted ? from[i * filter->in + o * filter->out] : 0;
}

/* Neighbouring items of LANES output channels, of which `wanted` exist.  Item `at` of a channel
 * belongs to tap at % taps and input channel at / taps. */
struct square {
    int64_t at, width; /* width: of the panel */
    int count, wanted;
};

/* To the first item of the vector in the panel.  `taps` is a constant where this is expanded for 1:
 * most squares are those of matrices, and need no quotients. */
ALWAYS_INLINE void pack_square(const struct direct_packing *p, const struct square *square,
                               const float *from, float *to, const int64_t taps)
{
    int64_t width = square->width, step = group_in(p->conv) * width;
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

/* A panel of a filter in NNEF's order: squares of LANES channels by LANES items are transposed in
 * registers, in runs that stay in the cache. */
static void pack_dense(const struct direct_packing *p, const struct panel *panel, const float *from,
                       float *to)
{
    int64_t depth = depth_of(p->conv);

    for (int64_t run = 0; run < depth; run += RUN)
        for (int64_t v = 0; v < panel->vecs; v++)
            for (int64_t at = run; at < num_min(run + RUN, depth); at += LANES) {
                const struct square square = {.at = at,
                                              .width = panel->vecs * LANES,
                                              .count = (int)num_min(LANES, depth - at),
                                              .wanted = v + 1 < panel->vecs ? LANES : panel->last};
                const float *first = from + v * LANES * p->filter->out + at;
                if (p->filter->in == 1)
                    pack_square(p, &square, first, to + v * LANES, 1);
                else
                    pack_square(p, &square, first, to + v * LANES, p->filter->in);
            }
}

static void direct_pack_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct direct_packing *p = data;
    const struct filter *filter = p->filter;
    const struct plane *kernel = &p->conv->kernel;
    int64_t depth = depth_of(p->conv), channels = group_in(p->conv);

    /* Do the items of an output channel lie as those of filter_dense()? */
    bool dense = filter->out > 1 && filter->in == kernel->y * kernel->x &&
                 (kernel->x == 1 || filter->x == 1) && (kernel->y == 1 || filter->y == kernel->x);

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        int64_t group = i / p->panels.count;
        struct panel panel = panel_at(&p->panels, i % p->panels.count);
        const float *from =
            (const float *)filter->items + group * filter->group + panel.channel * filter->out;
        float *to = p->packed + group * panels_volume(&p->panels, depth) + panel.channel * depth;
        if (dense) {
            pack_dense(p, &panel, from, to);
            continue;
        }
        for (struct direct_part in = {0, 0}; in.begin < channels; in.begin = in.end) {
            in.end = filter->out == 1 ? channels : num_min(in.begin + LINE, channels);
            for (int64_t tap = 0; tap < kernel->y * kernel->x; tap++)
                pack_tap(p, &panel, &in,
                         from + tap / kernel->x * filter->y + tap % kernel->x * filter->x,
                         to + tap * channels * panel.vecs * LANES);
        }
    }
}

static void direct_pack(const struct conv *conv, const struct filter *filter, float *packed,
                        struct team *team)
{
    struct direct_packing p = {.conv = conv, .filter = filter, .panels = group_panels(conv)};

    assert(filter->items && packed);
    p.packed = packed;
    assert(conv->in_channels % conv->groups == 0 && conv->out_channels % conv->groups == 0);
    team_share(team, conv->groups * p.panels.count, 1, direct_pack_panels, &p);
}

/* --- source --------------------------------------------------------------------------------- */

/* Bytes of the table of taps; the data behind it is aligned. */
static size_t taps_size(const struct conv *conv)
{
    return num_round_up((size_t)(conv->kernel.y * conv->kernel.x) * sizeof(int64_t),
                        KERNEL_ALIGNMENT);
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
    struct steps *steps = &d->steps;

    /* The image itself, or a copy with zeros around it. */
    d->src = d->operands->src - conv->before.y * conv->src.row - conv->before.x * conv->src.pixel;
    *steps = conv->src;
    if (KERNEL(border_is_reached)(conv)) {
        float *copy = (void *)((char *)d->operands->scratch + taps_size(conv));
        KERNEL(border_copy)(conv, d->operands->src, copy, team);
        d->src = copy;
        *steps = steps_dense(conv->in_channels, KERNEL(border_extents)(conv));
    }

    /* A row of taps is one run if pixels follow each other. */
    bool dense = steps->pixel == group_in(conv) && conv->dilation.x == 1;
    int64_t per_row = dense ? 1 : conv->kernel.x;
    d->taps = d->operands->scratch;
    d->runs = (struct runs){conv->kernel.y * per_row, depth_of(conv) / conv->kernel.y / per_row};
    for (int64_t i = 0; i < d->runs.count; i++)
        d->taps[i] = i / per_row * conv->dilation.y * steps->row +
                     i % per_row * conv->dilation.x * steps->pixel;

    /* Rows are one line if they follow each other, in the source and in the results. */
    int64_t width = conv->out.x;
    bool joined = conv->stride.y * steps->row == width * conv->stride.x * steps->pixel &&
                  conv->dst.row == width * conv->dst.pixel;
    d->lines = joined ? (struct plane){1, conv->out.y * width} : conv->out;
}

/* --- tiles ---------------------------------------------------------------------------------- */

/* The number of chunks depends on the depth alone, so that the order of sums does, too. */
static int64_t chunks_of(int64_t depth)
{
    int64_t chunks = num_divide_up(depth, CHUNK_DEPTH);

    return depth > DEEP ? num_max(chunks, 2) : chunks;
}

/* Behind the last weights come those of the next product: as many as the chunk has. */
static void fetch_next(const struct direct *d, struct tile *chunk)
{
    int64_t volume = chunk->tap_count * chunk->run * chunk->vecs * LANES;

    if (chunk->weights + volume < d->packed_end)
        return;
    chunk->next = d->operands->next;
    chunk->next_items = num_min(d->operands->next_items, volume);
}

/* Compute pixels begin to end for a panel: chunk by chunk, and line by line of pixels. */
static void compute_chunks(const struct direct *d, struct tile *tile, int64_t begin, int64_t end)
{
    const struct conv *conv = d->conv;
    struct runs all = d->runs, chunk = all;
    int64_t pieces = chunks_of(all.length), chunks = chunks_of(all.count * all.length);

    /* A chunk is a piece of a run, or several short runs. */
    if (pieces > 1)
        chunk = (struct runs){1, num_divide_up(all.length, pieces)};
    else if (chunks > 1)
        chunk.count = num_divide_up(all.count, chunks);
    for (int64_t tap = 0; tap < all.count; tap += chunk.count)
        for (int64_t item = 0; item < all.length; item += chunk.length) {
            bool last = tap + chunk.count >= all.count && item + chunk.length >= all.length;
            struct tile line = *tile;

            line.taps = d->taps + tap;
            line.tap_count = num_min(chunk.count, all.count - tap);
            line.run = num_min(chunk.length, all.length - item);
            line.epilogue = last ? &conv->epilogue : NULL;
            fetch_next(d, &line);
            for (int64_t pixel = begin, next; pixel < end; pixel = next) {
                int64_t row = pixel / d->lines.x, x = pixel % d->lines.x;
                int64_t image = row / d->lines.y, y = row % d->lines.y;
                int64_t in = image * d->steps.image + y * conv->stride.y * d->steps.row;
                int64_t out = image * conv->dst.image + y * conv->dst.row + x * conv->dst.pixel;

                next = num_min(end, (row + 1) * d->lines.x);
                line.src = tile->src + item + in + x * line.in_step;
                line.dst = tile->dst + out;
                line.residual = tile->residual ? tile->residual + out : NULL;
                KERNEL(tile_compute)(&line, next - pixel);
            }
            tile->weights += line.tap_count * line.run * line.vecs * LANES;
            tile->more = true;
        }
}

/* --- the whole ------------------------------------------------------------------------------ */

/* Panel by panel for each block and group. */
static void direct_compute_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct direct *d = data;
    const struct conv_operands *operands = d->operands;
    int64_t panels = d->panels.count, groups = d->conv->groups, depth = depth_of(d->conv);

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / panels / groups, group = i / panels % groups;
        struct panel panel = panel_at(&d->panels, i % panels);
        int64_t channel = group * d->panels.channels + panel.channel;
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
        compute_chunks(d, &tile, block * d->block, num_min((block + 1) * d->block, d->pixels));
    }
}

static void direct_run(const struct conv *conv, const struct conv_operands *operands,
                       struct team *team)
{
    struct direct d = {.conv = conv, .operands = operands, .panels = group_panels(conv)};
    int64_t members = team_size(team), panels = conv->groups * d.panels.count;
    int64_t rows = KERNEL(tile_rows)(PANEL_VECS);

    assert(operands->src && operands->packed && operands->dst && operands->scratch);
    assert(conv->in_channels > 0 && conv->out_channels > 0 && conv->ring == 0);
    d.packed_end = operands->packed + KERNEL(direct_packed_size)(conv) / sizeof(float);
    set_source(&d, team);

    /* Blocks: at least some tiles large, and enough of them for all members.  `items` are those of
     * the source that only one pixel's window reads. */
    int64_t items = group_in(conv) * num_min(conv->kernel.y, conv->stride.y) *
                    num_min(conv->kernel.x, conv->stride.x);
    int64_t most = num_max(BLOCK_BYTES / (int64_t)sizeof(float) / items, 4 * rows);
    d.pixels = conv->batch * conv->out.y * conv->out.x;
    d.blocks = num_divide_up(d.pixels, most);
    if (members > 1 && d.blocks * panels < 3 * members)
        d.blocks = num_divide_up(3 * members, panels);
    d.block = num_divide_up(num_divide_up(d.pixels, d.blocks), rows) * rows;
    d.blocks = num_divide_up(d.pixels, d.block);

    int64_t count = d.blocks * panels;
    team_share(team, count, num_max(count / (4 * members), 1), direct_compute_panels, &d);
}

const struct conv_kernel KERNEL(direct) = {
    .name = "direct",
    .fits = conv_fits_any,
    .packed_size = KERNEL(direct_packed_size),
    .pack = direct_pack,
    .scratch_size = direct_scratch_size,
    .run = direct_run,
};
