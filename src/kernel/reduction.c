/*
 * reduction.c - see reduction.h
 *
 * Long sums are made of short ones, so that errors of rounding do not add up.
 */
#include "kernel/reduction.h"

#include "base/num.h"
#include "kernel/math.h"
#include "kernel/table.h"
#include "kernel/transpose.h"

#include <assert.h>

/* Rows that soften() and normalize() do together; vectors of a sum in registers; items of a short
 * sum. */
enum { TOGETHER = 8 };
enum { WIDE = 4, WIDE_ITEMS = WIDE * LANES, SHORT_ROW = 256 * LANES, SHORT_COLUMN = 64 };

/* --- a fold of two vectors ------------------------------------------------------------------ */

/* A maximum or minimum may lose NaN; callers that must keep it look for NaN themselves. */
ALWAYS_INLINE vec fold_two(enum fold_kind fold, vec sum, vec x)
{
    if (fold == FOLD_MAX)
        return vec_max(sum, x);
    if (fold == FOLD_MIN)
        return vec_min(sum, x);
    return sum + x;
}

ALWAYS_INLINE float start_of(enum fold_kind fold)
{
    return fold == FOLD_MAX ? -INFINITY : fold == FOLD_MIN ? INFINITY : 0;
}

ALWAYS_INLINE double fold_item(enum fold_kind fold, double sum, double item)
{
    if (fold == FOLD_MAX)
        return sum > item ? sum : item;
    if (fold == FOLD_MIN)
        return sum < item ? sum : item;
    return sum + item;
}

/* The largest or the smallest lane. */
ALWAYS_INLINE double find_lane(enum fold_kind fold, vec x)
{
    UNROLL
    for (int step = LANES / 2; step > 0; step /= 2)
        x = fold_two(fold, x, vec_pick(x, x, vec_lanes() ^ step));
    return (double)x[0];
}

ALWAYS_INLINE double fold_lanes(enum fold_kind fold, double sum, vec x)
{
    return fold_item(fold, sum, fold == FOLD_SUM ? vec_sum(x) : find_lane(fold, x));
}

/* --- rows ----------------------------------------------------------------------------------- */

/* The first `count` lanes of a vector; the others are as if they were not folded. */
ALWAYS_INLINE vec lanes_to_fold(enum fold_kind fold, vec x, int count)
{
    return count == LANES ? x : vec_select(vec_lanes() < count, x, vec_all(start_of(fold)));
}

/* The items of a row from `i` on, at most LANES. */
ALWAYS_INLINE int items_at(int64_t i, int64_t length)
{
    return length - i < LANES ? (int)(length - i) : LANES;
}

/* Fold at most SHORT_ROW items. */
ALWAYS_INLINE double fold_short(enum fold_kind fold, double total, const float *x, int64_t length)
{
    vec sum[WIDE];
    int64_t i = 0;

    for (int k = 0; k < WIDE; k++)
        sum[k] = vec_all(start_of(fold));
    for (; i + WIDE_ITEMS <= length; i += WIDE_ITEMS) {
        UNROLL
        for (int64_t k = 0; k < WIDE; k++)
            sum[k] = fold_two(fold, sum[k], vec_load(x + i + k * LANES));
    }
    for (; i + LANES <= length; i += LANES)
        sum[0] = fold_two(fold, sum[0], vec_load(x + i));
    if (i < length) {
        int rest = (int)(length - i);
        sum[1] = fold_two(fold, sum[1], lanes_to_fold(fold, vec_load_some(x + i, rest), rest));
    }
    sum[0] = fold_two(fold, fold_two(fold, sum[0], sum[1]), fold_two(fold, sum[2], sum[3]));
    return fold_lanes(fold, total, sum[0]);
}

ALWAYS_INLINE double fold_items(enum fold_kind fold, const float *x, int64_t length)
{
    double total = (double)start_of(fold);

    for (int64_t i = 0; i < length; i += SHORT_ROW)
        total = fold_short(fold, total, x + i, length - i < SHORT_ROW ? length - i : SHORT_ROW);
    return total;
}

/* Is any item NaN? */
static bool has_nan(const float *x, int64_t length)
{
    ints found = {0};
    int32_t any = 0;
    int64_t i = 0;

    for (; i + LANES <= length; i += LANES)
        found |= ~vec_is_number(vec_load(x + i));
    if (i < length)
        found |= ~vec_is_number(vec_load_some(x + i, (int)(length - i)));
    for (int lane = 0; lane < LANES; lane++)
        any |= found[lane];
    return any != 0;
}

/* NaN if any item is NaN. */
ALWAYS_INLINE double find_extreme(enum fold_kind fold, const float *x, int64_t length)
{
    double total = (double)start_of(fold);

    for (int64_t i = 0; i < length; i += SHORT_ROW) {
        int64_t count = length - i < SHORT_ROW ? length - i : SHORT_ROW;
        if (has_nan(x + i, count))
            return (double)NAN;
        total = fold_short(fold, total, x + i, count);
    }
    return total;
}

static void fold_row(enum fold_kind fold, float *to, const float *from, int64_t length)
{
    assert(length >= 0);
    switch (fold) {
    case FOLD_SUM:
        *to = (float)fold_items(FOLD_SUM, from, length);
        return;
    case FOLD_MEAN:
        *to = (float)(fold_items(FOLD_SUM, from, length) / (double)length);
        return;
    case FOLD_MAX:
        *to = (float)find_extreme(FOLD_MAX, from, length);
        return;
    case FOLD_MIN:
        *to = (float)find_extreme(FOLD_MIN, from, length);
        return;
    }
}

/* to[i] = exp(from[i] - most); returns their sum. */
static double exp_row(float *to, const float *from, float most, int64_t length)
{
    double total = 0;

    for (int64_t i = 0, end; i < length; i = end) {
        vec sum = vec_all(0);
        end = num_min(length, i + SHORT_ROW);
        for (; i < end; i += LANES) {
            int count = items_at(i, end);
            vec y = vec_exp(vec_load_most(from + i, count) - most);
            vec_store_most(to + i, y, count);
            sum += lanes_to_fold(FOLD_SUM, y, count);
        }
        total = fold_lanes(FOLD_SUM, total, sum);
    }
    return total;
}

static void scale_row(float *row, float factor, int64_t length)
{
    for (int64_t i = 0; i < length; i += LANES) {
        int count = items_at(i, length);
        vec_store_most(row + i, vec_load_most(row + i, count) * factor, count);
    }
}

/* exp(x - max) cannot overflow, and the sum is at least 1 if no item is NaN. */
static void softmax_row(float *to, const float *from, int64_t length)
{
    float most = (float)fold_items(FOLD_MAX, from, length);

    assert(length >= 0 && to && from);
    scale_row(to, (float)(1 / exp_row(to, from, most, length)), length);
}

/* --- weights of attention ------------------------------------------------------------------- */

/* The mask of `count` items. */
ALWAYS_INLINE vec mask_at(const struct softening *s, const float *mask, int64_t i, int count)
{
    return !mask ? vec_all(0) : s->mask_column ? vec_load_most(mask + i, count) : vec_all(*mask);
}

/* Scale and mask a row; returns the largest item. */
static float mask_row(const struct softening *s, float *row, const float *mask)
{
    vec most = vec_all(-INFINITY);

    for (int64_t i = 0; i < s->length; i += LANES) {
        int count = items_at(i, s->length);
        vec x = vec_load_most(row + i, count) * s->scale + mask_at(s, mask, i, count);
        vec_store_most(row + i, x, count);
        most = vec_max(most, lanes_to_fold(FOLD_MAX, x, count));
    }
    return (float)find_lane(FOLD_MAX, most);
}

static void soften(float *weights, const struct softening *s)
{
    float most[TOGETHER];
    double total[TOGETHER];

    assert(s->rows >= 0 && s->length >= 0);
    assert(!s->mask || s->mask_column == 0 || s->mask_column == 1);
    /* Some rows at a time, so that no row waits for the divisor of another. */
    for (int64_t first = 0; first < s->rows; first += TOGETHER) {
        float *rows = weights + first * s->length;
        const float *mask = s->mask ? s->mask + first * s->mask_row : NULL;
        int64_t count = num_min(s->rows - first, TOGETHER);
        for (int64_t i = 0; i < count; i++)
            most[i] = mask_row(s, rows + i * s->length, mask ? mask + i * s->mask_row : NULL);
        for (int64_t i = 0; i < count; i++) {
            float *row = rows + i * s->length;
            total[i] = exp_row(row, row, most[i], s->length);
        }
        for (int64_t i = 0; i < count; i++)
            scale_row(rows + i * s->length, (float)(1 / total[i]), s->length);
    }
}

/* The reciprocal of the deviation of a row. */
static float deviation_factor(const float *row, float mean, const struct row_normalization *how)
{
    const int64_t length = how->length;
    double squares = 0;

    /* The sum of (x - mean)^2, made of short ones. */
    for (int64_t i = 0, end; i < length; i = end) {
        vec sum = vec_all(0);
        end = num_min(length, i + SHORT_ROW);
        for (; i < end; i += LANES) {
            int count = items_at(i, end);
            vec d = vec_load_most(row + i, count) - mean;
            sum += lanes_to_fold(FOLD_SUM, d * d, count);
        }
        squares = fold_lanes(FOLD_SUM, squares, sum);
    }
    return (float)(1 / sqrt(squares / (double)length + how->epsilon));
}

static void normalize_row(float *to, const float *from, float mean, float factor,
                          const struct row_normalization *how)
{
    for (int64_t i = 0; i < how->length; i += LANES) {
        int count = items_at(i, how->length);
        vec y = (vec_load_most(from + i, count) - mean) * factor;
        y = y * vec_load_most(how->scale + i, count) + vec_load_most(how->offset + i, count);
        vec_store_most(to + i, y, count);
    }
}

static void normalize(float *to, const float *from, int64_t rows,
                      const struct row_normalization *how)
{
    const int64_t length = how->length;
    float mean[TOGETHER], factor[TOGETHER];

    assert(length > 0 && how->scale && how->offset);
    /* Some rows at a time, so that no row waits for the sums of another. */
    for (int64_t first = 0; first < rows; first += TOGETHER) {
        const int64_t at = first * length, count = num_min(rows - first, TOGETHER);
        for (int64_t i = 0; i < count; i++)
            mean[i] =
                how->centered
                    ? (float)(fold_items(FOLD_SUM, from + at + i * length, length) / (double)length)
                    : 0;
        for (int64_t i = 0; i < count; i++)
            factor[i] = deviation_factor(from + at + i * length, mean[i], how);
        for (int64_t i = 0; i < count; i++)
            normalize_row(to + at + i * length, from + at + i * length, mean[i], factor[i], how);
    }
}

/* --- columns -------------------------------------------------------------------------------- */

/* Fold `count` columns, at most LANES; NaN stays.  Sums are made of short sums. */
ALWAYS_INLINE vec fold_few(enum fold_kind fold, const float *from,
                           const struct reduction_columns *c, int count)
{
    const int64_t block = fold == FOLD_SUM ? SHORT_COLUMN : c->length;
    vec total = vec_all(start_of(fold)), nan = vec_all(0);

    for (int64_t begin = 0; begin < c->length; begin += block) {
        int64_t end = c->length - begin < block ? c->length : begin + block;
        vec sum = vec_all(start_of(fold));
        for (int64_t k = begin; k < end; k++) {
            vec x = vec_load_most(from + k * c->pitch, count);
            sum = fold_two(fold, sum, x);
            nan = fold == FOLD_SUM ? nan : vec_find_nan(nan, x);
        }
        total = fold_two(fold, total, sum);
    }
    return vec_with_nan(total, nan);
}

static void fold_columns(enum fold_kind fold, float *to, const float *from,
                         const struct reduction_columns *columns)
{
    assert(columns->length >= 0 && columns->pitch >= columns->count);
    for (int64_t i = 0; i < columns->count; i += LANES) {
        int count = items_at(i, columns->count);
        vec result = fold == FOLD_MAX   ? fold_few(FOLD_MAX, from + i, columns, count)
                     : fold == FOLD_MIN ? fold_few(FOLD_MIN, from + i, columns, count)
                                        : fold_few(FOLD_SUM, from + i, columns, count);
        if (fold == FOLD_MEAN)
            result /= (float)columns->length;
        vec_store_most(to + i, result, count);
    }
}

static void softmax_columns(float *to, const float *from, const struct reduction_columns *c)
{
    assert(c->length >= 0 && c->pitch >= c->count);
    for (int64_t i = 0; i < c->count; i += LANES, to += LANES, from += LANES) {
        int count = items_at(i, c->count);
        vec most = fold_few(FOLD_MAX, from, c, count), sum = vec_all(0);
        for (int64_t k = 0; k < c->length; k++) {
            vec y = vec_exp(vec_load_most(from + k * c->pitch, count) - most);
            vec_store_most(to + k * c->pitch, y, count);
            sum += y;
        }
        vec factor = 1.0F / sum;
        for (int64_t k = 0; k < c->length; k++) {
            float *at = to + k * c->pitch;
            vec_store_most(at, vec_load_most(at, count) * factor, count);
        }
    }
}

const struct reduction_kernels KERNEL(reductions) = {
    .fold_row = fold_row,
    .fold_columns = fold_columns,
    .softmax_row = softmax_row,
    .soften = soften,
    .softmax_columns = softmax_columns,
    .normalize = normalize,
};
