/*
 * depthwise.c - convolutions of each channel by a filter of its own
 *
 * A strip is some neighbouring outputs of a row, which are computed at once, channels innermost. If
 * two rows of outputs share rows of the image, a strip covers both.  Taps outside the image are
 * left out.
 */
#include "base/num.h"
#include "kernel/activate.h"
#include "kernel/half.h"
#include "kernel/range.h"
#include "kernel/table.h"

#include <assert.h>

/* Outputs of a strip along x, and along y: registers hold their sums, and the weights of a row. */
#if LANES == 16
enum { STRIP = 8, TALL_STRIP = 8, TALL = 2 };
#else
enum { STRIP = 8, TALL_STRIP = 4, TALL = 2 };
#endif

/* A run of the kernel, shared among members by rows of outputs. */
struct depthwise {
    const struct conv *conv;
    const struct conv_operands *operands;
    int64_t width; /* channels in whole vectors */
    int64_t tall;  /* rows that are computed together, if an image has so many left */
};

/* A strip, with all addresses that its taps start from. */
struct depthwise_strip {
    const struct conv *conv;
    struct tap_range rows; /* taps along y that are inside the image, from the first output's on */
    int64_t until_top; /* rows of src from the first one inside to where the ring begins again */
    struct tap_range columns; /* like rows */
    uint32_t inside;          /* the same, a bit for each of the first 32 columns */
    const float *src; /* in the first row that is inside, where the first output's first tap is */
    const float *weights, *bias, *residual;
    float *dst;
    int64_t width;     /* items from tap to tap of the weights */
    int64_t tall_step; /* from the weights of a row for the second outputs to those for the first */
};

/* --- geometry and packing ------------------------------------------------------------------- */

static bool depthwise_fits(const struct conv *conv)
{
    return conv->groups == conv->in_channels && conv->groups == conv->out_channels;
}

/* Channels in whole vectors: the items of a tap in the packed filter. */
static int64_t width_of(const struct conv *conv)
{
    return num_divide_up(conv->out_channels, LANES) * LANES;
}

static size_t depthwise_packed_size(const struct conv *conv)
{
    return (size_t)(conv->kernel.y * conv->kernel.x * width_of(conv)) * sizeof(float);
}

/* [tap][channel] */
static void depthwise_pack(const struct conv *conv, const struct filter *filter, float *packed,
                           struct team *team)
{
    int64_t width = width_of(conv);

    assert(depthwise_fits(conv));
    (void)team;
    for (int64_t y = 0; y < conv->kernel.y; y++)
        for (int64_t x = 0; x < conv->kernel.x; x++, packed += width) {
            const float *from = (const float *)filter->items + y * filter->y + x * filter->x;
            for (int64_t i = 0; i < width; i++)
                packed[i] = i < conv->out_channels ? from[i * filter->group] : 0;
        }
}

static size_t depthwise_scratch_size(const struct conv *conv, int members)
{
    (void)conv;
    (void)members;
    return 0;
}

/* --- strips --------------------------------------------------------------------------------- */

/* Move the strip by so many outputs along the row. */
static void go_right(struct depthwise_strip *s, int64_t outputs)
{
    const struct conv *conv = s->conv;

    s->columns.first -= outputs * conv->stride.x;
    s->columns.end -= outputs * conv->stride.x;
    s->src += outputs * conv->stride.x * conv->src.pixel;
    s->dst += outputs * conv->dst.pixel;
    if (s->residual)
        s->residual += outputs * conv->dst.pixel;
}

/*
 * Below, `outputs` of a row and `pattern` are constants wherever functions are expanded.  A pattern
 * tells how many neighbouring taps along x share loaded pixels at which stride (ANY: none do), and
 * how many rows of outputs there are.  HALF: channels are in the lower half of a vector.
 */
enum { HALF = 1, MOST_TAPS = 5, MOST_STRIDE = 2, ANY = 0 };

#define PATTERN(taps, stride, tall) (16 * (taps) + 4 * (stride) + 2 * ((tall)-1))

ALWAYS_INLINE int64_t taps_of(const int64_t pattern)
{
    return pattern / 16 % 8;
}

ALWAYS_INLINE int64_t stride_of(const int64_t pattern)
{
    return pattern / 4 % 4;
}

ALWAYS_INLINE int64_t tall_of(const int64_t pattern)
{
    return pattern / 2 % 2 + 1;
}

/* Some channels of a row of the image, which is row y of the windows of the first outputs. */
struct row {
    const float *src, *weights; /* of row y of taps */
    int64_t y;
    int wanted; /* channels */
};

/* Further parts of a pattern: the rows of outputs whose windows have the row, and the number of
 * outputs of a row. */
enum { FIRST = 128, SECOND = 256, BOTH = FIRST | SECOND, OUTPUTS = 512 };

ALWAYS_INLINE int64_t outputs_of(const int64_t pattern)
{
    return pattern / OUTPUTS;
}

struct depthwise_registers {
    vec sum[TALL][STRIP], weight[TALL][MOST_TAPS];
};

ALWAYS_INLINE vec depthwise_load_channels(const float *from, int wanted, const int64_t pattern)
{
    return pattern & HALF ? half_load_some(from, wanted) : vec_load_some(from, wanted);
}

ALWAYS_INLINE void store_channels(float *to, vec x, int wanted, const int64_t pattern)
{
    if (pattern & HALF)
        half_store_some(to, x, wanted);
    else
        vec_store_some(to, x, wanted);
}

ALWAYS_INLINE vec add_product(vec sum, vec x, vec y, const int64_t pattern)
{
    return pattern & HALF ? half_add_product(sum, x, y) : sum + x * y;
}

/* Add a row of taps of any number, stride and dilation. */
ALWAYS_INLINE void add_any(const struct depthwise_strip *s, const struct row *row,
                           struct depthwise_registers *r, const int64_t outputs,
                           const int64_t pattern)
{
    const struct conv *conv = s->conv;

    for (int64_t x = 0; x < conv->kernel.x; x++) {
        vec weight = vec_load(row->weights + x * s->width);
        UNROLL
        for (int64_t i = 0; i < outputs; i++) {
            int64_t column = i * conv->stride.x + x * conv->dilation.x;
            const float *from = row->src + column * conv->src.pixel;
            if (column >= s->columns.first && column < s->columns.end)
                r->sum[0][i] =
                    add_product(r->sum[0][i], weight,
                                depthwise_load_channels(from, row->wanted, pattern), pattern);
        }
    }
}

/* Add the products of a column inside the image with all taps that meet it, for one row of
 * outputs. */
ALWAYS_INLINE void add_column(struct depthwise_registers *r, const int row, vec item,
                              const int64_t column, const int64_t pattern)
{
    const int64_t stride = stride_of(pattern);

    UNROLL
    for (int64_t x = 0; x < taps_of(pattern); x++) {
        const int64_t i = (column - x) / stride;
        if (column >= x && (column - x) % stride == 0 && i < outputs_of(pattern))
            r->sum[row][i] = add_product(r->sum[row][i], r->weight[row][x], item, pattern);
    }
}

/* Add a row of neighbouring taps: each pixel is loaded once for all outputs that it belongs to. */
ALWAYS_INLINE void add_neighbours(const struct depthwise_strip *s, const struct row *row,
                                  struct depthwise_registers *r, const int64_t outputs,
                                  const int64_t pattern)
{
    const int64_t columns = (outputs - 1) * stride_of(pattern) + taps_of(pattern);
    const int64_t all = pattern + OUTPUTS * outputs;
    const float *from = row->src, *second = row->weights - s->tall_step;
    int64_t step = s->conv->src.pixel;
    uint32_t inside = s->inside;

    UNROLL
    for (int64_t x = 0; x < taps_of(pattern); x++) {
        r->weight[0][x] = pattern & FIRST ? vec_load(row->weights + x * s->width) : vec_all(0);
        r->weight[1][x] = pattern & SECOND ? vec_load(second + x * s->width) : vec_all(0);
    }
    UNROLL
    for (int64_t column = 0; column < columns; column++) {
        if (inside >> column & 1) {
            vec item = depthwise_load_channels(from, row->wanted, pattern);
            HIDE_VEC(item); /* or it would be loaded again for each of its products */
            if (pattern & FIRST)
                add_column(r, 0, item, column, all);
            if (pattern & SECOND)
                add_column(r, 1, item, column, all);
        }
        from += step;
        HIDE(from); /* or all addresses would be computed before the first column */
        HIDE(step);
        HIDE(inside);
    }
}

ALWAYS_INLINE void add_row(const struct depthwise_strip *s, const struct row *row,
                           struct depthwise_registers *r, const int64_t outputs,
                           const int64_t pattern)
{
    if (taps_of(pattern) == ANY)
        add_any(s, row, r, outputs, pattern);
    else if (tall_of(pattern) == 1 || row->y < s->conv->stride.y)
        add_neighbours(s, row, r, outputs, pattern + FIRST);
    else if (row->y >= s->conv->kernel.y)
        add_neighbours(s, row, r, outputs, pattern + SECOND);
    else
        add_neighbours(s, row, r, outputs, pattern + BOTH);
}

ALWAYS_INLINE void depthwise_sum_rows(const struct depthwise_strip *s, struct row row,
                                      struct depthwise_registers *r, const int64_t outputs,
                                      const int64_t pattern)
{
    const struct conv *conv = s->conv;
    int64_t until_top = s->until_top;

    for (; row.y < s->rows.end; row.y++) {
        add_row(s, &row, r, outputs, pattern);
        row.src += conv->dilation.y * conv->src.row;
        row.weights += conv->kernel.x * s->width;
        until_top -= conv->dilation.y;
        if (until_top <= 0) {
            row.src -= conv->ring * conv->src.row;
            until_top += conv->ring;
        }
    }
}

ALWAYS_INLINE void clamp_row(const struct epilogue *epilogue, vec *sum, const int64_t outputs)
{
    vec low = vec_all(epilogue_low(epilogue)), high = vec_all(epilogue->high);

    if (clamps_above(epilogue)) {
        UNROLL
        for (int64_t i = 0; i < outputs; i++)
            sum[i] = vec_min(high, sum[i]);
    }
    UNROLL
    for (int64_t i = 0; i < outputs; i++)
        sum[i] = vec_max(low, sum[i]);
}

/* Some channels of the first output of a row. */
struct end {
    int64_t at; /* items from the strip's first output on */
    int wanted;
};

/* Finish the sums of a row and store them. */
ALWAYS_INLINE void end_row(const struct depthwise_strip *s, vec *sum, struct end end,
                           const int64_t outputs, const int64_t pattern)
{
    const struct conv *conv = s->conv;
    const float *residual = s->residual ? s->residual + end.at : NULL;
    float *to = s->dst + end.at;
    int64_t step = conv->dst.pixel;

    if (residual) {
        UNROLL
        for (int64_t i = 0; i < outputs; i++)
            sum[i] += depthwise_load_channels(residual + i * step, end.wanted, pattern);
    }
    if (clamps(&conv->epilogue))
        clamp_row(&conv->epilogue, sum, outputs);
    UNROLL
    for (int64_t i = 0; i < outputs; i++, to += step) {
        store_channels(to, sum[i], end.wanted, pattern);
        HIDE(step);
    }
}

/* All outputs of the strip for one vector of channels, of which `wanted` exist. */
ALWAYS_INLINE void compute_vec(const struct depthwise_strip *s, int64_t channel, int wanted,
                               const int64_t outputs, const int64_t pattern)
{
    vec bias = s->bias ? vec_load_some(s->bias + channel, wanted) : vec_all(0);
    struct depthwise_registers r;

    UNROLL
    for (int64_t i = 0; i < outputs; i++)
        r.sum[0][i] = r.sum[1][i] = vec_all(0);
    depthwise_sum_rows(s,
                       (struct row){s->src + channel, s->weights + channel, s->rows.first, wanted},
                       &r, outputs, pattern);
    UNROLL
    for (int64_t i = 0; i < outputs; i++) {
        r.sum[0][i] += bias;
        r.sum[1][i] += bias;
    }
    end_row(s, r.sum[0], (struct end){channel, wanted}, outputs, pattern);
    if (tall_of(pattern) > 1)
        end_row(s, r.sum[1], (struct end){s->conv->dst.row + channel, wanted}, outputs, pattern);
}

/* A vector that is not full, one output after the other: without masks, all sizes of strips would
 * need much more code. */
static void compute_rest(const struct depthwise_strip *s, int64_t channel, int64_t outputs)
{
    int wanted = (int)(s->conv->out_channels - channel);
    struct depthwise_strip one = *s;

    for (int64_t i = 0; i < outputs; i++) {
        compute_vec(&one, channel, wanted, 1, PATTERN(ANY, 0, 1));
        go_right(&one, 1);
    }
}

static void activate_pixels(const struct depthwise_strip *s, int64_t outputs, int64_t tall)
{
    const struct conv *conv = s->conv;

    for (int64_t y = 0; y < tall; y++)
        for (int64_t x = 0; x < outputs; x++)
            KERNEL(activate)
    (&conv->epilogue, s->dst + y * conv->dst.row + x * conv->dst.pixel, conv->out_channels);
}

ALWAYS_INLINE void compute_channels(const struct depthwise_strip *s, const int64_t outputs,
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
    if (!epilogue_is_clamp(&s->conv->epilogue))
        activate_pixels(s, outputs, tall_of(pattern));
}

#define SIZES_1_TO_4(SIZE, taps, stride, tall) \
    SIZE(1, taps, stride, tall)                \
    SIZE(2, taps, stride, tall) SIZE(3, taps, stride, tall) SIZE(4, taps, stride, tall)
#define SIZES_1_TO_8(SIZE, taps, stride, tall) \
    SIZES_1_TO_4(SIZE, taps, stride, tall)     \
    SIZE(5, taps, stride, tall)                \
    SIZE(6, taps, stride, tall) SIZE(7, taps, stride, tall) SIZE(8, taps, stride, tall)
#if LANES == 16
#define TALL_SIZES(SIZE, taps, stride) SIZES_1_TO_8(SIZE, taps, stride, 2)
#else
#define TALL_SIZES(SIZE, taps, stride) SIZES_1_TO_4(SIZE, taps, stride, 2)
#endif
#define SIZES(SIZE)             \
    SIZES_1_TO_8(SIZE, 0, 0, 1) \
    SIZES_1_TO_8(SIZE, 3, 1, 1) \
    SIZES_1_TO_8(SIZE, 3, 2, 1) \
    SIZES_1_TO_8(SIZE, 5, 1, 1) \
    SIZES_1_TO_8(SIZE, 5, 2, 1) TALL_SIZES(SIZE, 3, 1) TALL_SIZES(SIZE, 3, 2)

#define DEFINE_STRIP(outputs, taps, stride, tall)                      \
    static void strip_of_##outputs##_by_##taps##_##stride##_##tall(    \
        const struct depthwise_strip *strip)                           \
    {                                                                  \
        compute_channels(strip, outputs, PATTERN(taps, stride, tall)); \
    }
SIZES(DEFINE_STRIP)

#define STRIP_ENTRY(outputs, taps, stride, tall) \
    [taps][stride][(tall)-1][outputs] = strip_of_##outputs##_by_##taps##_##stride##_##tall,
typedef void strip_function(const struct depthwise_strip *strip);
static strip_function *const strips[MOST_TAPS + 1][MOST_STRIDE + 1][TALL][STRIP + 1] = {
    SIZES(STRIP_ENTRY)};

/* The functions of strips, by number of outputs, that are expanded for the taps and the stride of
 * this convolution; or those for any. */
static strip_function *const *functions_of(const struct conv *conv, int64_t tall)
{
    int64_t taps = conv->kernel.x, stride = conv->stride.x;
    bool fits = taps <= MOST_TAPS && stride <= MOST_STRIDE && conv->dilation.x == 1;

    return fits && strips[taps][stride][tall - 1][1] ? strips[taps][stride][tall - 1]
                                                     : strips[ANY][0][0];
}

/* --- rows ----------------------------------------------------------------------------------- */

/* The first strip of a row, or of `tall` rows. */
static struct depthwise_strip strip_at(const struct depthwise *d, int64_t row, int64_t tall)
{
    const struct conv *conv = d->conv;
    const struct conv_operands *operands = d->operands;
    int64_t image = row / conv->out.y, y = row % conv->out.y;
    int64_t in_y = y * conv->stride.y - conv->before.y;
    int64_t taps = conv->kernel.y + (tall - 1) * conv->stride.y;
    struct tap_range rows = taps_inside(in_y, conv->dilation.y, taps, conv->in.y);
    int64_t first = in_y + rows.first * conv->dilation.y;
    int64_t from = conv->ring > 0 && first > 0 ? first % conv->ring : first;
    int64_t at = image * conv->dst.image + y * conv->dst.row;

    return (struct depthwise_strip){
        .conv = conv,
        .rows = rows,
        .until_top = conv->ring > 0 ? conv->ring - from : INT64_MAX,
        .columns = {conv->before.x, conv->in.x + conv->before.x},
        .src = operands->src + image * conv->src.image + from * conv->src.row -
               conv->before.x * conv->src.pixel,
        .weights = operands->packed + rows.first * conv->kernel.x * d->width,
        .bias = operands->bias,
        .residual = operands->residual ? operands->residual + at : NULL,
        .dst = operands->dst + at,
        .width = d->width,
        .tall_step = conv->stride.y * conv->kernel.x * d->width,
    };
}

static void compute_rows(void *data, int64_t begin, int64_t end, int member)
{
    const struct depthwise *d = data;
    const struct conv *conv = d->conv;
    const int64_t height = conv->out.y;

    (void)member;
    for (int64_t row = begin, tall; row < end; row += tall) {
        int64_t left = end < (row / height + 1) * height ? end - row : height - row % height;
        tall = left < d->tall ? 1 : d->tall;

        /* Strips of nearly the same size. */
        strip_function *const *functions = functions_of(conv, tall);
        int64_t count = num_divide_up(conv->out.x, tall > 1 ? TALL_STRIP : STRIP);
        struct depthwise_strip strip = strip_at(d, row, tall);
        for (int64_t i = 0, x = 0, next; i < count; i++, x = next) {
            uint64_t below_end = (UINT64_C(1) << limit(strip.columns.end, 32)) - 1;
            int64_t first = limit(strip.columns.first, 32);
            next = conv->out.x * (i + 1) / count;
            strip.inside = (uint32_t)(below_end >> first << first);
            functions[next - x](&strip);
            go_right(&strip, next - x);
        }
    }
}

static void depthwise_run(const struct conv *conv, const struct conv_operands *operands,
                          struct team *team)
{
    int64_t rows = conv->batch * conv->out.y, members = team_size(team);
    struct depthwise d = {.conv = conv, .operands = operands, .width = width_of(conv), .tall = 1};

    /* Two rows together, if they share rows of the image and there are functions for it. */
    bool shares = conv->dilation.y == 1 && conv->stride.y < conv->kernel.y;
    bool whole = HAS_HALVES || conv->out_channels % LANES == 0;

    assert(depthwise_fits(conv) && conv->ring >= 0);
    assert(operands->src && operands->packed && operands->dst);
    if (shares && whole && functions_of(conv, TALL) != strips[ANY][0][0])
        d.tall = TALL;
    int64_t parts = rows / (4 * members * d.tall);
    team_share(team, rows, d.tall * num_max(parts, 1), compute_rows, &d);
}

const struct conv_kernel KERNEL(depthwise) = {
    .name = "depthwise",
    .fits = depthwise_fits,
    .packed_size = depthwise_packed_size,
    .pack = depthwise_pack,
    .scratch_size = depthwise_scratch_size,
    .run = depthwise_run,
};
