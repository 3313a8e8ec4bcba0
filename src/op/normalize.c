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

static void apply_batch_normalization(struct items *items)
{
    const struct batch_normalization_attrs *attrs = items->eval->attrs;
    assert(items->eval->node->nin == SCALE + 1);
    double *const in[] = {items->in[0], items->in[1], items->in[2], items->in[3], items->in[4]};

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = in[OFFSET][i] + in[SCALE][i] * (in[INPUT][i] - in[MEAN][i]) /
                                            sqrt(in[VARIANCE][i] + attrs->epsilon);
}

DESCRIPTOR(batch_normalization, OP_ELEMENTWISE | OP_PARTIAL, .kind = "normalize",
           .infer = infer_parameters, .eval = eval_items, .apply = apply_batch_normalization);
