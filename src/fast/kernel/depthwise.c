/*
 * depthwise.c - convolutions of each channel by a filter of its own
 *
 * Neighbouring outputs of a row are computed at once, a strip, channels innermost.  A strip leaves out what
 * its windows have outside the image.
 */
#include "fast/kernel/activate.h"
#include "fast/kernel/clamp.h"
#include "fast/kernel/half.h"
#include "fast/kernel/range.h"
#include "fast/kernel/table.h"

enum { STRIP = 8 /* outputs */ };

struct depthwise {
    const struct conv *conv;
    const struct conv_operands *operands;
    int64_t width;  /* channels in whole vectors */
    int64_t strips; /* of a row */
};

struct strip {
    const struct conv *conv;
    int64_t rows;         /* of taps that are inside the image */
    int64_t until_top;    /* rows of src from the first one to where they begin again */
    struct range columns; /* of those from the first output's first tap on, which are inside */
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
 * Below, `outputs` and `pattern` are constants wherever functions are expanded.  Of a pattern, that many
 * neighbouring taps along x share what they load at a stride, or none do.  HALF: channels are in the lower
 * half of a vector.
 */
enum { HALF = 1, MOST_TAPS = 5, MOST_STRIDE = 2, ANY = 0 };

#define PATTERN(taps, stride) (8 * (taps) + 2 * (stride))

ALWAYS_INLINE int64_t taps_of(const int64_t pattern)
{
    return pattern / 8;
}

ALWAYS_INLINE int64_t stride_of(const int64_t pattern)
{
    return pattern / 2 % 4;
}

/* What a row of taps of some channels has. */
struct row {
    const float *src, *weights;
    int wanted; /* channels */
};

struct registers {
    vec sum[STRIP], weight[MOST_TAPS];
};

static bool is_inside(const struct strip *s, int64_t column)
{
    return column >= s->columns.first && column < s->columns.end;
}

ALWAYS_INLINE vec add_product(vec sum, vec x, vec y, const int64_t pattern)
{
    return pattern & HALF ? half_add_product(sum, x, y) : sum + x * y;
}

ALWAYS_INLINE void add_any(const struct strip *s, const struct row *row, struct registers *r,
                           const int64_t outputs, const int64_t pattern)
{
    const struct conv *conv = s->conv;

    for (int64_t x = 0; x < conv->kernel.x; x++) {
        vec weight = vec_load(row->weights + x * s->width);
        UNROLL
        for (int64_t i = 0; i < outputs; i++) {
            int64_t column = i * conv->stride.x + x * conv->dilation.x;
            const float *from = row->src + column * conv->src.pixel;
            if (is_inside(s, column))
                r->sum[i] =
                    add_product(r->sum[i], weight, vec_load_some(from, row->wanted), pattern);
        }
    }
}

/* Add the products of a column, which is inside, with all taps that meet it. */
ALWAYS_INLINE void add_column(struct registers *r, vec item, const int64_t column,
                              const int64_t outputs, const int64_t pattern)
{
    const int64_t stride = stride_of(pattern);

    UNROLL
    for (int64_t x = 0; x < taps_of(pattern); x++) {
        const int64_t i = (column - x) / stride;
        if (column >= x && (column - x) % stride == 0 && i < outputs)
            r->sum[i] = add_product(r->sum[i], r->weight[x], item, pattern);
    }
}

ALWAYS_INLINE void add_neighbours(const struct strip *s, const struct row *row, struct registers *r,
                                  const int64_t outputs, const int64_t pattern)
{
    const int64_t columns = (outputs - 1) * stride_of(pattern) + taps_of(pattern);

    UNROLL
    for (int64_t x = 0; x < taps_of(pattern); x++)
        r->weight[x] = vec_load(row->weights + x * s->width);
    UNROLL
    for (int64_t column = 0; column < columns; column++) {
        const float *from = row->src + column * s->conv->src.pixel;
        if (is_inside(s, column))
            add_column(r, vec_load_some(from, row->wanted), column, outputs, pattern);
    }
}

ALWAYS_INLINE void sum_rows(const struct strip *s, struct row row, struct registers *r,
                            const int64_t outputs, const int64_t pattern)
{
    const struct conv *conv = s->conv;
    int64_t until_top = s->until_top;

    for (int64_t y = 0; y < s->rows; y++) {
        if (taps_of(pattern) == ANY)
            add_any(s, &row, r, outputs, pattern);
        else
            add_neighbours(s, &row, r, outputs, pattern);
        row.src += conv->dilation.y * conv->src.row;
        row.weights += conv->kernel.x * s->width;
        until_top -= conv->dilation.y;
        if (until_top <= 0) {
            row.src -= conv->ring * conv->src.row;
            until_top += conv->ring;
        }
    }
}

/* LANES channels, of which `wanted` are there. */
ALWAYS_INLINE void compute_vec(const struct strip *s, int64_t channel, int wanted,
                               const int64_t outputs, const int64_t pattern)
{
    const struct epilogue *epilogue = &s->conv->epilogue;
    vec bias = s->bias ? vec_load_some(s->bias + channel, wanted) : vec_all(0);
    struct registers r;

    UNROLL
    for (int64_t i = 0; i < outputs; i++)
        r.sum[i] = vec_all(0);
    sum_rows(s, (struct row){s->src + channel, s->weights + channel, wanted}, &r, outputs, pattern);
    UNROLL
    for (int64_t i = 0; i < outputs; i++) {
        int64_t at = i * s->conv->dst.pixel + channel;
        r.sum[i] += bias;
        if (s->residual)
            r.sum[i] += vec_load_some(s->residual + at, wanted);
        if (clamps(epilogue))
            r.sum[i] = vec_clamp(epilogue, r.sum[i]);
        vec_store_some(s->dst + at, r.sum[i], wanted);
    }
}

/* A vector that is not full, one output after the other: without masks there would be much code for little. */
static void compute_rest(const struct strip *s, int64_t channel, int64_t outputs)
{
    int64_t step = s->conv->stride.x * s->conv->src.pixel, pixel = s->conv->dst.pixel;
    int wanted = (int)(s->conv->out_channels - channel);
    struct strip one = *s;

    for (int64_t i = 0; i < outputs; i++) {
        compute_vec(&one, channel, wanted, 1, PATTERN(ANY, 0));
        one.src += step;
        one.dst += pixel;
        if (one.residual)
            one.residual += pixel;
        one.columns.first -= s->conv->stride.x;
        one.columns.end -= s->conv->stride.x;
    }
}

ALWAYS_INLINE void compute_channels(const struct strip *s, const int64_t outputs,
                                    const int64_t pattern)
{
    int64_t channel = 0, channels = s->conv->out_channels;

    for (; channel + LANES <= channels; channel += LANES)
        compute_vec(s, channel, LANES, outputs, pattern);
    int rest = (int)(channels - channel);
    if (rest > 0 && !HAS_HALVES)
        compute_rest(s, channel, outputs);
    else if (rest > LANES / 2)
        compute_vec(s, channel, rest, outputs, pattern);
    else if (rest > 0)
        compute_vec(s, channel, rest, outputs, pattern + HALF);
    for (int64_t i = 0; i < outputs && !epilogue_is_clamp(&s->conv->epilogue); i++)
        KERNEL(activate)(&s->conv->epilogue, s->dst + i * s->conv->dst.pixel, channels);
}

#define SIZES_OF(SIZE, taps, stride) \
    SIZE(1, taps, stride)            \
    SIZE(2, taps, stride)            \
    SIZE(3, taps, stride)            \
    SIZE(4, taps, stride)            \
    SIZE(5, taps, stride) SIZE(6, taps, stride) SIZE(7, taps, stride) SIZE(8, taps, stride)
#define SIZES(SIZE)      \
    SIZES_OF(SIZE, 0, 0) \
    SIZES_OF(SIZE, 3, 1) SIZES_OF(SIZE, 3, 2) SIZES_OF(SIZE, 5, 1) SIZES_OF(SIZE, 5, 2)

#define DEFINE_STRIP(outputs, taps, stride)                                          \
    static void strip_of_##outputs##_by_##taps##_##stride(const struct strip *strip) \
    {                                                                                \
        compute_channels(strip, outputs, PATTERN(taps, stride));                     \
    }
SIZES(DEFINE_STRIP)

#define STRIP_ENTRY(outputs, taps, stride) \
    [taps][stride][outputs] = strip_of_##outputs##_by_##taps##_##stride,
typedef void strip_function(const struct strip *strip);
static strip_function *const strips[MOST_TAPS + 1][MOST_STRIDE + 1][STRIP + 1] = {
    SIZES(STRIP_ENTRY)};

static strip_function *function_of(const struct conv *conv, int64_t outputs)
{
    int64_t taps = conv->kernel.x, stride = conv->stride.x;
    bool fits = taps <= MOST_TAPS && stride <= MOST_STRIDE && conv->dilation.x == 1;

    if (fits && strips[taps][stride][outputs])
        return strips[taps][stride][outputs];
    return strips[ANY][0][outputs];
}

/* --- rows ----------------------------------------------------------------------------------- */

static struct strip strip_at(const struct depthwise *d, int64_t row, int64_t x)
{
    const struct conv *conv = d->conv;
    const struct conv_operands *operands = d->operands;
    int64_t image = row / conv->out.y, y = row % conv->out.y;
    int64_t in_y = y * conv->stride.y - conv->before.y, in_x = x * conv->stride.x - conv->before.x;
    struct range rows = taps_inside(in_y, conv->dilation.y, conv->kernel.y, conv->in.y);
    int64_t first = in_y + rows.first * conv->dilation.y;
    int64_t from = conv->ring > 0 && first > 0 ? first % conv->ring : first;
    int64_t at = image * conv->dst.image + y * conv->dst.row + x * conv->dst.pixel;

    return (struct strip){
        .conv = conv,
        .rows = rows.end - rows.first,
        .until_top = conv->ring > 0 ? conv->ring - from : INT64_MAX,
        .columns = {-in_x, conv->in.x - in_x},
        .src =
            operands->src + image * conv->src.image + from * conv->src.row + in_x * conv->src.pixel,
        .weights = operands->packed + rows.first * conv->kernel.x * d->width,
        .bias = operands->bias,
        .residual = operands->residual ? operands->residual + at : NULL,
        .dst = operands->dst + at,
        .width = d->width,
    };
}

/* In strips of nearly the same size. */
static void compute_row(const struct depthwise *d, int64_t row)
{
    const struct conv *conv = d->conv;

    for (int64_t i = 0, x = 0, end; i < d->strips; i++, x = end) {
        struct strip strip = strip_at(d, row, x);
        end = conv->out.x * (i + 1) / d->strips;
        function_of(conv, end - x)(&strip);
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
    int64_t rows = conv->batch * conv->out.y, members = team_size(team);
    struct depthwise d = {.conv = conv, .operands = operands, .width = width_of(conv)};

    d.strips = (conv->out.x + STRIP - 1) / STRIP;
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
