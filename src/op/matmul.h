/* matmul.h - matrix products, for matmul and linear */
#ifndef NNEFC_OP_MATMUL_H
#define NNEFC_OP_MATMUL_H

#include "op/op.h"

/* Shape of the product of operands 0 and 1. */
bool infer_product(const struct infer *infer, const struct matmul_attrs *attrs,
                   struct shape *result);

/* The product of operands 0 and 1, of the shape that infer_product() gave. */
void matrix_product(const struct eval *eval, const struct matmul_attrs *attrs,
                    const struct tensor *result);

#endif
