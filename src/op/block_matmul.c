/*
 * block_matmul.c - products with numbers that integers stand for in blocks, of the extensions
 *
 *     C[i,j] = sum over k of A[i,k] * (B[k,j] - zero[k / size,j]) * scale[k / size,j]
 *
 * B has a dimension for blocks and one for the items of a block instead of one for k.
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/compute.h"
#include "op/matmul.h"

#include "base/num.h"
#include "tensor/quantization.h"

#include <assert.h>
#include <inttypes.h>

enum { LEFT, CODES, SCALE, ZERO, OPERANDS };
enum { CODES_RANK = 3 };

/* --- shape rule ------------------------------------------------------------------------------ */

/* One for each block of each column, or one for all.  A last dimension of 1 may be left out. */
static bool check_parameter(const struct infer *infer, int index, const struct shape *codes,
                            bool transposed)
{
    struct shape blocks = *codes;

    blocks.extent[transposed ? 2 : 1] = 1;
    const struct shape *given = infer_in(infer, index);
    const struct shape whole =
        given->rank < CODES_RANK ? shape_with_rank(given, CODES_RANK) : *given;
    return shape_equal(&whole, &blocks) || check_shape(infer, index, &blocks, true);
}

static bool block_matmul_infer(struct infer *infer)
{
    const struct block_matmul_attrs *attrs = infer->attrs;
    const struct shape *left = infer_in(infer, LEFT), *codes = infer_in(infer, CODES);
    const bool transposed = attrs->transpose_b;
    struct shape *out = &infer->out[0];
    int64_t most;

    assert(infer->nin == OPERANDS);
    if (!check_rank(infer, LEFT, 2, false) || !check_rank(infer, CODES, CODES_RANK, false) ||
        !check_parameter(infer, SCALE, codes, transposed) ||
        !check_parameter(infer, ZERO, codes, transposed))
        return false;
    const int64_t *extent = &codes->extent[transposed];
    if (left->extent[1] != attrs->depth)
        return infer_error(infer, "depth", DIAG_SHAPE_MISMATCH,
                           "'depth' of '%s' is %" PRId64 ", expected the %" PRId64
                           " columns of 'A'",
                           infer_name(infer), attrs->depth, left->extent[1]);
    if (!num_mul(extent[0], extent[1], &most) || most < attrs->depth)
        return infer_error(infer, "B", DIAG_SHAPE_MISMATCH,
                           "'B' of '%s' has %" PRId64 " blocks of %" PRId64
                           " items, expected at least %" PRId64 " items",
                           infer_name(infer), extent[0], extent[1], attrs->depth);
    *out =
        (struct shape){.rank = 2, .extent = {left->extent[0], codes->extent[transposed ? 0 : 2]}};
    infer_reads(infer, out, attrs->depth);
    return true;
}

/* --- kernel ---------------------------------------------------------------------------------- */

/* Where integers, or what they have in common, lie: the steps from block to block, from item to
 * item and from column to column. */
struct places {
    int64_t block, item, column;
};

static struct places places_of(const struct shape *codes, bool transposed)
{
    const int64_t *extent = codes->extent;

    return transposed ? (struct places){extent[2], 1, extent[1] * extent[2]}
                      : (struct places){extent[1] * extent[2], extent[2], 1};
}

/* One row of the result. */
static void multiply_row(const void *data, int64_t row)
{
    const struct eval *eval = data;
    const struct block_matmul_attrs *attrs = eval->attrs;
    const struct tensor *codes = eval->in[CODES];
    const int64_t columns = eval->out[0]->shape.extent[1];
    const int64_t size = codes->shape.extent[attrs->transpose_b ? 2 : 1];
    const struct places at = places_of(&codes->shape, attrs->transpose_b);
    const struct places of = {at.block / size, 0, attrs->transpose_b ? at.column / size : 1};
    const float *a = (const float *)eval->in[LEFT]->data + row * attrs->depth;
    float *out = (float *)eval->out[0]->data + row * columns;
    const bool scales = shape_volume(&eval->in[SCALE]->shape) > 1;
    const bool zeros = shape_volume(&eval->in[ZERO]->shape) > 1;

    for (int64_t j = 0; j < columns; j++) {
        double sum = 0;
        for (int64_t k = 0; k < attrs->depth; k++) {
            const int64_t block = k / size, own = block * of.block + j * of.column;
            const int64_t code =
                ((const int64_t *)
                     codes->data)[block * at.block + k % size * at.item + j * at.column];
            const int64_t zero = ((const int64_t *)eval->in[ZERO]->data)[zeros ? own : 0];
            const float scale = ((const float *)eval->in[SCALE]->data)[scales ? own : 0];
            sum += (double)a[k] * (double)quantized_number(code, zero, scale);
        }
        out[j] = (float)sum;
    }
}

static bool block_matmul_eval(const struct eval *eval)
{
    eval_share(eval, eval->out[0]->shape.extent[0], multiply_row, eval);
    return true;
}

DESCRIPTOR(block_matmul, OP_PRODUCTS, .kind = "product", .infer = block_matmul_infer,
           .eval = block_matmul_eval);
