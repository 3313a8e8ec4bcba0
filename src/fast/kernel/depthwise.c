/*
 * depthwise.c - convolutions of each channel by a filter of its own
 *
 * Neighbouring outputs of a row are computed at once, a strip, channels innermost.  Where windows
 * of outputs reach beyond the image those are computed alone, without the taps outside.
 */
#include "fast/kernel/activate.h"
#include "fast/kernel/range.h"
#include "fast/kernel/table.h"

enum { STRIP = 8 /* outputs */ };

struct depthwise {
    const struct conv *conv;
    const struct conv_operands *operands;
    int64_t width;      /* channels in whole vectors */
    int64_t begin, end; /* outputs of a row whose windows are inside the image along x */
};

/* Taps that are inside the image, at the first output, and where their items are. */
struct strip {
    const struct conv *conv;
    struct plane taps;
    const float *src, *weights, *bias, *residual;
    float *dst;
    int64_t width; /* items from tap to tap of the weights */
};

/* --- geometry and packing ------------------------------------------------------------------- */

static bool fits(const struct conv *conv)
{
    return conv->groups == conv->in_channels && conv->groups == conv->out_channels;
}

static int64_t width_of(const struct conv *conv)
{
    return (conv->out_channels + LANES - 1) / LANES * LANES;
}

static size_t packed_size(const struct conv *conv)
{
    return (size_t)(conv->kernel.y * conv->kernel.x * width_of(conv)) * sizeof(float);
}

/* [tap][channel] */
static void pack(const struct conv *conv, const struct filter *filter, float *packed,
                 struct team *team)
{
    int64_t width = width_of(conv);

    (void)team;
    for (int64_t y = 0; y < conv->kernel.y; y++)
        for (int64_t x = 0; x < conv->kernel.x; x++, packed += width) {
            const float *from = filter->items + y * filter->y + x * filter->x;
            for (int64_t i = 0; i < width; i++)
                packed[i] = i < conv->out_channels ? from[i * filter->group] : 0;
        }
}

static size_t scratch_size(const struct conv *conv, int members)
{
    (void)conv;
    (void)members;
    return 0;
}

/* --- strips --------------------------------------------------------------------------------- */

ALWAYS_INLINE void sum_taps(const struct strip *s, int64_t channel, int wanted, vec *sum,
                            const int64_t outputs)
{
    const struct conv *conv = s->conv;
    int64_t step = conv->stride.x * conv->src.pixel;

    for (int64_t y = 0; y < s->taps.y; y++) {
        const float *src = s->src + y * conv->dilation.y * conv->src.row + channel;
        const float *weights = s->weights + y * conv->kernel.x * s->width + channel;
        for (int64_t x = 0; x < s->taps.x; x++) {
            vec weight = vec_load(weights + x * s->width);
            UNROLL
            for (int64_t i = 0; i < outputs; i++)
                sum[i] += weight * vec_load_some(src + i * step, wanted);
            src += conv->dilation.x * conv->src.pixel;
        }
    }
}

/* LANES channels, of which `wanted` are there, of as many outputs; that is a constant. */
ALWAYS_INLINE void compute_vec(const struct strip *s, int64_t channel, int wanted,
                               const int64_t outputs)
{
    const struct epilogue *epilogue = &s->conv->epilogue;
    bool clamps = epilogue->activation != ACTIVATION_NONE && epilogue_is_clamp(epilogue);
    vec low = vec_all(epilogue_low(epilogue)), high = vec_all(epilogue_high(epilogue));
    vec bias = s->bias ? vec_load_some(s->bias + channel, wanted) : vec_all(0), sum[STRIP];

    UNROLL
    for (int64_t i = 0; i < outputs; i++)
        sum[i] = bias;
    sum_taps(s, channel, wanted, sum, outputs);
    UNROLL
    for (int64_t i = 0; i < outputs; i++) {
        int64_t at = i * s->conv->dst.pixel + channel;
        if (s->residual)
            sum[i] += vec_load_some(s->residual + at, wanted);
        if (clamps)
            sum[i] = vec_max(vec_min(sum[i], high), low);
        vec_store_some(s->dst + at, sum[i], wanted);
    }
}

ALWAYS_INLINE void compute_channels(const struct strip *s, const int64_t outputs)
{
    int64_t channel = 0, channels = s->conv->out_channels;

    for (; channel + LANES <= channels; channel += LANES)
        compute_vec(s, channel, LANES, outputs);
    if (channel < channels)
        compute_vec(s, channel, (int)(channels - channel), outputs);
    for (int64_t i = 0; i < outputs && !epilogue_is_clamp(&s->conv->epilogue); i++)
        KERNEL(activate)(&s->conv->epilogue, s->dst + i * s->conv->dst.pixel, channels);
}

static void compute_strip(const struct strip *strip)
{
    compute_channels(strip, STRIP);
}

static void compute_half(const struct strip *strip)
{
    compute_channels(strip, STRIP / 2);
}

static void compute_one(const struct strip *strip)
{
    compute_channels(strip, 1);
}

/* --- rows ----------------------------------------------------------------------------------- */

static struct strip strip_at(const struct depthwise *d, int64_t row, int64_t x)
{
    const struct conv *conv = d->conv;
    const struct conv_operands *operands = d->operands;
    int64_t image = row / conv->out.y, y = row % conv->out.y;
    int64_t in_y = y * conv->stride.y - conv->before.y, in_x = x * conv->stride.x - conv->before.x;
    struct range rows = taps_inside(in_y, conv->dilation.y, conv->kernel.y, conv->in.y);
    struct range columns = taps_inside(in_x, conv->dilation.x, conv->kernel.x, conv->in.x);
    int64_t at = image * conv->dst.image + y * conv->dst.row + x * conv->dst.pixel;

    return (struct strip){
        .conv = conv,
        .taps = {rows.end - rows.first, columns.end - columns.first},
        .src = operands->src + image * conv->src.image +
               (in_y + rows.first * conv->dilation.y) * conv->src.row +
               (in_x + columns.first * conv->dilation.x) * conv->src.pixel,
        .weights = operands->packed + (rows.first * conv->kernel.x + columns.first) * d->width,
        .bias = operands->bias,
        .residual = operands->residual ? operands->residual + at : NULL,
        .dst = operands->dst + at,
        .width = d->width,
    };
}

static void compute_row(const struct depthwise *d, int64_t row)
{
    for (int64_t x = 0, outputs; x < d->conv->out.x; x += outputs) {
        struct strip strip = strip_at(d, row, x);
        int64_t inside = x < d->begin ? 0 : d->end - x;
        outputs = inside >= STRIP ? STRIP : inside >= STRIP / 2 ? STRIP / 2 : 1;
        if (outputs == STRIP)
            compute_strip(&strip);
        else if (outputs == STRIP / 2)
            compute_half(&strip);
        else
            compute_one(&strip);
    }
}

static void compute_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct depthwise *d = data;

    (void)member;
    for (int64_t row = begin; row < end; row++)
        compute_row(d, row);
}

static void run(const struct conv *conv, const struct conv_operands *operands, struct team *team)
{
    int64_t reach = (conv->kernel.x - 1) * conv->dilation.x, rows = conv->batch * conv->out.y;
    struct depthwise d = {.conv = conv, .operands = operands, .width = width_of(conv)};
    int64_t members = team_size(team), stride = conv->stride.x, slack = conv->in.x - 1 - reach;

    d.begin = conv->before.x > 0 ? (conv->before.x + stride - 1) / stride : 0;
    d.end =
        limit(slack + conv->before.x < 0 ? 0 : (slack + conv->before.x) / stride + 1, conv->out.x);
    team_share(team, rows, rows / (4 * members), compute_rows, &d);
}

const struct conv_kernel KERNEL(depthwise) = {
    .fits = fits,
    .packed_size = packed_size,
    .pack = pack,
    .scratch_size = scratch_size,
    .run = run,
};
