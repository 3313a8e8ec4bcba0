/*
 * observed.h - which numbers a tensor has had, and the range that integers are to stand for
 *
 * Range: least and greatest of the numbers that have integers of their own; what is beyond becomes
 * the nearest of these.
 */
#ifndef NNEFC_TENSOR_OBSERVED_H
#define NNEFC_TENSOR_OBSERVED_H

#include "tensor/quantization.h"

#include <stdbool.h>
#include <stdint.h>

enum { OBSERVED_MOST = 1 << 18 }; /* items of a sample */

/* Items of one tensor, or of several that have one quantization. */
struct observed {
    float low, high; /* of all items so far; both 0 if there was none */
    float *sample;   /* at most OBSERVED_MOST of them, sorted by observed_end() */
    int64_t count;
    int64_t seen, each; /* of `each` items one is in the sample */
};

struct code_range {
    float low, high;
};

enum range_rule { RANGE_MINMAX, RANGE_PERCENTILE, RANGE_MSE };

/* There are going to be `total` items.  False: there is not enough memory. */
bool observed_begin(struct observed *observed, int64_t total);
void observed_free(struct observed *observed);

/*
 * The sample depends on the items and their order only.  False if one of these is no finite number.
 */
bool observed_add(struct observed *observed, const float *items, int64_t count);
void observed_end(struct observed *observed);

/*
 * Least and greatest item; or of the sample without as many items at each end as `percent`, such as
 * 99.99, leaves; or the range by which the sample is rounded with the least sum of squares, in
 * these integers.
 */
struct code_range observed_range(const struct observed *observed, enum range_rule rule,
                                 double percent, const struct saturation *integers);

/* The share of the sample that is beyond the range. */
double observed_cut(const struct observed *observed, struct code_range range);

/* The shares of the sample in `count` bins of one width from the least to the greatest item. */
void observed_histogram(const struct observed *observed, double *share, int count);

/* The scale, a positive number, and the zero by which integers from low to high stand for a range
 * and for 0. */
float quantization_of(struct code_range range, struct saturation *integers);

#endif
