/*
 * lane.c - see lane.h
 *
 * Long sums are made of short ones, so that errors of rounding do not add up.
 */
#include "fast/kernel/lane.h"

#include "fast/kernel/math.h"
#include "fast/kernel/table.h"

/* Vectors of a sum that is held in registers; vectors and items of a short one. */
enum { WIDE = 4, WIDE_ITEMS = WIDE * LANES, SHORT_ROW = 256 * LANES, SHORT_COLUMN = 64 };

/* --- a fold of two vectors ------------------------------------------------------------------ */

ALWAYS_INLINE vec fold_two(enum fold fold, vec sum, vec x)
{
    if (fold == FOLD_MAX)
        return vec_max(sum, x);
    if (fold == FOLD_MIN)
        return vec_min(sum, x);
    return sum + x;
}

ALWAYS_INLINE float start_of(enum fold fold)
{
    return fold == FOLD_MAX ? -INFINITY : fold == FOLD_MIN ? INFINITY : 0;
}

ALWAYS_INLINE double fold_item(enum fold fold, double sum, double item)
{
    if (fold == FOLD_MAX)
        return sum > item ? sum : item;
    if (fold == FOLD_MIN)
        return sum < item ? sum : item;
    return sum + item;
}

/* In the order of the lanes; `count` of them. */
ALWAYS_INLINE double fold_lanes(enum fold fold, double sum, vec x, int count)
{
    for (int i = 0; i < count; i++)
        sum = fold_item(fold, sum, (double)x[i]);
    return sum;
}

ALWAYS_INLINE double fold_in_order(enum fold fold, double sum, const float *x, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        sum = fold_item(fold, sum, (double)x[i]);
    return sum;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* Of at most SHORT_ROW items. */
ALWAYS_INLINE double fold_short(enum fold fold, double total, const float *x, int64_t length)
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
    sum[0] = fold_two(fold, fold_two(fold, sum[0], sum[1]), fold_two(fold, sum[2], sum[3]));
    total = fold_lanes(fold, total, sum[0], LANES);
    if (i == length)
        return total;
    int rest = (int)(length - i);
    return fold_lanes(fold, total, vec_load_some(x + i, rest), rest);
}

ALWAYS_INLINE double fold_items(enum fold fold, const float *x, int64_t length)
{
    double total = (double)start_of(fold);

    for (int64_t i = 0; i < length; i += SHORT_ROW)
        total = fold_short(fold, total, x + i, length - i < SHORT_ROW ? length - i : SHORT_ROW);
    return total;
}

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

/* NaN gives way to what follows it, so what has some is gone through in its order. */
ALWAYS_INLINE double find_extreme(enum fold fold, const float *x, int64_t length)
{
    double total = (double)start_of(fold);

    for (int64_t i = 0; i < length; i += SHORT_ROW) {
        int64_t count = length - i < SHORT_ROW ? length - i : SHORT_ROW;
        total = has_nan(x + i, count) ? fold_in_order(fold, total, x + i, count)
                                      : fold_short(fold, total, x + i, count);
    }
    return total;
}

static void fold_row(enum fold fold, float *to, const float *from, int64_t length)
{
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
    int64_t i = 0;

    while (i + LANES <= length) {
        int64_t end = length - i < SHORT_ROW ? length : i + SHORT_ROW;
        vec sum = vec_all(0);
        for (; i + LANES <= end; i += LANES) {
            vec y = vec_exp(vec_load(from + i) - most);
            vec_store(to + i, y);
            sum += y;
        }
        total = fold_lanes(FOLD_SUM, total, sum, LANES);
    }
    if (i == length)
        return total;
    int rest = (int)(length - i);
    vec y = vec_exp(vec_load_some(from + i, rest) - most);
    vec_store_some(to + i, y, rest);
    return fold_lanes(FOLD_SUM, total, y, rest);
}

static void softmax_row(float *to, const float *from, int64_t length)
{
    float most = (float)fold_items(FOLD_MAX, from, length);
    float factor = (float)(1 / exp_row(to, from, most, length));

    for (int64_t i = 0; i < length; i++)
        to[i] *= factor;
}

/* The sum of (x - mean)^2. */
static double squares_of(const float *x, float mean, int64_t length)
{
    double total = 0;
    int64_t i = 0;

    while (i + LANES <= length) {
        int64_t end = length - i < SHORT_ROW ? length : i + SHORT_ROW;
        vec sum = vec_all(0);
        for (; i + LANES <= end; i += LANES) {
            vec d = vec_load(x + i) - mean;
            sum += d * d;
        }
        total = fold_lanes(FOLD_SUM, total, sum, LANES);
    }
    for (; i < length; i++)
        total += (double)((x[i] - mean) * (x[i] - mean));
    return total;
}

static void normalize_row(float *to, const float *from, int64_t length,
                          const struct normalization *how)
{
    double mean = fold_items(FOLD_SUM, from, length) / (double)length;
    double variance = squares_of(from, (float)mean, length) / (double)length;
    float middle = (float)mean, factor = (float)(1 / sqrt(variance + how->epsilon));
    const float *scale = how->scale, *offset = how->offset;
    int64_t i = 0;

    for (; i + LANES <= length; i += LANES) {
        vec y = (vec_load(from + i) - middle) * factor;
        vec_store(to + i, y * vec_load(scale + i) + vec_load(offset + i));
    }
    for (; i < length; i++)
        to[i] = (from[i] - middle) * factor * scale[i] + offset[i];
}

/* --- columns -------------------------------------------------------------------------------- */

ALWAYS_INLINE vec load_part(const float *from, int count)
{
    return count == LANES ? vec_load(from) : vec_load_some(from, count);
}

ALWAYS_INLINE void store_part(float *to, vec x, int count)
{
    if (count == LANES)
        vec_store(to, x);
    else
        vec_store_some(to, x, count);
}

/* Of `count` columns, at most LANES.  Only sums are made of short ones: the order matters to NaN. */
ALWAYS_INLINE vec fold_few(enum fold fold, const float *from, const struct columns *c, int count)
{
    const int64_t block = fold == FOLD_SUM ? SHORT_COLUMN : c->length;
    vec total = vec_all(start_of(fold));

    for (int64_t begin = 0; begin < c->length; begin += block) {
        int64_t end = c->length - begin < block ? c->length : begin + block;
        vec sum = vec_all(start_of(fold));
        for (int64_t k = begin; k < end; k++)
            sum = fold_two(fold, sum, load_part(from + k * c->pitch, count));
        total = fold_two(fold, total, sum);
    }
    return total;
}

static vec fold_any(enum fold fold, const float *from, const struct columns *c, int count)
{
    switch (fold) {
    case FOLD_SUM:
        return fold_few(FOLD_SUM, from, c, count);
    case FOLD_MEAN:
        return fold_few(FOLD_SUM, from, c, count) / (float)c->length;
    case FOLD_MAX:
        return fold_few(FOLD_MAX, from, c, count);
    case FOLD_MIN:
        return fold_few(FOLD_MIN, from, c, count);
    }
    return vec_all(0);
}

ALWAYS_INLINE int few_of(const struct columns *columns, int64_t begin)
{
    return columns->count - begin < LANES ? (int)(columns->count - begin) : LANES;
}

static void fold_columns(enum fold fold, float *to, const float *from,
                         const struct columns *columns)
{
    for (int64_t i = 0; i < columns->count; i += LANES) {
        int count = few_of(columns, i);
        store_part(to + i, fold_any(fold, from + i, columns, count), count);
    }
}

static void softmax_few(float *to, const float *from, const struct columns *c, int count)
{
    vec most = fold_few(FOLD_MAX, from, c, count), sum = vec_all(0);

    for (int64_t k = 0; k < c->length; k++) {
        vec y = vec_exp(load_part(from + k * c->pitch, count) - most);
        store_part(to + k * c->pitch, y, count);
        sum += y;
    }
    vec factor = 1.0F / sum;
    for (int64_t k = 0; k < c->length; k++) {
        float *at = to + k * c->pitch;
        store_part(at, load_part(at, count) * factor, count);
    }
}

static void softmax_columns(float *to, const float *from, const struct columns *columns)
{
    for (int64_t i = 0; i < columns->count; i += LANES)
        softmax_few(to + i, from + i, columns, few_of(columns, i));
}

const struct lane_kernels KERNEL(lanes) = {
    .fold_row = fold_row,
    .fold_columns = fold_columns,
    .softmax_row = softmax_row,
    .softmax_columns = softmax_columns,
    .normalize_row = normalize_row,
};
