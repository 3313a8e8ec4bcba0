/*
 * determinant.c - determinants of square matrices (nnefc-ext.nnef)
 *
 * The last two dimensions are the matrices.  Rows are eliminated one after the other, each by that
 * with the greatest item of what is left of a column.
 */
#include "op/check.h"
#include "op/compute.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool determinant_infer(struct infer *infer)
{
    const struct shape *x = infer_in(infer, 0);
    int64_t extent = x->rank < 2 ? 0 : x->extent[x->rank - 1];

    if (!check_rank(infer, 0, 2, true))
        return false;
    if (x->extent[x->rank - 2] != extent)
        return infer_error(infer, "x", DIAG_SHAPE_MISMATCH,
                           "'x' of '%s' has shape %s, expected square matrices, of extent %" PRId64
                           " in both of the last two dimensions",
                           infer_name(infer), SHAPE_TEXT(x), extent);
    infer->out[0] = *x;
    infer->out[0].rank = x->rank - 2;
    infer_reads(infer, x, extent);
    return true;
}

/* The row that has the greatest item of a column, of those from the diagonal on. */
static int64_t pivot_of(const double *matrix, int64_t extent, int64_t column)
{
    int64_t best = column;

    for (int64_t i = column + 1; i < extent; i++)
        if (fabs(matrix[i * extent + column]) > fabs(matrix[best * extent + column]))
            best = i;
    return best;
}

/* The product of the diagonal, once there are zeros below it; the matrix is overwritten. */
static double eliminate(double *matrix, int64_t extent)
{
    double product = 1;

    for (int64_t k = 0; k < extent; k++) {
        int64_t pivot = pivot_of(matrix, extent, k);
        double *top = matrix + k * extent;
        for (int64_t i = 0; pivot != k && i < extent; i++) { /* the rows change places */
            double item = top[i];
            top[i] = matrix[pivot * extent + i];
            matrix[pivot * extent + i] = item;
        }
        product *= pivot == k ? top[k] : -top[k];
        if (top[k] == 0)
            return product;
        for (int64_t i = k + 1; i < extent; i++) {
            double *row = matrix + i * extent, factor = row[k] / top[k];
            for (int64_t j = k; j < extent; j++)
                row[j] -= factor * top[j];
        }
    }
    return product;
}

static bool determinant_eval(const struct eval *eval)
{
    const struct shape *shape = &eval->in[0]->shape;
    int64_t extent = shape->extent[shape->rank - 1], each = extent * extent;
    int64_t count = shape_volume(&eval->out[0]->shape);
    const float *x = eval->in[0]->data;
    float *y = eval->out[0]->data;
    double *matrix = calloc((size_t)each + 1, sizeof *matrix);

    if (!matrix)
        return eval_no_memory(eval);
    for (int64_t i = 0; i < count; i++, x += each) {
        for (int64_t k = 0; k < each; k++)
            matrix[k] = (double)x[k];
        y[i] = (float)eliminate(matrix, extent);
    }
    free(matrix);
    return true;
}

DESCRIPTOR(determinant, 0, .infer = determinant_infer, .eval = determinant_eval);
