/* import_linear.c - products of matrices, and the normalization of a batch */
#include "convert/onnx/import_share.h"

#include <assert.h>

struct imported *import_matmul(struct translation *t)
{
    return matmul(t, input_at(t, 0), input_at(t, 1));
}

static bool is_one(double value)
{
    return value >= 1 && value <= 1;
}

static struct imported *scaled(struct translation *t, struct imported *x, double factor)
{
    return is_one(factor) ? x : op2(t, OP_mul, x, literal(t, factor));
}

/* NNEF's `linear` adds a row to all rows of the product; any other c is added as ONNX broadcasts
 * it. */
struct imported *linear(struct translation *t, struct imported *a, struct imported *b,
                        struct imported *c)
{
    const int64_t columns = b->shape.extent[0];
    const struct shape *row = c && c->shape.rank > 0 && c->shape.rank <= 2 ? &c->shape : NULL;

    assert(a->shape.rank == 2 && b->shape.rank == 2);
    if (row && row->extent[row->rank - 1] == columns && shape_volume(row) == columns &&
        dtype_of(a->type) == DTYPE_SCALAR)
        return op3(t, OP_linear, a, b, with_rank(t, c, 2));
    struct imported *product = make2(t, OP_SPEC(matmul, .transpose_b = true), a, b);
    return c ? op2(t, OP_add, product, c) : product;
}

struct imported *flipped_product(struct translation *t, struct imported *a, struct imported *b,
                                 struct imported *c)
{
    const bool flip_a = get_int(t, "transA", 0), flip_b = get_int(t, "transB", 0);

    if (flip_b && !flip_a)
        return linear(t, a, b, c);
    struct imported *product =
        make2(t, OP_SPEC(matmul, .transpose_a = flip_a, .transpose_b = flip_b), a, b);
    return c ? op2(t, OP_add, product, c) : product;
}

/* alpha * a * b + beta * c, where a and b may be transposed. */
struct imported *import_gemm(struct translation *t)
{
    struct imported *a = input_at(t, 0), *b = input_at(t, 1), *c = input_at(t, 2);
    double alpha = get_float(t, "alpha", 1), beta = get_float(t, "beta", 1);

    if (a->shape.rank != 2 || b->shape.rank != 2)
        return import_refuse(t, DIAG_RANK, "has inputs of rank %d and %d, expected 2",
                             a->shape.rank, b->shape.rank);
    if (is_one(alpha) && is_one(beta))
        return flipped_product(t, a, b, c);
    struct imported *product = scaled(t, flipped_product(t, a, b, NULL), alpha);
    return c ? op2(t, OP_add, product, scaled(t, c, beta)) : product;
}

/* Only as in inference: statistics are inputs. */
bool check_inference(struct translation *t)
{
    if (get_int(t, "training_mode", 0) || (t->opset < 7 && !get_int(t, "is_test", 0)))
        return import_error(t, DIAG_NOT_IN_NNEF, "normalizes as in training");
    for (int i = 1; i < t->nout; i++)
        if (wants_output(t, i))
            return import_error(t, DIAG_NOT_IN_NNEF, "gives output %d, as in training", i);
    return get_int(t, "spatial", 1) ||
           import_error(t, DIAG_NOT_IN_NNEF, "has statistics for each item, as before opset 9");
}
