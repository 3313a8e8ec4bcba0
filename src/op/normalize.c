/*
 * normalize.c - batch normalization, kept whole (NNEF 1.0.5, section 4.9.4)
 *
 *     output = offset + scale * (input - mean) / sqrt(variance + epsilon)
 *
 * By the formula a parameter might widen the input; here each has to broadcast to it, so that
 * a parameter of shape [C] instead of [1,C] does not pass unnoticed.
 */
#include "op/broadcast.h"

#include <assert.h>
#include <math.h>

enum { INPUT, MEAN, VARIANCE, OFFSET, SCALE };

static bool batch_normalization_infer(struct infer *infer)
{
    const struct shape *input = infer_in(infer, INPUT);
    bool ok = true;

    for (int i = MEAN; i <= SCALE; i++)
        ok &= infer_broadcasts_to(infer, i, input);
    infer->out[0] = *input;
    return ok;
}

static void apply_batch_normalization(struct items *items)
{
    const struct batch_normalization_attrs *attrs = items->eval->attrs;
    double *const in[] = {items->in[0], items->in[1], items->in[2], items->in[3], items->in[4]};

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = in[OFFSET][i] + in[SCALE][i] * (in[INPUT][i] - in[MEAN][i]) /
                                            sqrt(in[VARIANCE][i] + attrs->epsilon);
}

static bool batch_normalization_eval(const struct eval *eval)
{
    assert(eval->node->nin == 5);
    return eval_elementwise(eval, SCALE + 1, apply_batch_normalization);
}

const struct op_desc op_batch_normalization = {
    OP_SIGNATURE(batch_normalization, OP_ELEMENTWISE | OP_PARTIAL),
    .kind = "normalize",
    .infer = batch_normalization_infer,
    .eval = batch_normalization_eval,
};
