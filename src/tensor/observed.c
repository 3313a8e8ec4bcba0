/* observed.c - samples of what tensors hold, and ranges by several rules */
#include "tensor/observed.h"

#include <assert.h>
#include <stdlib.h>

bool observed_begin(struct observed *observed, int64_t total)
{
    *observed = (struct observed){.each = (total + OBSERVED_MOST - 1) / OBSERVED_MOST};
    observed->each = observed->each < 1 ? 1 : observed->each;
    observed->sample = malloc(sizeof(float) * (size_t)(total / observed->each + 1));
    return observed->sample;
}

void observed_free(struct observed *observed)
{
    free(observed->sample);
    observed->sample = NULL;
}

/* Which item of a block is taken: rows and channels have to be met in all places. */
static int64_t place_in(int64_t block, int64_t each)
{
    uint64_t bits = (uint64_t)block * 0x9E3779B97F4A7C15U;

    bits ^= bits >> 29;
    bits *= 0xBF58476D1CE4E5B9U;
    bits ^= bits >> 32;
    return (int64_t)(bits % (uint64_t)each);
}

bool observed_add(struct observed *observed, const float *items, int64_t count)
{
    float low = observed->seen ? observed->low : INFINITY;
    float high = observed->seen ? observed->high : -INFINITY;
    bool finite = true;

    assert(observed->sample && count >= 0);
    for (int64_t i = 0; i < count; i++) {
        low = items[i] < low ? items[i] : low;
        high = items[i] > high ? items[i] : high;
        finite &= items[i] - items[i] == 0;
    }
    for (int64_t i = 0; i < count;) {
        const int64_t block = (observed->seen + i) / observed->each;
        const int64_t taken = block * observed->each + place_in(block, observed->each);
        const int64_t at = taken - observed->seen;
        if (at >= i && at < count)
            observed->sample[observed->count++] = items[at];
        i = (block + 1) * observed->each - observed->seen;
    }
    observed->seen += count;
    if (count > 0)
        observed->low = low, observed->high = high;
    return finite;
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

void observed_end(struct observed *observed)
{
    qsort(observed->sample, (size_t)observed->count, sizeof *observed->sample, compare);
}

/* --- ranges ---------------------------------------------------------------------------------- */

float quantization_of(struct code_range range, struct saturation *integers)
{
    const double low = fmin((double)range.low, 0), high = fmax((double)range.high, 0);
    const double steps = (double)(integers->high - integers->low);
    float scale = (float)((high - low) / steps);

    if (low >= 0 && high <= 0)
        scale = (float)(1 / steps);
    scale = fminf(fmaxf(scale, 0x1p-79F), 0x1p79F);
    const struct saturation plain = {integers->low, integers->low, integers->high};
    integers->zero = quantized_integer(-(float)low / scale, &plain);
    return scale;
}

/* The sum of squares of what rounding changes, in a part of the sample. */
static double squares(const struct observed *observed, struct code_range range,
                      const struct saturation *integers)
{
    enum { MOST = 1 << 14 };
    struct saturation s = *integers;
    const float scale = quantization_of(range, &s);
    const int64_t each = observed->count / MOST + 1;
    double sum = 0;

    for (int64_t i = each / 2; i < observed->count; i += each) {
        const float x = observed->sample[i];
        const double off =
            (double)(x - quantized_number(quantized_integer(x / scale, &s), s.zero, scale));
        sum += off * off;
    }
    return sum;
}

/* Move one end of the range toward 0 in even steps, to where the sum is least. */
static struct code_range move_end(const struct observed *observed, struct code_range from,
                                  bool high, const struct saturation *integers)
{
    enum { STEPS = 64 };
    struct code_range best = from;
    double least = squares(observed, best, integers);

    for (int i = 1; i < STEPS; i++) {
        const float part = (float)(STEPS - i) / STEPS;
        const struct code_range tried = {high ? from.low : from.low * part,
                                         high ? from.high * part : from.high};
        const double sum = squares(observed, tried, integers);
        best = sum < least ? tried : best;
        least = sum < least ? sum : least;
    }
    return best;
}

static struct code_range least_squares(const struct observed *observed,
                                       const struct saturation *integers)
{
    const struct code_range all = {observed->low, observed->high};

    return move_end(observed, move_end(observed, all, true, integers), false, integers);
}

struct code_range observed_range(const struct observed *observed, enum range_rule rule,
                                 double percent, const struct saturation *integers)
{
    struct code_range range = {observed->low, observed->high};
    const int64_t cut = (int64_t)((double)observed->count * (1 - percent / 100));

    switch (rule) {
    case RANGE_MINMAX:
        break;
    case RANGE_PERCENTILE:
        if (cut > 0 && 2 * cut < observed->count)
            range = (struct code_range){observed->sample[cut],
                                        observed->sample[observed->count - 1 - cut]};
        break;
    case RANGE_MSE:
        range = least_squares(observed, integers);
        break;
    }
    return range;
}

double observed_cut(const struct observed *observed, struct code_range range)
{
    int64_t beyond = 0;

    for (int64_t i = 0; i < observed->count; i++)
        beyond +=
            observed->sample[i] < fminf(range.low, 0) || observed->sample[i] > fmaxf(range.high, 0);
    return observed->count > 0 ? (double)beyond / (double)observed->count : 0;
}

void observed_histogram(const struct observed *observed, double *share, int count)
{
    const double low = (double)observed->low, width = (double)observed->high - low;

    for (int i = 0; i < count; i++)
        share[i] = 0;
    for (int64_t i = 0; i < observed->count; i++) {
        const double at = width > 0 ? ((double)observed->sample[i] - low) / width * count : 0;
        share[at < count ? (int)at : count - 1] += 1 / (double)observed->count;
    }
}
