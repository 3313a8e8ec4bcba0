/*
 * narrow.h - products of few rows with a matrix as it lies: it is read once, and not packed before
 *
 *     result[i, j] = activation(bias[j] + residual[i, j] + sum left[i, k] * right[k, j])
 *
 * Of the second matrix either the items of a row or those of a column follow each other.  Each
 * result is summed in an order that depends on neither the columns nor the rows that are done
 * together.
 */
#ifndef NNEFC_KERNEL_NARROW_H
#define NNEFC_KERNEL_NARROW_H

#include "kernel/epilogue.h"
#include "kernel/product.h"

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

/* Columns begin <= j < end of the result. */
typedef void narrow_columns(const struct narrow *narrow, int64_t begin, int64_t end);

#endif
