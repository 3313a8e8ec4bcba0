/*
 * source.c - operations that introduce a tensor (NNEF 1.0.5, section 4.1)
 *
 * external is fed in every cycle, constant is written in the text, variable is stored.  None of
 * them makes a node.
 */
#include "op/check.h"

#include <assert.h>
#include <inttypes.h>

static bool check_extent(const struct infer *infer, int axis, int64_t extent, int64_t min)
{
    assert(axis >= 0 && axis < MAX_RANK);
    if (extent >= min)
        return true;
    return infer_error(infer, "shape", DIAG_EXTENT,
                       "shape of '%s' has extent %" PRId64 " in dimension %d, expected %" PRId64
                       " or more",
                       infer_name(infer), extent, axis, min);
}

/* The shape as given, with extents of at least `min`. */
static bool infer_given(struct infer *infer, int64_t min)
{
    const struct source_attrs *attrs = infer->attrs;
    struct shape *shape = &infer->out[0];
    bool ok = true;

    if (attrs->shape.count > MAX_RANK)
        return infer_error(infer, "shape", DIAG_RANK,
                           "shape of '%s' has %d items, expected at most %d", infer_name(infer),
                           attrs->shape.count, MAX_RANK);
    shape->rank = attrs->shape.count;
    for (int i = 0; i < shape->rank; i++) {
        shape->extent[i] = attrs->shape.item[i];
        ok &= check_extent(infer, i, shape->extent[i], min);
    }
    return ok;
}

/* In the provisional dialect 0 is an extent that only the input will tell. */
static bool external_infer(struct infer *infer)
{
    bool provisional = infer->graph->provisional;
    struct shape *shape = &infer->out[0];

    if (!infer_given(infer, provisional ? 0 : 1))
        return false;
    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] == 0)
            shape->extent[i] = EXTENT_UNKNOWN;
    return true;
}

static bool variable_infer(struct infer *infer)
{
    return infer_given(infer, 1);
}

static bool constant_infer(struct infer *infer)
{
    const struct source_attrs *attrs = infer->attrs;
    int count = attrs->value.count;
    int64_t volume;

    if (!infer_given(infer, 1))
        return false;
    if (count == 1 || !shape_volume_checked(&infer->out[0], INT64_MAX, &volume) || count == volume)
        return true;
    return infer_error(infer, "value", DIAG_VALUE_COUNT,
                       "'constant' of shape %s has %d values, expected %" PRId64 " or 1",
                       SHAPE_TEXT(&infer->out[0]), count, volume);
}

const struct op_desc op_external = {
    OP_SIGNATURE(external, 0),
    .introduces = VALUE_EXTERNAL,
    .infer = external_infer,
};

const struct op_desc op_constant = {
    OP_SIGNATURE(constant, 0),
    .introduces = VALUE_CONSTANT,
    .infer = constant_infer,
};

const struct op_desc op_variable = {
    OP_SIGNATURE(variable, 0),
    .introduces = VALUE_VARIABLE,
    .infer = variable_infer,
};
