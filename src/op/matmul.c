/*
 * matmul.c - matrix multiplication (NNEF 1.0.5, section 4.7)
 *
 *     C[b,i,j] = sum over l of A'[b,i,l] * B'[b,l,j]
 *
 * The last two dimensions are the matrix, those before them broadcast.  In the provisional
 * dialect there are none before them, and trailing ones do not count.
 */
#include "op/matmul.h"

#include "op/broadcast.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/op_build.h"

#include "diag/context.h"
#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>

enum { COLUMNS = 64 }; /* sums held at a time */

/* --- shape rule ------------------------------------------------------------------------- */

/* Operands have equal ranks, at least 2; in the provisional dialect 2, but for trailing ones. */
static bool check_rank(const struct infer *infer, int index, int expected)
{
    const struct op_operand *operand = &infer->call->in[index];
    const struct shape *shape = infer_in(infer, index);
    bool provisional = infer->graph->provisional;

    if (shape->rank == expected || (provisional && shape_with_rank(shape, 2).rank == 2))
        return true;
    return infer_error(infer, operand->param, DIAG_RANK, "'%s' of '%s' has rank %d, expected %s%d",
                       operand->param, infer_name(infer), shape->rank,
                       index > 0 || provisional ? "" : "at least ", expected);
}

bool infer_product(const struct infer *infer, const struct matmul_attrs *attrs,
                   struct shape *result)
{
    int rank = infer->graph->provisional ? 2 : infer_in(infer, 0)->rank;

    assert(infer->nin >= 2);
    if (!check_rank(infer, 0, rank < 2 ? 2 : rank) || !check_rank(infer, 1, rank))
        return false;
    struct shape a = shape_with_rank(infer_in(infer, 0), rank);
    struct shape b = shape_with_rank(infer_in(infer, 1), rank);
    const int64_t *ma = &a.extent[rank - 2], *mb = &b.extent[rank - 2];

    int64_t length = ma[!attrs->transpose_a], other = mb[attrs->transpose_b];
    const struct op_operand *in = infer->call->in;
    int axis = 0;

    if (extents_differ(length, other))
        return infer_error(infer, in[1].param, DIAG_SHAPE_MISMATCH,
                           "inner dimensions of '%s' differ: rows of '%s' have %" PRId64
                           " items, columns of '%s' have %" PRId64 ", expected equal numbers",
                           infer_name(infer), in[0].param, length, in[1].param, other);

    /* What is before the matrices broadcasts. */
    a.rank = b.rank = rank - 2;
    *result = a;
    if (!broadcast(BROADCAST_NNEF, result, &b, &axis))
        return infer_error(infer, in[1].param, DIAG_BROADCAST,
                           "batch dimensions %s and %s of '%s' do not broadcast: extents %" PRId64
                           " and %" PRId64 " at dimension %d, expected equal ones or 1",
                           SHAPE_TEXT(result), SHAPE_TEXT(&b), infer_name(infer),
                           result->extent[axis], b.extent[axis], axis);
    result->extent[rank - 2] = ma[attrs->transpose_a];
    result->extent[rank - 1] = mb[!attrs->transpose_b];
    result->rank = rank;
    infer_reads(infer, result, length);
    return true;
}

static bool matmul_infer(struct infer *infer)
{
    const struct matmul_attrs *attrs = infer->attrs;
    const struct shape *a = infer_in(infer, 0), *b = infer_in(infer, 1);

    if (infer_product(infer, attrs, &infer->out[0]))
        return true;
    /* Perhaps the second matrix is meant the other way round. */
    if (a->rank == 2 && b->rank == 2 &&
        a->extent[!attrs->transpose_a] == b->extent[!attrs->transpose_b])
        diag_help(infer->graph->context->diag, "they would be equal with '%s = %s'.",
                  infer->graph->provisional ? attrs_of_matmul[1].provisional
                                            : attrs_of_matmul[1].name,
                  attrs->transpose_b ? "false" : "true");
    return false;
}

/* --- kernel ----------------------------------------------------------------------------- */

/* One factor: item (outer, inner) of a matrix, where `inner` is what is summed over. */
struct factor {
    const float *item;
    int64_t outer, inner;           /* distances of items */
    int64_t batch_stride[MAX_RANK]; /* of matrices */
};

struct product {
    struct factor a, b;
    int batch_rank;
    int64_t batch[MAX_RANK];
    int64_t rows, columns, length; /* length of the sums */
    int64_t blocks;                /* of columns */
    float *out;
};

/* A factor for a result of this shape; extents of 1 repeat in batches. */
static void factor_init(struct factor *factor, const struct tensor *tensor,
                        const struct shape *result, bool columns_first)
{
    struct shape shape = shape_with_rank(&tensor->shape, result->rank);
    int rank = shape.rank;
    int64_t stride[MAX_RANK];

    assert(result->rank >= 2);
    shape_strides(&shape, stride);
    factor->item = tensor->data;
    factor->outer = stride[columns_first ? rank - 1 : rank - 2];
    factor->inner = stride[columns_first ? rank - 2 : rank - 1];
    for (int i = 0; i < rank - 2; i++)
        factor->batch_stride[i] = shape.extent[i] == 1 ? 0 : stride[i];
}

/* The first item of matrix `batch` of the result's batches. */
static const float *factor_matrix(const struct factor *factor, const struct product *p,
                                  int64_t batch)
{
    const float *item = factor->item;

    for (int i = p->batch_rank - 1; i >= 0; batch /= p->batch[i--]) {
        assert(p->batch[i] > 0);
        item += batch % p->batch[i] * factor->batch_stride[i];
    }
    return item;
}

/* Compute one block of columns of one row of one matrix. */
static void multiply(const void *data, int64_t index)
{
    const struct product *p = data;
    int64_t begin = index % p->blocks * COLUMNS;
    int64_t row = index / p->blocks % p->rows, batch = index / p->blocks / p->rows;
    int64_t left = p->columns - begin, count = left < COLUMNS ? left : COLUMNS;
    const float *a = factor_matrix(&p->a, p, batch) + row * p->a.outer;
    const float *b = factor_matrix(&p->b, p, batch) + begin * p->b.outer;
    float *out = p->out + (batch * p->rows + row) * p->columns + begin;
    double sum[COLUMNS] = {0};

    assert(index >= 0);
    for (int64_t l = 0; l < p->length; l++) {
        double factor = (double)a[l * p->a.inner];
        const float *line = b + l * p->b.inner;
        for (int64_t j = 0; j < count; j++)
            sum[j] += factor * (double)line[j * p->b.outer];
    }
    for (int64_t j = 0; j < count; j++)
        out[j] = (float)sum[j];
}

void matrix_product(const struct eval *eval, const struct matmul_attrs *attrs,
                    const struct tensor *result)
{
    const struct tensor *a = eval->in[0], *b = eval->in[1];
    const struct shape *shape = &result->shape;
    struct shape left = shape_with_rank(&a->shape, shape->rank);
    struct product p = {.batch_rank = shape->rank - 2, .out = result->data};

    assert(eval->node->nin >= 2 && result->shape.rank >= 2);
    factor_init(&p.a, a, shape, attrs->transpose_a);
    factor_init(&p.b, b, shape, !attrs->transpose_b);
    for (int i = 0; i < p.batch_rank; i++)
        p.batch[i] = shape->extent[i];
    p.rows = shape->extent[shape->rank - 2];
    p.columns = shape->extent[shape->rank - 1];
    p.length = left.extent[attrs->transpose_a ? shape->rank - 2 : shape->rank - 1];
    p.blocks = (p.columns + COLUMNS - 1) / COLUMNS;
    eval_share(eval, shape_volume_range(shape, 0, shape->rank - 1) * p.blocks, multiply, &p);
}

static bool matmul_eval(const struct eval *eval)
{
    matrix_product(eval, eval->attrs, eval->out[0]);
    return true;
}

DESCRIPTOR(matmul, OP_PARTIAL | OP_PRODUCTS, .kind = "product", .infer = matmul_infer,
           .eval = matmul_eval);
