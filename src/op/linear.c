/*
 * linear.c - fully connected layer, kept whole (NNEF 1.0.5, section 4.9.2)
 *
 *     output = matmul(input, filter, transposeB = true) + bias
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/matmul.h"

#include "diag/context.h"
#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>

static const struct matmul_attrs filter_transposed = {.transpose_b = true};

static bool linear_infer(struct infer *infer)
{
    struct shape *out = &infer->out[0];
    const struct shape *input = infer_in(infer, 0), *filter = infer_in(infer, 1);
    const struct shape *given = infer_in(infer, 2);
    struct shape bias = infer->graph->provisional ? shape_with_rank(given, 0) : *given;
    int axis = 0;

    assert(infer->nin == 3);
    if (!infer_product(infer, &filter_transposed, out)) {
        /* Other frameworks keep the filter as [inputs, outputs]. */
        if (input->rank == 2 && filter->rank == 2 && input->extent[1] == filter->extent[0])
            diag_help(infer->graph->context->diag,
                      "the filter of 'linear' is [outputs, inputs]: transpose it.");
        return false;
    }
    struct shape product = *out;
    if (infer->graph->provisional && bias.rank > 2)
        return infer_error(infer, "bias", DIAG_RANK, "bias of '%s' has shape %s, expected rank 2",
                           infer_name(infer), SHAPE_TEXT(given));
    if (broadcast(BROADCAST_NNEF, out, &bias, &axis))
        return true;
    return infer_error(infer, "bias", DIAG_BROADCAST,
                       "bias of '%s' has shape %s, which does not broadcast with %s, the shape of "
                       "the product: extents %" PRId64 " and %" PRId64 " at dimension %d",
                       infer_name(infer), SHAPE_TEXT(given), SHAPE_TEXT(&product),
                       shape_extent(&bias, axis), shape_extent(&product, axis), axis);
}

static void apply_sum(struct items *items)
{
    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = items->in[0][i] + items->in[1][i];
}

static bool linear_eval(const struct eval *eval)
{
    const struct shape *input = &eval->in[0]->shape, *filter = &eval->in[1]->shape;
    int rank = input->rank < eval->out[0]->shape.rank ? input->rank : eval->out[0]->shape.rank;
    struct shape left = shape_with_rank(input, rank < 2 ? 2 : rank);
    struct shape right = shape_with_rank(filter, left.rank), shape = left;
    struct tensor product;
    const struct tensor *terms[] = {&product, eval->in[2]};
    struct eval sum = *eval;

    /* The shape of the product: the bias, which may be of higher rank, widens the result. */
    assert(eval->node->nin == 3);
    for (int i = 0; i < left.rank - 2; i++)
        if (left.extent[i] == 1)
            shape.extent[i] = right.extent[i];
    shape.extent[left.rank - 1] = right.extent[left.rank - 2];
    if (!tensor_allocate(&product, DTYPE_SCALAR, &shape))
        return eval_error(eval, DIAG_RUN_MEMORY,
                          "not enough memory for the product of shape %s within 'linear'",
                          SHAPE_TEXT(&shape));
    matrix_product(eval, &filter_transposed, &product);
    sum.in = terms;
    eval_elementwise(&sum, 2, apply_sum);
    tensor_clear(&product);
    return true;
}

DESCRIPTOR(linear, OP_PARTIAL | OP_PRODUCTS, .kind = "product", .infer = linear_infer,
           .eval = linear_eval);
