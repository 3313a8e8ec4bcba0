/* matmul.h - matrix products, for matmul and linear */
#ifndef NNEFC_OP_MATMUL_H
#define NNEFC_OP_MATMUL_H

#include "op/op.h"

/* Where the items of a factor lie, by strides: `inner` is along what is summed, `outer` along the
 * rows or columns of the result, `batch` along its dimensions before the matrices. */
struct factor {
    int64_t outer, inner, length; /* length: of the sums */
    int64_t batch[MAX_RANK];
};

/* A factor of a result of this shape; extents of 1 repeat in batches. */
struct factor factor_of(const struct shape *shape, const struct shape *result, bool columns_first);

/* The dimensions of a result before its matrices. */
static inline struct shape batch_of(const struct shape *result)
{
    struct shape batch = *result;

    assert(result->rank >= 2);
    batch.rank -= 2;
    return batch;
}

/* Shape of the product of operands 0 and 1. */
bool infer_product(const struct infer *infer, const struct matmul_attrs *attrs,
                   struct shape *result);

/* The product of operands 0 and 1, of the shape that infer_product() gave. */
void matrix_product(const struct eval *eval, const struct matmul_attrs *attrs,
                    const struct tensor *result);

#endif
