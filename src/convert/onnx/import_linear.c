/* import_linear.c - products of matrices */
#include "convert/onnx/import_make.h"

take_function take_matmul, take_gemm;

struct entry *take_matmul(struct take *t)
{
    return matmul(t, take_in(t, 0), take_in(t, 1));
}

static bool is_one(double value)
{
    return value >= 1 && value <= 1;
}

/* A row of as many items as the result has columns. */
static bool is_row(const struct entry *x, int64_t columns)
{
    int rank = x->shape.rank;

    return rank > 0 && rank <= 2 && x->shape.extent[rank - 1] == columns &&
           shape_volume(&x->shape) == columns;
}

static struct entry *scaled(struct take *t, struct entry *x, double factor)
{
    return is_one(factor) ? x : op2(t, OP_mul, x, literal(t, factor));
}

struct entry *take_gemm(struct take *t)
{
    struct entry *a = take_in(t, 0), *b = take_in(t, 1), *c = take_in(t, 2);
    double alpha = take_float(t, "alpha", 1), beta = take_float(t, "beta", 1);
    bool flip_a = take_int(t, "transA", 0), flip_b = take_int(t, "transB", 0);

    if (a->shape.rank != 2 || b->shape.rank != 2) {
        take_error(t, DIAG_RANK, "has inputs of rank %d and %d, expected 2", a->shape.rank,
                   b->shape.rank);
        return NULL;
    }
    if (c && flip_b && !flip_a && is_one(alpha) && is_one(beta) &&
        dtype_of(a->type) == DTYPE_SCALAR && is_row(c, b->shape.extent[0]))
        return op3(t, OP_linear, a, b, with_rank(t, c, 2));
    set_logical(t, "transposeA", flip_a);
    set_logical(t, "transposeB", flip_b);
    struct entry *product = scaled(t, op2(t, OP_matmul, a, b), alpha);
    return c ? op2(t, OP_add, product, scaled(t, c, beta)) : product;
}
