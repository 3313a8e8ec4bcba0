/*
 * moments.h - second moments of the columns of a matrix that is seen row by row
 *
 * They tell what an error in one weight of a sum of products does to the sum, and which change of
 * the other weights makes up for it.  Columns are taken in parts of at most MOMENTS_PART, as if
 * those of different parts had nothing in common.
 */
#ifndef NNEFC_TENSOR_MOMENTS_H
#define NNEFC_TENSOR_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOMENTS_PART = 512 };

struct moments {
    int64_t columns, groups; /* columns of each group; each has rows of its own */
    float *sums; /* by group and part: the lower triangle of a square, of rows of full length */
};

/* False: there is not enough memory. */
bool moments_begin(struct moments *moments, int64_t columns, int64_t groups);
void moments_free(struct moments *moments);

void moments_add(struct moments *moments, int64_t group, const float *row);

/* The columns from that one on, which begins a part, that the part has. */
int64_t moments_part(const struct moments *moments, int64_t first);

/*
 * The factor U of the inverse of the part's moments, upper triangular, with inverse = U' U: the
 * error e of weight j becomes 0 in sum if weight k > j gets - e * U[j][k] / U[j][j].  The diagonal
 * is 1 % larger than its mean, so that there is an inverse.  `factor` and `scratch` have the
 * square of the part's columns.
 */
void moments_factor(const struct moments *moments, int64_t group, int64_t first, double *factor,
                    double *scratch);

#endif
