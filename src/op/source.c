/*
 * source.c - operations that introduce a tensor (NNEF 1.0.5, section 4.1)
 *
 * external is fed in every cycle, constant is written in the text, variable is stored.  None of
 * them makes a node.
 */
#include "op/check.h"
#include "op/op_build.h"

#include <assert.h>
#include <inttypes.h>

static bool source_infer(struct infer *infer)
{
    const struct source_attrs *attrs = infer->attrs;
    struct shape *shape = &infer->out[0];
    unsigned op = infer->call->op->id;
    /* What a document says is positive.  We make constants of the extents of operands, which may be
     * 0.  In the provisional dialect 0 is an extent that only the input will tell. */
    bool ours = infer->call->attrs || (infer->call->site && infer->call->site->standard);
    bool open = op == OP_external && infer->graph->provisional, ok = true;
    int64_t min = ours || open ? 0 : 1, volume;

    assert(infer->call->op->introduces);
    if (infer->call->asked) {
        *shape = *infer->call->asked;
        return true;
    }
    if (attrs->shape.count > MAX_RANK)
        return infer_error(infer, "shape", DIAG_RANK,
                           "shape of '%s' has %d items, expected at most %d", infer_name(infer),
                           attrs->shape.count, MAX_RANK);
    shape->rank = attrs->shape.count;
    for (int i = 0; i < shape->rank; i++) {
        int64_t extent = attrs->shape.item[i];
        shape->extent[i] = extent == 0 && !ours ? EXTENT_UNKNOWN : extent;
        if (extent < min)
            ok = infer_error(infer, "shape", DIAG_EXTENT,
                             "shape of '%s' has extent %" PRId64
                             " in dimension %d, expected %" PRId64 " or more",
                             infer_name(infer), extent, i, min);
    }

    /* The values of a constant: one for each item, or one for all. */
    if (!ok || op != OP_constant || attrs->value.count == 1 ||
        !shape_volume_checked(shape, INT64_MAX, &volume) || attrs->value.count == volume)
        return ok;
    return infer_error(infer, "value", DIAG_VALUE_COUNT,
                       "'constant' of shape %s has %d values, expected %" PRId64 " or 1",
                       SHAPE_TEXT(shape), attrs->value.count, volume);
}

DESCRIPTOR(external, 0, .introduces = VALUE_EXTERNAL, .infer = source_infer);
DESCRIPTOR(constant, 0, .introduces = VALUE_CONSTANT, .infer = source_infer);
DESCRIPTOR(variable, 0, .introduces = VALUE_VARIABLE, .infer = source_infer);
