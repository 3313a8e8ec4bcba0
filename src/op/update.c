/*
 * update.c - variable updates (NNEF 1.0.5, section 4.8)
 *
 * The result is the new value.  The variable itself changes at the end of the cycle only, which
 * is the business of whoever runs the graph.
 */
#include "op/broadcast.h"
#include "op/check.h"

static bool update_infer(struct infer *infer)
{
    const struct shape *variable = infer_in(infer, 0), *value = infer_in(infer, 1);

    infer->out[0] = *variable;
    if (infer_equal(infer, variable, value))
        return true;
    return infer_error(infer, "value", DIAG_SHAPE_MISMATCH,
                       "value of '%s' has shape %s, expected %s, the shape of the variable",
                       infer_name(infer), SHAPE_TEXT(value), SHAPE_TEXT(variable));
}

DESCRIPTOR(update, OP_EFFECT | OP_PARTIAL, .infer = update_infer, .eval = eval_copy);
