/*
 * narrow.h - products of few rows with a matrix that is not packed, but read once as it is
 *
 *     result[i, j] = activation(bias[j] + residual[i, j] + sum left[i, k] * right[k, j])
 *
 * In the second matrix the items of a row or those of a column follow each other.  The order of the
 * sum of a result does not depend on the rows and columns that are computed together.
 */
#ifndef NNEFC_KERNEL_NARROW_H
#define NNEFC_KERNEL_NARROW_H

#include "kernel/epilogue.h"

#include <stdint.h>

/* Item [k, j] is items[k * row + j * column]. */
struct matrix {
    const float *items;
    int64_t row, column;
};

struct narrow {
    int64_t rows, depth;
    const float *left; /* items of a row follow each other */
    int64_t left_row;
    struct matrix right;
    const float *bias;     /* by column; NULL: none */
    const float *residual; /* lies like the result, which it may be; NULL: none */
    float *result;
    int64_t result_row;
    const struct epilogue *epilogue;
};

/* Compute columns begin <= j < end of the result; threads may compute different columns at a
 * time. */
typedef void narrow_columns(const struct narrow *narrow, int64_t begin, int64_t end);

#endif
