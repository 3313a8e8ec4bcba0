/*
 * transposed.c - transposed convolutions as convolutions (NNEF 1.0.5, section 4.3.1)
 *
 *     dst[y] = sum src[(y + before - k * dilation) / stride] * filter[k], of k without remainder
 *
 * along each dimension.  A phase is all outputs whose y have the same remainder by the stride. They
 * meet the same taps, so that a phase is a convolution of stride 1 by these taps, the last one
 * first.  An algorithm for convolutions computes it and stores its results at a distance of
 * strides.
 */
#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/table.h"

#include <assert.h>

/* A phase along one dimension. */
struct axis {
    int64_t out;        /* extent of its results */
    int64_t taps;       /* 0: none */
    int64_t last, step; /* the tap that the convolution has first; from there to the one before */
    int64_t dilation, before;
};

/* A phase in both dimensions, as a convolution. */
struct phase {
    struct conv conv;
    const struct conv_kernel *kernel;
    struct axis y, x;
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

static int64_t phases_of(const struct conv *conv)
{
    return conv->stride.y * conv->stride.x;
}

static struct phase phase_at(const struct conv *c, int64_t i)
{
    const struct plane one = {1, 1};
    const struct whole of_y = {c->out.y, c->kernel.y, c->stride.y, c->dilation.y, c->before.y},
                       of_x = {c->out.x, c->kernel.x, c->stride.x, c->dilation.x, c->before.x};
    int64_t y = i / c->stride.x, x = i % c->stride.x;
    struct phase phase = {
        .conv = *c,
        .kernel = KERNEL(depthwise).fits(c) ? &KERNEL(depthwise) : &KERNEL(direct),
        .y = axis_of(&of_y, y),
        .x = axis_of(&of_x, x),
        .dst = y * c->dst.row + x * c->dst.pixel,
    };
    struct conv *conv = &phase.conv;

    conv->stride = one;
    conv->out = (struct plane){phase.y.out, phase.x.out};
    conv->dst.pixel = c->dst.pixel * c->stride.x;
    conv->dst.row = c->dst.row * c->stride.y;
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
        phase.kernel->pack(&phase.conv, &part, packed, team);
        packed += phase_size(&phase) / sizeof *packed;
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

static size_t transposed_scratch_size(const struct conv *conv, int members)
{
    size_t most = 0;

    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        size_t size = phase.kernel->scratch_size(&phase.conv, members);
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
    for (int64_t row = begin; row < end; row++)
        KERNEL(activate)
    (&conv->epilogue,
     job->dst + row / conv->out.y * conv->dst.image + row % conv->out.y * conv->dst.row,
     conv->out.x * conv->out_channels);
}

static void run_phases(const struct conv *conv, const struct conv_operands *operands,
                       struct team *team)
{
    struct conv_operands part = *operands;

    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        part.dst = operands->dst + phase.dst;
        part.residual = operands->residual ? operands->residual + phase.dst : NULL;
        if (phase.conv.out.y > 0 && phase.conv.out.x > 0)
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
    /* With few channels, those of a phase are too few for vectors: all are activated in the end. */
    if (epilogue_is_clamp(&conv->epilogue) || conv->out_channels >= LANES ||
        conv->dst.pixel != conv->out_channels) {
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
