/* import_linear.c - products of matrices */
#include "convert/onnx/import_share.h"

struct imported *import_matmul(struct translation *t)
{
    return matmul(t, input_at(t, 0), input_at(t, 1));
}

static bool is_one(double value)
{
    return value >= 1 && value <= 1;
}

/* A row of as many items as the result has columns. */
static bool is_row(const struct imported *x, int64_t columns)
{
    int rank = x->shape.rank;

    return rank > 0 && rank <= 2 && x->shape.extent[rank - 1] == columns &&
           shape_volume(&x->shape) == columns;
}

static struct imported *scaled(struct translation *t, struct imported *x, double factor)
{
    return is_one(factor) ? x : op2(t, OP_mul, x, literal(t, factor));
}

struct imported *linear(struct translation *t, struct imported *a, struct imported *b,
                        struct imported *c)
{
    if (c && dtype_of(a->type) == DTYPE_SCALAR && is_row(c, b->shape.extent[0]))
        return op3(t, OP_linear, a, b, with_rank(t, c, 2));
    struct imported *product = make2(t, OP_SPEC(matmul, .transpose_b = true), a, b);
    return c ? op2(t, OP_add, product, c) : product;
}

struct imported *import_gemm(struct translation *t)
{
    struct imported *a = input_at(t, 0), *b = input_at(t, 1), *c = input_at(t, 2);
    double alpha = get_float(t, "alpha", 1), beta = get_float(t, "beta", 1);
    bool flip_a = get_int(t, "transA", 0), flip_b = get_int(t, "transB", 0);

    if (a->shape.rank != 2 || b->shape.rank != 2) {
        import_error(t, DIAG_RANK, "has inputs of rank %d and %d, expected 2", a->shape.rank,
                     b->shape.rank);
        return NULL;
    }
    if (flip_b && !flip_a && is_one(alpha) && is_one(beta))
        return linear(t, a, b, c);
    struct imported *product =
        make2(t, OP_SPEC(matmul, .transpose_a = flip_a, .transpose_b = flip_b), a, b);
    product = scaled(t, product, alpha);
    return c ? op2(t, OP_add, product, scaled(t, c, beta)) : product;
}
