/*
 * transposed.c - transposed convolutions as convolutions (NNEF 1.0.5, section 4.3.1)
 *
 *     dst[y] = sum src[(y + before - k * dilation) / stride] * filter[k], of k without remainder
 *
 * along each dimension.  A phase is all outputs whose y have the same remainder by the stride. They
 * meet the same taps, so that a phase is a convolution of stride 1 by these taps, the last one
 * first.  An algorithm for convolutions computes it and stores its results at a distance of
 * strides.
 *
 * Phases that meet the same pixels are joined if that fills vectors: one convolution has the
 * channels of all as its own, [phase y][phase x][channel].  A row of phases is a run of results.
 * Where results do not lie like that, they are spread from scratch memory.
 */
#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/panel.h"
#include "kernel/table.h"

#include <assert.h>

/* A phase along one dimension. */
struct axis {
    int64_t out;        /* extent of its results */
    int64_t taps;       /* 0: none */
    int64_t last, step; /* the tap that the convolution has first; from there to the one before */
    int64_t dilation, before;
};

/* A phase in both dimensions, or several that are joined, as a convolution. */
struct phase {
    struct conv conv; /* of one image if its results are spread */
    const struct conv_kernel *kernel;
    struct axis y, x;    /* of the first one */
    struct plane joined; /* the number of phases along each dimension */
    bool is_spread;
    int64_t dst; /* offset of its first output */
};

static const float zero = 0;

/* --- geometry ------------------------------------------------------------------------------- */

/* One dimension of the whole transposed convolution. */
struct whole {
    int64_t out, taps, stride, dilation, before;
};

/* The outputs y = phase + i * stride. */
static struct axis axis_of(const struct whole *w, int64_t phase)
{
    int64_t divisor = w->stride, rest = w->dilation; /* Euclid */

    assert(w->stride > 0 && w->dilation > 0 && phase >= 0 && phase < w->stride);
    while (rest > 0) {
        int64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    int64_t step = w->stride / divisor, first = 0, most = num_min(w->taps, step);
    struct axis axis = {.step = step, .dilation = w->dilation / divisor};

    axis.out = w->out > phase ? (w->out - phase - 1) / w->stride + 1 : 0;
    while (first < most && (phase + w->before - first * w->dilation) % w->stride != 0)
        first++;
    if (first == most)
        return axis;
    axis.taps = (w->taps - 1 - first) / step + 1;
    axis.last = first + (axis.taps - 1) * step;
    axis.before = (axis.last * w->dilation - phase - w->before) / w->stride;
    return axis;
}

static struct whole whole_y(const struct conv *c)
{
    return (struct whole){c->out.y, c->kernel.y, c->stride.y, c->dilation.y, c->before.y};
}

static struct whole whole_x(const struct conv *c)
{
    return (struct whole){c->out.x, c->kernel.x, c->stride.x, c->dilation.x, c->before.x};
}

/* Do all phases meet the same pixels, each by the taps behind those of the phase before? */
static bool meet_the_same(const struct whole *w)
{
    return w->taps % w->stride == 0 && w->dilation == 1 && w->before % w->stride == 0;
}

/* The number of joined phases.  The few phases of a row are joined if that takes fewer vectors, and
 * those of all rows if they fit one vector. */
static struct plane joined_phases(const struct conv *c)
{
    const struct whole y = whole_y(c), x = whole_x(c);
    struct plane joined = {1, 1};

    if (c->groups > 1 || x.stride > LANES || !meet_the_same(&x) ||
        panels_of(c->out_channels * x.stride).vecs >= panels_of(c->out_channels).vecs * x.stride)
        return joined;
    joined.x = x.stride;
    if (meet_the_same(&y) && c->out_channels * x.stride * y.stride <= LANES)
        joined.y = y.stride;
    return joined;
}

static bool is_joined(const struct plane *joined)
{
    return joined->y > 1 || joined->x > 1;
}

/* Convolutions that compute all phases. */
static int64_t phases_of(const struct conv *conv)
{
    const struct plane joined = joined_phases(conv);

    return conv->stride.y / joined.y * (conv->stride.x / joined.x);
}

static struct phase phase_at(const struct conv *c, int64_t i)
{
    const struct plane one = {1, 1};
    const struct whole of_y = whole_y(c), of_x = whole_x(c);
    const struct plane joined = joined_phases(c);
    const bool single = !is_joined(&joined) && KERNEL(depthwise).fits(c);
    int64_t per_row = c->stride.x / joined.x, y = i / per_row, x = i % per_row;
    struct phase phase = {
        .conv = *c,
        .kernel = single ? &KERNEL(depthwise) : &KERNEL(direct),
        .y = axis_of(&of_y, y),
        .x = axis_of(&of_x, x),
        .joined = joined,
        .is_spread = joined.y > 1 || (joined.x > 1 && (c->dst.pixel != c->out_channels ||
                                                       c->out.x % c->stride.x != 0)),
        .dst = y * c->dst.row + x * c->dst.pixel,
    };
    struct conv *conv = &phase.conv;

    conv->stride = one;
    conv->out = (struct plane){phase.y.out, phase.x.out};
    conv->dst.pixel = c->dst.pixel * c->stride.x;
    conv->dst.row = c->dst.row * c->stride.y;
    conv->out_channels *= joined.y * joined.x;
    if (phase.is_spread) {
        conv->batch = 1;
        conv->dst = steps_dense(conv->out_channels, conv->out);
    }
    if (phase.y.taps == 0 || phase.x.taps == 0) {
        /* no taps: a convolution of an image without pixels */
        conv->in = conv->before = (struct plane){0, 0};
        conv->kernel = conv->dilation = one;
    } else {
        conv->kernel = (struct plane){phase.y.taps, phase.x.taps};
        conv->dilation = (struct plane){phase.y.dilation, phase.x.dilation};
        conv->before = (struct plane){phase.y.before, phase.x.before};
    }
    return phase;
}

/* --- packing -------------------------------------------------------------------------------- */

/* Bytes of the packed weights of a phase; the next phase is aligned, too. */
static size_t phase_size(const struct phase *phase)
{
    return num_round_up(phase->kernel->packed_size(&phase->conv), KERNEL_ALIGNMENT);
}

static size_t transposed_packed_size(const struct conv *conv)
{
    size_t size = 0;

    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        size += phase_size(&phase);
    }
    return size;
}

/* Joined phases, whose panels are packed in the order of direct.c. */
struct joining {
    const struct phase *phase;
    int64_t channels;                   /* of a phase */
    const struct filter *filter, *part; /* of the whole, and of the first phase */
    float *packed;
};

/* The weights of a channel of a joined phase, in its lane of a panel; NULL: of no channel. */
static void pack_lane(const struct joining *j, const float *from, float *to, int64_t width)
{
    const struct conv *conv = &j->phase->conv;
    const struct filter *part = j->part;

    for (int64_t y = 0; y < conv->kernel.y; y++)
        for (int64_t x = 0; x < conv->kernel.x; x++)
            for (int64_t i = 0; i < conv->in_channels; i++, to += width)
                *to = from ? from[y * part->y + x * part->x + i * part->in] : 0;
}

static void pack_joined_panels(void *data, int64_t begin, int64_t end, int member)
{
    const struct joining *j = data;
    const struct conv *conv = &j->phase->conv;
    const struct panels panels = panels_of(conv->out_channels);

    (void)member;
    for (int64_t i = begin; i < end; i++) {
        const struct panel panel = panel_at(&panels, i);
        const int64_t width = panel.vecs * LANES;
        float *to = j->packed + panel.channel * conv->in_channels * conv->kernel.y * conv->kernel.x;
        for (int64_t lane = 0; lane < width; lane++) {
            const int64_t at = panel.channel + lane, phase = at / j->channels;
            const float *from = NULL;
            if (at < conv->out_channels)
                from = (const float *)j->part->items + at % j->channels * j->filter->out +
                       phase / j->phase->joined.x * j->filter->y +
                       phase % j->phase->joined.x * j->filter->x;
            pack_lane(j, from, to + lane, width);
        }
    }
}

static void transposed_pack(const struct conv *conv, const struct filter *filter, float *packed,
                            struct team *team)
{
    assert(filter->items && packed);
    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        const struct axis *y = &phase.y, *x = &phase.x;
        struct filter part = {.items = &zero};
        if (y->taps > 0 && x->taps > 0) {
            part = *filter;
            part.items = (const float *)filter->items + y->last * filter->y + x->last * filter->x;
            part.y = -y->step * filter->y;
            part.x = -x->step * filter->x;
        }
        struct joining joining = {&phase, conv->out_channels, filter, &part, packed};
        if (is_joined(&phase.joined))
            team_share(team, panels_of(phase.conv.out_channels).count, 1, pack_joined_panels,
                       &joining);
        else
            phase.kernel->pack(&phase.conv, &part, packed, team);
        packed += phase_size(&phase) / sizeof *packed;
    }
}

/* --- joined phases -------------------------------------------------------------------------- */

/* Bytes of scratch memory for the bias of joined phases. */
static size_t bias_size(const struct phase *phase)
{
    const size_t size = (size_t)phase->conv.out_channels * sizeof(float);

    return is_joined(&phase->joined) ? num_round_up(size, KERNEL_ALIGNMENT) : 0;
}

/* Likewise, for results that are spread.  A vector from the last one on may be loaded. */
static size_t spread_size(const struct phase *phase)
{
    const size_t size = (size_t)(phase->conv.dst.image + LANES) * sizeof(float);

    return phase->is_spread ? num_round_up(size, KERNEL_ALIGNMENT) : 0;
}

/* Results of joined phases, which are spread over an image. */
struct spreading {
    const struct conv *conv; /* the whole */
    const struct phase *phase;
    const float *from, *residual; /* residual: of the image, from the first phase on; or NULL */
    float *dst;                   /* likewise */
};

/* Put a run of results.  Expanded for the most frequent count, 2, too. */
ALWAYS_INLINE void put_run(float *to, const float *from, const float *residual, const int64_t count)
{
    for (int64_t i = 0; i < count; i += LANES) {
        const int some = (int)num_min(count - i, LANES);
        vec x = vec_load(from + i);
        if (residual)
            x += vec_load_some(residual + i, some);
        vec_store_most(to + i, x, some);
    }
}

/* Put `count` runs of `items` each; `step`: items from run to run, of the source and the results.
 */
static void put_runs(struct spreading at, int64_t count, int64_t items, const int64_t step[2])
{
    for (int64_t i = 0; i < count; i++) {
        if (items == 2)
            put_run(at.dst, at.from, at.residual, 2);
        else
            put_run(at.dst, at.from, at.residual, items);
        at.from += step[0];
        at.dst += step[1];
        at.residual += at.residual ? step[1] : 0;
    }
}

/* Spread rows begin <= i < end of those that the phases compute. */
static void spread_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct spreading *s = data;
    const struct conv *conv = s->conv, *part = &s->phase->conv;
    const int64_t joined = s->phase->joined.y, channels = conv->out_channels;
    const bool dense = conv->dst.pixel == channels && conv->out.x % conv->stride.x == 0;
    const int64_t pixels = dense ? conv->stride.x : 1; /* of a run */

    (void)member;
    for (int64_t i = begin; i < end; i++)
        for (int64_t x = 0; x < conv->stride.x; x += pixels) {
            const int64_t to =
                (i / joined * conv->stride.y + i % joined) * conv->dst.row + x * conv->dst.pixel;
            const struct spreading at = {
                .from = s->from + i / joined * part->dst.row +
                        (i % joined * conv->stride.x + x) * channels,
                .residual = s->residual ? s->residual + to : NULL,
                .dst = s->dst + to,
            };
            put_runs(at, num_divide_up(conv->out.x - x, conv->stride.x), pixels * channels,
                     (const int64_t[]){part->dst.pixel, conv->stride.x * conv->dst.pixel});
        }
}

/* Run joined phases image by image, and spread their results. */
static void run_spread(const struct conv *conv, const struct phase *phase,
                       const struct conv_operands *operands, struct team *team)
{
    const int64_t rows = phase->joined.y > 1 ? conv->out.y : phase->conv.out.y;
    const int64_t members = team_size(team);
    struct conv_operands part = *operands;

    part.dst = operands->scratch;
    part.residual = NULL;
    part.scratch = (char *)operands->scratch + spread_size(phase);
    for (int64_t i = 0; i < conv->batch; i++) {
        const int64_t to = i * conv->dst.image;
        struct spreading spreading = {
            .conv = conv,
            .phase = phase,
            .from = part.dst,
            .residual = operands->residual ? operands->residual + to : NULL,
            .dst = operands->dst + to,
        };
        phase->kernel->run(&phase->conv, &part, team);
        team_share(team, rows, rows / (4 * members) + 1, spread_rows, &spreading);
        part.src += conv->src.image;
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

static size_t transposed_scratch_size(const struct conv *conv, int members)
{
    size_t most = 0;

    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        size_t size = bias_size(&phase) + spread_size(&phase) +
                      phase.kernel->scratch_size(&phase.conv, members);
        most = size > most ? size : most;
    }
    return most;
}

struct activation_job {
    const struct conv *conv;
    float *dst;
};

/* Activate whole rows of results once all phases are stored. */
static void transposed_activate_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct activation_job *job = data;
    const struct conv *conv = job->conv;

    (void)member;
    const bool dense = conv->dst.pixel == conv->out_channels;
    const int64_t items = (dense ? conv->out.x : 1) * conv->out_channels;

    for (int64_t row = begin; row < end; row++) {
        float *to =
            job->dst + row / conv->out.y * conv->dst.image + row % conv->out.y * conv->dst.row;
        for (int64_t x = 0; x < conv->out.x; x += dense ? conv->out.x : 1)
            KERNEL(activate)(&conv->epilogue, to + x * conv->dst.pixel, items);
    }
}

/* The bias of all channels of joined phases, in scratch memory. */
static void repeat_bias(const struct conv *conv, const struct phase *first,
                        struct conv_operands *operands)
{
    float *bias = operands->scratch;

    operands->scratch = (char *)operands->scratch + bias_size(first);
    if (!is_joined(&first->joined) || !operands->bias)
        return;
    for (int64_t i = 0; i < first->conv.out_channels; i++)
        bias[i] = operands->bias[i % conv->out_channels];
    operands->bias = bias;
}

static void run_phases(const struct conv *conv, const struct conv_operands *operands,
                       struct team *team)
{
    const struct phase first = phase_at(conv, 0);
    struct conv_operands part = *operands;

    repeat_bias(conv, &first, &part);
    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        part.dst = operands->dst + phase.dst;
        part.residual = operands->residual ? operands->residual + phase.dst : NULL;
        bool is_empty = phase.conv.out.y == 0 || phase.conv.out.x == 0;
        if (phase.is_spread && !is_empty)
            run_spread(conv, &phase, &part, team);
        else if (!is_empty)
            phase.kernel->run(&phase.conv, &part, team);
        part.packed += phase_size(&phase) / sizeof *part.packed;
    }
}

static void transposed_run(const struct conv *conv, const struct conv_operands *operands,
                           struct team *team)
{
    struct activation_job job = {conv, operands->dst};
    int64_t rows = conv->batch * conv->out.y, members = team_size(team);
    struct conv sums = *conv;

    assert(operands->src && operands->packed && operands->dst);
    /* With few channels, those of a phase are too few for vectors: all are activated in the end. So
     * they are where a residual is added once results are spread. */
    if (!(phase_at(conv, 0).is_spread && operands->residual) &&
        (epilogue_is_clamp(&conv->epilogue) || conv->out_channels >= LANES ||
         conv->dst.pixel != conv->out_channels)) {
        run_phases(conv, operands, team);
        return;
    }
    sums.epilogue.activation = ACTIVATION_NONE;
    run_phases(&sums, operands, team);
    team_share(team, rows, rows / (4 * members) + 1, transposed_activate_rows, &job);
}

const struct conv_kernel KERNEL(transposed) = {
    .name = "transposed",
    .packs_phases = true,
    .fits = conv_fits_any,
    .packed_size = transposed_packed_size,
    .pack = transposed_pack,
    .scratch_size = transposed_scratch_size,
    .run = transposed_run,
};
