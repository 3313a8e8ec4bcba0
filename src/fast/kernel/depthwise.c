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

static bool depthwise_fits(const struct conv *conv)
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

/*
 * Below, `outputs` and `pattern` are constants wherever functions are expanded.  A pattern is the
 * stride of three neighbouring taps along x, whose outputs share what they load, or ANY.
 */
enum { ANY, PATTERNS = 3, THREE = 3 };

/* What a row of taps of some channels has. */
struct row {
    const float *src, *weights;
    int wanted; /* channels */
};

ALWAYS_INLINE void add_any(const struct strip *s, const struct row *row, vec *sum,
                           const int64_t outputs)
{
    const struct conv *conv = s->conv;
    int64_t step = conv->stride.x * conv->src.pixel;
    const float *src = row->src;

    for (int64_t x = 0; x < s->taps.x; x++) {
        vec weight = vec_load(row->weights + x * s->width);
        UNROLL
        for (int64_t i = 0; i < outputs; i++)
            sum[i] += weight * vec_load_some(src + i * step, row->wanted);
        src += conv->dilation.x * conv->src.pixel;
    }
}

ALWAYS_INLINE void add_three(const struct strip *s, const struct row *row, vec *sum,
                             const int64_t outputs, const int64_t stride)
{
    vec weight[THREE];

    UNROLL
    for (int64_t x = 0; x < THREE; x++)
        weight[x] = vec_load(row->weights + x * s->width);
    UNROLL
    for (int64_t at = 0; at < (outputs - 1) * stride + THREE; at++) {
        vec item = vec_load_some(row->src + at * s->conv->src.pixel, row->wanted);
        UNROLL
        for (int64_t x = 0; x < THREE; x++)
            if (at >= x && (at - x) % stride == 0 && (at - x) / stride < outputs)
                sum[(at - x) / stride] += weight[x] * item;
    }
}

ALWAYS_INLINE void sum_taps(const struct strip *s, struct row row, vec *sum, const int64_t outputs,
                            const int64_t pattern)
{
    for (int64_t y = 0; y < s->taps.y; y++) {
        if (pattern == ANY)
            add_any(s, &row, sum, outputs);
        else
            add_three(s, &row, sum, outputs, pattern);
        row.src += s->conv->dilation.y * s->conv->src.row;
        row.weights += s->conv->kernel.x * s->width;
    }
}

/* LANES channels, of which `wanted` are there. */
ALWAYS_INLINE void compute_vec(const struct strip *s, int64_t channel, int wanted,
                               const int64_t outputs, const int64_t pattern)
{
    const struct epilogue *epilogue = &s->conv->epilogue;
    bool clamps = epilogue->activation != ACTIVATION_NONE && epilogue_is_clamp(epilogue);
    vec low = vec_all(epilogue_low(epilogue)), high = vec_all(epilogue_high(epilogue));
    vec bias = s->bias ? vec_load_some(s->bias + channel, wanted) : vec_all(0), sum[STRIP];

    UNROLL
    for (int64_t i = 0; i < outputs; i++)
        sum[i] = bias;
    sum_taps(s, (struct row){s->src + channel, s->weights + channel, wanted}, sum, outputs,
             pattern);
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

ALWAYS_INLINE void compute_channels(const struct strip *s, const int64_t outputs,
                                    const int64_t pattern)
{
    int64_t channel = 0, channels = s->conv->out_channels;

    for (; channel + LANES <= channels; channel += LANES)
        compute_vec(s, channel, LANES, outputs, pattern);
    if (channel < channels)
        compute_vec(s, channel, (int)(channels - channel), outputs, pattern);
    for (int64_t i = 0; i < outputs && !epilogue_is_clamp(&s->conv->epilogue); i++)
        KERNEL(activate)(&s->conv->epilogue, s->dst + i * s->conv->dst.pixel, channels);
}

#define PATTERNS_OF(SIZE, outputs) SIZE(outputs, 0) SIZE(outputs, 1) SIZE(outputs, 2)
#define SIZES(SIZE) \
    PATTERNS_OF(SIZE, 1) PATTERNS_OF(SIZE, 2) PATTERNS_OF(SIZE, 4) PATTERNS_OF(SIZE, 8)

#define DEFINE_STRIP(outputs, pattern)                                       \
    static void strip_of_##outputs##_by_##pattern(const struct strip *strip) \
    {                                                                        \
        compute_channels(strip, outputs, pattern);                           \
    }
SIZES(DEFINE_STRIP)

#define STRIP_ENTRY(outputs, pattern) [outputs][pattern] = strip_of_##outputs##_by_##pattern,
typedef void strip_function(const struct strip *strip);
static strip_function *const strips[STRIP + 1][PATTERNS] = {SIZES(STRIP_ENTRY)};

static int64_t pattern_of(const struct strip *s)
{
    const struct conv *conv = s->conv;
    bool fits = s->taps.x == THREE && conv->dilation.x == 1 && conv->stride.x < PATTERNS;

    return fits ? conv->stride.x : ANY;
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
        for (outputs = STRIP; outputs > 1 && outputs > inside;)
            outputs /= 2;
        strips[outputs][pattern_of(&strip)](&strip);
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
    .name = "depthwise",
    .fits = depthwise_fits,
    .packed_size = packed_size,
    .pack = pack,
    .scratch_size = scratch_size,
    .run = run,
};
