/*
 * transposed.c - transposed convolutions as convolutions (NNEF 1.0.5, section 4.3.1)
 *
 *     dst[y] = sum src[(y + before - k * dilation) / stride] * filter[k], of k without remainder
 *
 * along each dimension.  Outputs whose y have the same remainder by the stride meet the same taps:
 * they are a convolution of stride 1 by these, the last one first.  Such a phase is computed by an
 * algorithm for convolutions and stored at a distance of strides.
 */
#include "kernel/activate.h"
#include "kernel/table.h"

#include <assert.h>

/* A phase along one dimension. */
struct axis {
    int64_t out;        /* extent */
    int64_t taps;       /* 0: none */
    int64_t last, step; /* tap that is the first of the convolution, and to the one before it */
    int64_t dilation, before;
};

struct phase {
    struct conv conv;
    const struct conv_kernel *kernel;
    struct axis y, x;
    int64_t dst; /* where its first output is */
};

static const float zero = 0;

/* --- geometry ------------------------------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b > 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* What a dimension of the whole is like. */
struct whole {
    int64_t out, taps, stride, dilation, before;
};

/* Outputs y = phase + i * stride. */
static struct axis axis_of(const struct whole *w, int64_t phase)
{
    int64_t divisor = common_divisor(w->stride, w->dilation), step = w->stride / divisor;
    struct axis axis = {.step = step, .dilation = w->dilation / divisor};
    int64_t first = 0, most = w->taps < step ? w->taps : step;

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

/* A phase without taps is a convolution of an image that has no pixels. */
static struct conv conv_of_phase(const struct conv *whole, const struct axis *y,
                                 const struct axis *x)
{
    const struct plane one = {1, 1};
    struct conv conv = *whole;

    conv.stride = one;
    conv.out = (struct plane){y->out, x->out};
    conv.dst.pixel = whole->dst.pixel * whole->stride.x;
    conv.dst.row = whole->dst.row * whole->stride.y;
    if (y->taps == 0 || x->taps == 0) {
        conv.in = conv.before = (struct plane){0, 0};
        conv.kernel = conv.dilation = one;
        return conv;
    }
    conv.kernel = (struct plane){y->taps, x->taps};
    conv.dilation = (struct plane){y->dilation, x->dilation};
    conv.before = (struct plane){y->before, x->before};
    return conv;
}

static int64_t phases_of(const struct conv *conv)
{
    return conv->stride.y * conv->stride.x;
}

static struct phase phase_at(const struct conv *conv, int64_t i)
{
    struct whole of_y = whole_y(conv), of_x = whole_x(conv);
    int64_t y = i / conv->stride.x, x = i % conv->stride.x;
    struct phase phase = {.y = axis_of(&of_y, y), .x = axis_of(&of_x, x)};

    phase.conv = conv_of_phase(conv, &phase.y, &phase.x);
    phase.kernel = KERNEL(depthwise).fits(conv) ? &KERNEL(depthwise) : &KERNEL(direct);
    phase.dst = y * conv->dst.row + x * conv->dst.pixel;
    return phase;
}

static bool transposed_fits(const struct conv *conv)
{
    (void)conv;
    return true;
}

/* --- packing -------------------------------------------------------------------------------- */

static size_t phase_size(const struct phase *phase)
{
    size_t size = phase->kernel->packed_size(&phase->conv);

    return (size + KERNEL_ALIGNMENT - 1) / KERNEL_ALIGNMENT * KERNEL_ALIGNMENT;
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

static struct filter filter_of_phase(const struct phase *phase, const struct filter *filter)
{
    const struct axis *y = &phase->y, *x = &phase->x;
    struct filter part = *filter;

    if (y->taps == 0 || x->taps == 0)
        return (struct filter){.items = &zero};
    part.items += y->last * filter->y + x->last * filter->x;
    part.y = -y->step * filter->y;
    part.x = -x->step * filter->x;
    return part;
}

static void transposed_pack(const struct conv *conv, const struct filter *filter, float *packed,
                            struct team *team)
{
    assert(transposed_fits(conv));
    for (int64_t i = 0; i < phases_of(conv); i++) {
        struct phase phase = phase_at(conv, i);
        struct filter part = filter_of_phase(&phase, filter);
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

/* Few channels of a pixel, between which there are those of other phases, are ill activated
 * alone. */
static bool activates_last(const struct conv *conv)
{
    return !epilogue_is_clamp(&conv->epilogue) && conv->out_channels < LANES &&
           conv->dst.pixel == conv->out_channels;
}

struct activation_job {
    const struct conv *conv;
    float *dst;
};

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

    assert(transposed_fits(conv));
    if (!activates_last(conv)) {
        run_phases(conv, operands, team);
        return;
    }
    sums.epilogue.activation = ACTIVATION_NONE;
    run_phases(&sums, operands, team);
    team_share(team, rows, rows / (4 * members) + 1, transposed_activate_rows, &job);
}

const struct conv_kernel KERNEL(transposed) = {
    .name = "transposed",
    .fits = transposed_fits,
    .packed_size = transposed_packed_size,
    .pack = transposed_pack,
    .scratch_size = transposed_scratch_size,
    .run = transposed_run,
};
