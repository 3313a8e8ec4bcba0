/*
 * transpose.c - dimensions in another order (section 4.5.2)
 *
 * output[i_axes[0], .., i_axes[n-1], ..] = input[i_0, .., i_n-1, ..]; dimensions beyond the n
 * items of 'axes' stay.
 */
#include "op/check.h"
#include "op/remap.h"

#include <assert.h>

static bool transpose_infer(struct infer *infer)
{
    const struct transpose_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];

    *out = *input;
    if (!check_rank_limit(infer, attrs->axes.count))
        return false;
    if (infer->graph->provisional && attrs->axes.count > out->rank)
        out->rank = attrs->axes.count;
    if (attrs->axes.count > out->rank)
        return infer_error(infer, "axes", DIAG_PERMUTATION,
                           "'axes' of 'transpose' has %d item%s, expected at most %d, the rank",
                           attrs->axes.count, attrs->axes.count == 1 ? "" : "s", out->rank);
    for (int i = 0; i < attrs->axes.count; i++)
        if (!integers_contain(&attrs->axes, i))
            return infer_error(infer, "axes", DIAG_PERMUTATION,
                               "the %d axes of 'transpose' are no permutation, %d is missing",
                               attrs->axes.count, i);
    for (int i = 0; i < attrs->axes.count; i++)
        out->extent[i] = shape_extent(input, (int)attrs->axes.item[i]);
    return true;
}

static bool transpose_eval(const struct eval *eval)
{
    const struct transpose_attrs *attrs = eval->attrs;
    struct remap remap = {.axes = attrs->axes.item, .naxes = attrs->axes.count};

    assert(eval->in[0]->shape.rank <= eval->out[0]->shape.rank);
    return remap_run(eval, &remap);
}

DESCRIPTOR(transpose, OP_PARTIAL | OP_MOVES, .kind = "move", .infer = transpose_infer,
           .eval = transpose_eval);
