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
static bool check_factor(const struct infer *infer, int index, int rank)
{
    bool provisional = infer->graph->provisional;

    return (provisional && shape_with_rank(infer_in(infer, index), 2).rank == 2) ||
           check_rank(infer, index, rank, index == 0 && !provisional);
}

bool infer_product(const struct infer *infer, const struct matmul_attrs *attrs,
                   struct shape *result)
{
    int rank = infer->graph->provisional ? 2 : infer_in(infer, 0)->rank;

    assert(infer->nin >= 2);
    if (!check_factor(infer, 0, rank < 2 ? 2 : rank) || !check_factor(infer, 1, rank))
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

struct product {
    struct factor a, b;
    const float *left, *right;
    struct shape batch;
    int64_t rows, columns;
    int64_t blocks; /* of columns */
    float *out;
};

struct factor factor_of(const struct shape *shape, const struct shape *result, bool columns_first)
{
    const struct shape whole = shape_with_rank(shape, result->rank);
    int outer = columns_first ? whole.rank - 1 : whole.rank - 2;
    int inner = columns_first ? whole.rank - 2 : whole.rank - 1;
    int64_t stride[MAX_RANK];

    assert(result->rank >= 2);
    shape_strides(&whole, stride);
    struct factor factor = {stride[outer], stride[inner], whole.extent[inner], {0}};
    for (int i = 0; i < whole.rank - 2; i++)
        factor.batch[i] = whole.extent[i] == 1 ? 0 : stride[i];
    return factor;
}

/* Compute one block of columns of one row of one matrix. */
static void multiply(const void *data, int64_t index)
{
    const struct product *p = data;
    int64_t begin = index % p->blocks * COLUMNS;
    int64_t row = index / p->blocks % p->rows, batch = index / p->blocks / p->rows;
    int64_t left = p->columns - begin, count = left < COLUMNS ? left : COLUMNS;
    const float *a = p->left + shape_offset(&p->batch, p->a.batch, batch) + row * p->a.outer;
    const float *b = p->right + shape_offset(&p->batch, p->b.batch, batch) + begin * p->b.outer;
    float *out = p->out + (batch * p->rows + row) * p->columns + begin;
    double sum[COLUMNS] = {0};

    assert(index >= 0);
    for (int64_t l = 0; l < p->a.length; l++) {
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
    struct product p = {.a = factor_of(&a->shape, shape, attrs->transpose_a),
                        .b = factor_of(&b->shape, shape, !attrs->transpose_b),
                        .left = a->data,
                        .right = b->data,
                        .batch = batch_of(shape),
                        .rows = shape->extent[shape->rank - 2],
                        .columns = shape->extent[shape->rank - 1],
                        .out = result->data};

    assert(eval->node->nin >= 2);
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
