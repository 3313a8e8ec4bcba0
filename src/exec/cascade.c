/* cascade.c - see cascade.h */
#include "exec/cascade.h"

#include "base/num.h"
#include "kernel/range.h"

#include <assert.h>

/* At most one of EXCESS rows may be computed twice; a member gets SEGMENTS segments at the most. */
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

/* The number of neighbouring rows of the image that `rows` rows of results read. */
static int64_t rows_reached(const struct conv *conv, int64_t rows)
{
    return windows_reach(rows, conv->stride.y, conv->kernel.y, conv->dilation.y);
}

static const struct conv *conv_of(const struct cascade *c, int stage)
{
    return &c->stage[stage].conv;
}

bool cascade_follows(const struct conv_kernel *kernel, const struct conv *conv)
{
    return !kernel->shortens && (conv_is_depthwise(conv) || conv_is_pointwise(conv));
}

/* --- memory --------------------------------------------------------------------------------- */

/* Set the rows of a band, and from them the rings, the scratch memory and the size of a member. */
static void set_band(struct cascade *c, int64_t band)
{
    int last = c->count - 1;
    int64_t rows = c->band = band;
    size_t scratch = 0;

    assert(band > 0);
    c->member = 0;
    for (int i = last; i >= 0; i--) {
        const struct conv *conv = conv_of(c, i);

        /* A band may lie anywhere, so that its windows may reach beyond the image. */
        struct conv piece = *conv;
        piece.batch = 1;
        piece.out.y = rows;
        if (conv_is_pointwise(conv))
            piece.in.y = rows;
        else
            piece.before.y = num_max(piece.before.y, 1);
        const struct conv_kernel *kernel = c->stage[i].kernel;
        size_t used = kernel ? kernel->scratch_size(&piece, 1) : 0;
        scratch = used > scratch ? used : scratch;

        c->rows[i] = rows;
        c->at[i] = c->member;
        if (i < last)
            c->member +=
                num_round_up((size_t)(rows * conv->dst.row) * sizeof(float), KERNEL_ALIGNMENT);
        rows = num_min(rows_reached(conv, rows), conv->in.y);
    }
    c->scratch = c->member;
    c->member += num_round_up(scratch, KERNEL_ALIGNMENT);
}

void cascade_fill(struct cascade *c, size_t bytes)
{
    int64_t most = conv_of(c, c->count - 1)->out.y, band = 1;

    assert(c->count > 0 && c->count <= CASCADE_STAGES);
    do
        set_band(c, band);
    while (band++ < most && c->member <= bytes);
    if (c->member > bytes)
        set_band(c, num_max(c->band - 1, 1));
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
        rows = num_min(rows_reached(conv, rows), conv->in.y);
    }
    return work;
}

/* The share of additional work if an image is done in so many segments. */
static double excess_of(const struct cascade *c, int64_t segments)
{
    int64_t rows = conv_of(c, c->count - 1)->out.y;

    return (double)segments * work_of(c, num_divide_up(rows, segments)) / work_of(c, rows) - 1;
}

/* Segments of one image if all images together have about so many; at most one a row. */
static int64_t per_image(const struct cascade *c, int64_t segments)
{
    const struct conv *conv = conv_of(c, c->count - 1);

    return num_min(num_divide_up(segments, conv->batch), num_max(conv->out.y, 1));
}

double cascade_excess(const struct cascade *c, int members)
{
    return excess_of(c, members > 1 ? per_image(c, members) : 1);
}

/* --- rows ----------------------------------------------------------------------------------- */

static float *ring_of(const struct flow *f, int stage)
{
    return (void *)(f->memory + f->cascade->at[stage]);
}

/* Row y of the results of a stage: in its ring, or in the destination of the last stage. */
static float *result_row(const struct flow *f, int stage, int64_t y)
{
    const struct cascade *c = f->cascade;
    const struct steps *dst = &conv_of(c, stage)->dst;

    if (stage == c->count - 1)
        return f->operands->dst + f->image * dst->image + y * dst->row;
    return ring_of(f, stage) + y % c->rows[stage] * dst->row;
}

/* Compute rows y to end of a stage, which follow each other in memory.  The kernel counts before.y
 * from the first row of its source. */
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
    if (at == 0 || conv_is_depthwise(&conv)) {
        conv.before.y -= y * conv.stride.y;
        conv.ring = at > 0 ? c->rows[at - 1] : 0;
        operands.src = at > 0 ? ring_of(f, at - 1) : f->operands->src + f->image * conv.src.image;
    } else {
        conv.in.y = end - y;
        operands.src = result_row(f, at - 1, y);
    }
    stage->kernel->run(&conv, &operands, NULL);
}

/* Compute rows of the last results, and those rows of the other stages that they need and that are
 * missing. */
static void compute_band(struct flow *f, struct tap_range band)
{
    const struct cascade *c = f->cascade;
    struct tap_range wanted[CASCADE_STAGES] = {{0}};

    /* From the last stage back: each wants those rows that the stage behind it reads. */
    for (int i = c->count - 1; i >= 0; i--) {
        const struct conv *conv = conv_of(c, i);
        int64_t first = band.first * conv->stride.y - conv->before.y;
        int64_t end = first + rows_reached(conv, band.end - band.first);
        bool none = band.first >= band.end;
        wanted[i] = band;
        band.first = limit(first, conv->in.y);
        band.end = none ? band.first : limit(end, conv->in.y);
    }

    /* A piece of a band ends where a ring begins again, its own or the one that it reads. */
    for (int i = 0; i < c->count; i++) {
        int64_t y = num_max(wanted[i].first, f->done[i]);
        for (int64_t end; y < wanted[i].end; y = end) {
            end = wanted[i].end;
            if (i < c->count - 1)
                end = num_min(end, (y / c->rows[i] + 1) * c->rows[i]);
            if (i > 0 && !conv_is_depthwise(conv_of(c, i)))
                end = num_min(end, (y / c->rows[i - 1] + 1) * c->rows[i - 1]);
            compute_piece(f, i, y, end);
        }
        f->done[i] = num_max(f->done[i], wanted[i].end);
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

static void compute_segments(void *data, int64_t begin, int64_t end, int member)
{
    const struct segments *s = data;
    const struct cascade *c = s->cascade;
    int64_t rows = conv_of(c, c->count - 1)->out.y;

    for (int64_t i = begin; i < end; i++) {
        int64_t part = i % s->of_image, last = rows * (part + 1) / s->of_image;
        struct flow flow = {.cascade = c,
                            .operands = s->operands,
                            .memory = (char *)s->operands->scratch + c->member * (size_t)member,
                            .image = i / s->of_image};
        for (int64_t y = rows * part / s->of_image; y < last; y += c->band)
            compute_band(&flow, (struct tap_range){y, num_min(y + c->band, last)});
    }
}

void cascade_run(const struct cascade *c, const struct cascade_operands *operands,
                 struct team *team)
{
    struct segments s = {.cascade = c, .operands = operands};
    int members = team_size(team), each = members > 1 ? SEGMENTS : 1;

    assert(operands->src && operands->dst && c->band > 0);
    /* With more segments than members one member takes over from another, if little is computed
     * twice. */
    while (each > 1 && !(excess_of(c, per_image(c, (int64_t)members * each)) * EXCESS < 1))
        each--;
    s.of_image = members > 1 ? per_image(c, (int64_t)members * each) : 1;
    team_share(team, s.of_image * c->stage[0].conv.batch, 1, compute_segments, &s);
}
