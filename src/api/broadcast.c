/* broadcast.c - shapes that go together, for clients */
#include "tensor/shape.h"

#include "api/api_priv.h"
#include "base/text.h"

#include <inttypes.h>

static enum broadcast_rule rule_of(enum nnefc_broadcast_rule rule)
{
    switch (rule) {
    case NNEFC_BROADCAST_NNEF:
        return BROADCAST_NNEF;
    case NNEFC_BROADCAST_ONNX:
        return BROADCAST_ONNX;
    case NNEFC_BROADCAST_ONNX_ONE_WAY:
        return BROADCAST_ONNX_ONE_WAY;
    }
    return BROADCAST_NNEF;
}

/* Extents of NNEF begin at 1 (section 2.2), those of ONNX at 0. */
static bool is_shape(enum broadcast_rule rule, const struct nnefc_type *type, int index,
                     struct text *why)
{
    if (type->rank < 0 || type->rank > NNEFC_MAX_RANK)
        text_add(why, "shape %d has rank %d, expected 0 to %d", index + 1, type->rank,
                 NNEFC_MAX_RANK);
    for (int i = 0; why->size == 0 && i < type->rank; i++)
        if (type->extent[i] < (rule == BROADCAST_NNEF))
            text_add(why, "shape %d has extent %" PRId64 ", expected %d or more", index + 1,
                     type->extent[i], rule == BROADCAST_NNEF);
    return why->size == 0;
}

static struct shape shape_of(const struct nnefc_type *type)
{
    struct shape shape = {.rank = type->rank};

    for (int i = 0; i < type->rank; i++)
        shape.extent[i] = type->extent[i];
    return shape;
}

/* `axis` counts along the wider shape; where shapes align at the last dimension, so do readers. */
static void explain(enum broadcast_rule rule, const struct shape *to, const struct shape *with,
                    int axis, struct text *why)
{
    int own = rule == BROADCAST_NNEF ? axis : axis - to->rank + with->rank;

    if (axis < 0)
        text_add(why, "%s has %d dimensions, the first shape only %d, and it is not widened",
                 SHAPE_TEXT(with), with->rank, to->rank);
    else if (rule == BROADCAST_NNEF)
        text_add(why,
                 "%s does not go with %s: extents %" PRId64 " and %" PRId64
                 " at dimension %d, counted from the first",
                 SHAPE_TEXT(with), SHAPE_TEXT(to), with->extent[own], to->extent[axis], axis);
    else
        text_add(why,
                 "%s does not go with %s: extents %" PRId64 " and %" PRId64
                 " at dimension %d, counted from the last",
                 SHAPE_TEXT(with), SHAPE_TEXT(to), with->extent[own], to->extent[axis],
                 axis - to->rank);
}

char *nnefc_broadcast(enum nnefc_broadcast_rule how, const struct nnefc_type *shapes, int count,
                      struct nnefc_type *result)
{
    enum broadcast_rule rule = rule_of(how);
    struct shape wide = {0};
    struct text why = {0};
    int axis;

    for (int i = 0; i < count && is_shape(rule, &shapes[i], i, &why); i++) {
        struct shape with = shape_of(&shapes[i]), before = wide;
        if (i == 0)
            wide = with;
        else if (!broadcast(rule, &wide, &with, &axis)) {
            explain(rule, axis < 0 ? &before : &wide, &with, axis, &why);
            break;
        }
    }
    if (!why.data)
        *result = type_of(DTYPE_UNKNOWN, &wide);
    return why.data;
}
