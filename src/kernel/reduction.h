/*
 * reduction.h - sums, maxima, softmax and normalization of rows and columns
 *
 * The items of a row follow each other.  Item k of a column is `pitch` items behind item k - 1, and
 * the next column begins one item further.  `to` may be `from` if both have the same shape.
 */
#ifndef NNEFC_KERNEL_REDUCTION_H
#define NNEFC_KERNEL_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

enum fold_kind { FOLD_SUM, FOLD_MEAN, FOLD_MAX, FOLD_MIN };

struct reduction_columns {
    int64_t count, length, pitch;
};

/* Weights of attention: each row becomes softmax(row * scale + mask). */
struct softening {
    int64_t rows, length;
    float scale;
    const float *mask;             /* NULL: none */
    int64_t mask_row, mask_column; /* items to the next row of the mask; to the next item, 0 or 1 */
};

/* A row becomes (x - mean) / sqrt(variance + epsilon) * scale + offset, or with a mean of 0. */
struct row_normalization {
    int64_t length;
    const float *scale, *offset; /* by item of a row */
    double epsilon;
    bool centered;
};

struct reduction_kernels {
    void (*fold_row)(enum fold_kind fold, float *to, const float *from, int64_t length);
    void (*fold_columns)(enum fold_kind fold, float *to, const float *from,
                         const struct reduction_columns *columns);
    void (*softmax_row)(float *to, const float *from, int64_t length);
    void (*soften)(float *weights, const struct softening *how);
    void (*softmax_columns)(float *to, const float *from, const struct reduction_columns *columns);
    void (*normalize)(float *to, const float *from, int64_t rows,
                      const struct row_normalization *how);
};

#endif
