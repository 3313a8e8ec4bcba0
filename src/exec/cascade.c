/* cascade.c - see cascade.h */
#include "exec/cascade.h"

#include "kernel/range.h"

#include <assert.h>

/* Rows of a segment that are computed twice may be one of so many; segments of a member, if there
 * are enough. */
enum { EXCESS = 16, SEGMENTS = 3 };

/* A member at work on a segment. */
struct flow {
    const struct cascade *cascade;
    const struct cascade_operands *operands;
    char *memory;
    int64_t image;
    int64_t done[CASCADE_STAGES]; /* rows of the results of each stage */
};

struct segments {
    const struct cascade *cascade;
    const struct cascade_operands *operands;
    int64_t of_image;
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

/* Rows of an image that so many neighbouring rows of results are computed of. */
static int64_t rows_reached(const struct conv *conv, int64_t rows)
{
    return (rows - 1) * conv->stride.y + (conv->kernel.y - 1) * conv->dilation.y + 1;
}

/* Of these rows of results, but for what is outside the image. */
static struct tap_range rows_read(const struct conv *conv, const struct tap_range *results)
{
    int64_t first = results->first * conv->stride.y - conv->before.y;
    struct tap_range rows = {
        limit(first, conv->in.y),
        limit(first + rows_reached(conv, results->end - results->first), conv->in.y)};

    if (results->first >= results->end)
        rows.end = rows.first;
    return rows;
}

static const struct conv *conv_of(const struct cascade *c, int stage)
{
    return &c->stage[stage].conv;
}

static bool is_depthwise(const struct conv *conv)
{
    return conv->groups > 1 && conv->groups == conv->in_channels &&
           conv->groups == conv->out_channels;
}

/* Is each pixel of the results computed of the same one of the image? */
static bool is_pointwise(const struct conv *conv)
{
    return conv->groups == 1 && conv->kernel.y == 1 && conv->kernel.x == 1 && conv->stride.y == 1 &&
           conv->stride.x == 1 && conv->before.y == 0 && conv->before.x == 0 &&
           conv->in.y == conv->out.y && conv->in.x == conv->out.x;
}

bool cascade_follows(const struct conv_kernel *kernel, const struct conv *conv)
{
    return !kernel->shortens && (is_depthwise(conv) || is_pointwise(conv));
}

/* --- memory --------------------------------------------------------------------------------- */

static size_t rounded_up(size_t size)
{
    return (size + KERNEL_ALIGNMENT - 1) / KERNEL_ALIGNMENT * KERNEL_ALIGNMENT;
}

/* Of a kernel for so many rows, wherever they are: some may reach beyond the image. */
static size_t scratch_of(const struct cascade_stage *stage, int64_t rows)
{
    struct conv conv = stage->conv;

    conv.batch = 1;
    conv.out.y = rows;
    if (is_pointwise(&stage->conv))
        conv.in.y = rows;
    else
        conv.before.y = at_least(conv.before.y, 1);
    return stage->kernel->scratch_size(&conv, 1);
}

static void set_band(struct cascade *c, int64_t band)
{
    int last = c->count - 1;
    int64_t rows = c->band = band;
    size_t scratch = 0;

    c->member = 0;
    for (int i = last; i >= 0; i--) {
        const struct conv *conv = conv_of(c, i);
        size_t used = scratch_of(&c->stage[i], rows);
        scratch = used > scratch ? used : scratch;
        c->rows[i] = rows;
        c->at[i] = c->member;
        if (i < last)
            c->member += rounded_up((size_t)(rows * conv->dst.row) * sizeof(float));
        rows = at_most(rows_reached(conv, rows), conv->in.y);
    }
    c->scratch = c->member;
    c->member += rounded_up(scratch);
}

void cascade_fill(struct cascade *c, size_t bytes)
{
    int64_t most = conv_of(c, c->count - 1)->out.y, band = 1;

    assert(c->count > 0 && c->count <= CASCADE_STAGES);
    do
        set_band(c, band);
    while (band++ < most && c->member <= bytes);
    if (c->member > bytes)
        set_band(c, at_least(c->band - 1, 1));
}

size_t cascade_scratch_size(const struct cascade *c, int members)
{
    return c->member * (size_t)members;
}

/* --- segments ------------------------------------------------------------------------------- */

/* Multiply-adds of some rows of the last results. */
static double work_of(const struct cascade *c, int64_t rows)
{
    double work = 0;

    for (int i = c->count - 1; i >= 0; i--) {
        const struct conv *conv = conv_of(c, i);
        int64_t taps = conv->kernel.y * conv->kernel.x * (conv->in_channels / conv->groups);
        work += (double)(rows * conv->out.x * conv->out_channels) * (double)taps;
        rows = at_most(rows_reached(conv, rows), conv->in.y);
    }
    return work;
}

/* By how much more there is to do if an image is done in so many segments. */
static double excess_of(const struct cascade *c, int64_t segments)
{
    int64_t rows = conv_of(c, c->count - 1)->out.y;

    return (double)segments * work_of(c, (rows + segments - 1) / segments) / work_of(c, rows) - 1;
}

static int64_t per_image(const struct cascade *c, int64_t segments)
{
    const struct conv *conv = conv_of(c, c->count - 1);
    int64_t wanted = (segments + conv->batch - 1) / conv->batch;

    return at_most(wanted, at_least(conv->out.y, 1));
}

double cascade_excess(const struct cascade *c, int members)
{
    return excess_of(c, members > 1 ? per_image(c, members) : 1);
}

/* Of an image; more of them than members let one take over from another. */
static int64_t segments_of_image(const struct cascade *c, int members)
{
    for (int each = SEGMENTS; each > 1 && members > 1; each--) {
        int64_t segments = per_image(c, (int64_t)members * each);
        if (excess_of(c, segments) * EXCESS < 1)
            return segments;
    }
    return members > 1 ? per_image(c, members) : 1;
}

/* --- rows ----------------------------------------------------------------------------------- */

static float *ring_of(const struct flow *f, int stage)
{
    return (void *)(f->memory + f->cascade->at[stage]);
}

/* Row y of the results of a stage, or of what lies like them if they are no ring. */
static float *result_row(const struct flow *f, int stage, int64_t y)
{
    const struct cascade *c = f->cascade;
    const struct steps *dst = &conv_of(c, stage)->dst;

    if (stage == c->count - 1)
        return f->operands->dst + f->image * dst->image + y * dst->row;
    return ring_of(f, stage) + y % c->rows[stage] * dst->row;
}

/* Rows that follow each other in memory; before.y is from the first row of the source on. */
static void compute_piece(const struct flow *f, int at, int64_t y, int64_t end)
{
    const struct cascade *c = f->cascade;
    const struct cascade_stage *stage = &c->stage[at];
    const float *residual = f->operands->residual[at];
    struct conv conv = stage->conv;
    struct conv_operands operands = {
        .packed = stage->packed,
        .bias = stage->bias,
        .dst = result_row(f, at, y),
        .scratch = f->memory + c->scratch,
    };

    conv.batch = 1;
    conv.out.y = end - y;
    if (residual)
        operands.residual = residual + f->image * conv.dst.image + y * conv.dst.row;
    if (at == 0 || is_depthwise(&conv)) {
        conv.before.y -= y * conv.stride.y;
        conv.ring = at > 0 ? c->rows[at - 1] : 0;
        operands.src = at > 0 ? ring_of(f, at - 1) : f->operands->src + f->image * conv.src.image;
    } else {
        conv.in.y = end - y;
        operands.src = result_row(f, at - 1, y);
    }
    stage->kernel->run(&conv, &operands, NULL);
}

/* From row y on so many may be done at once that a ring does not begin again among them. */
static int64_t piece_end(const struct cascade *c, int at, int64_t y, int64_t end)
{
    if (at < c->count - 1)
        end = at_most(end, (y / c->rows[at] + 1) * c->rows[at]);
    if (at > 0 && !is_depthwise(conv_of(c, at)))
        end = at_most(end, (y / c->rows[at - 1] + 1) * c->rows[at - 1]);
    return end;
}

static void compute_stage_rows(struct flow *f, int at, const struct tap_range *wanted)
{
    int64_t y = at_least(wanted->first, f->done[at]);

    for (int64_t end; y < wanted->end; y = end) {
        end = piece_end(f->cascade, at, y, wanted->end);
        compute_piece(f, at, y, end);
    }
    f->done[at] = at_least(f->done[at], wanted->end);
}

/* Rows of the last results, and what of the others they need that is not there yet. */
static void compute_band(struct flow *f, struct tap_range band)
{
    const struct cascade *c = f->cascade;
    struct tap_range wanted[CASCADE_STAGES] = {{0}};

    for (int i = c->count - 1; i >= 0; i--) {
        wanted[i] = band;
        band = rows_read(conv_of(c, i), &band);
    }
    for (int i = 0; i < c->count; i++)
        compute_stage_rows(f, i, &wanted[i]);
}

/* --- the whole ------------------------------------------------------------------------------ */

static void compute_segment(struct flow *f, struct tap_range segment)
{
    for (int i = 0; i < f->cascade->count; i++)
        f->done[i] = 0;
    for (int64_t y = segment.first; y < segment.end; y += f->cascade->band)
        compute_band(f, (struct tap_range){y, at_most(y + f->cascade->band, segment.end)});
}

static void compute_segments(void *data, int64_t begin, int64_t end, int member)
{
    const struct segments *s = data;
    const struct cascade *c = s->cascade;
    int64_t rows = conv_of(c, c->count - 1)->out.y;
    struct flow flow = {.cascade = c,
                        .operands = s->operands,
                        .memory = (char *)s->operands->scratch + c->member * (size_t)member};

    for (int64_t i = begin; i < end; i++) {
        int64_t part = i % s->of_image;
        flow.image = i / s->of_image;
        compute_segment(
            &flow, (struct tap_range){rows * part / s->of_image, rows * (part + 1) / s->of_image});
    }
}

void cascade_run(const struct cascade *c, const struct cascade_operands *operands,
                 struct team *team)
{
    struct segments s = {.cascade = c, .operands = operands};

    assert(operands->src && operands->dst && c->band > 0);
    s.of_image = segments_of_image(c, team_size(team));
    team_share(team, s.of_image * c->stage[0].conv.batch, 1, compute_segments, &s);
}
