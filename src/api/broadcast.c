/* broadcast.c - the shape that several shapes broadcast to, for clients (shape.h) */
#include "tensor/shape.h"

#include "api/api_priv.h"
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The rules have the same numbers on both sides of the interface. */
static_assert((int)BROADCAST_NNEF == (int)NNEFC_BROADCAST_NNEF, "rules are cast");
static_assert((int)BROADCAST_ONNX == (int)NNEFC_BROADCAST_ONNX, "rules are cast");
static_assert((int)BROADCAST_ONNX_ONE_WAY == (int)NNEFC_BROADCAST_ONNX_ONE_WAY, "rules are cast");

/* Why `with` does not broadcast to `to`.  `axis` counts along the wider shape, of which -1 is no
 * dimension; where shapes align at the last dimension, the text counts from there. */
static void explain(enum broadcast_rule rule, const struct shape *to, const struct shape *with,
                    int axis, struct text *why)
{
    bool nnef = rule == BROADCAST_NNEF;
    int own = nnef ? axis : axis - to->rank + with->rank;

    assert(axis >= -1 && axis < to->rank);
    if (axis < 0)
        text_add(why, "%s has %d dimensions, the first shape only %d, and it is not widened",
                 SHAPE_TEXT(with), with->rank, to->rank);
    else
        text_add(why,
                 "%s does not go with %s: extents %" PRId64 " and %" PRId64
                 " at dimension %d, counted from the %s",
                 SHAPE_TEXT(with), SHAPE_TEXT(to), with->extent[own], to->extent[axis],
                 nnef ? axis : axis - to->rank, nnef ? "first" : "last");
}

/* The shapes are widened one after the other, from the first on, so that a fault names the first
 * of them that does not fit. */
char *api_broadcast(enum nnefc_broadcast_rule how, const struct nnefc_type *shapes, int count,
                    struct nnefc_type *result)
{
    static const char misused[] = "a rule, shapes and a place for the result are needed";
    const enum broadcast_rule rule = (enum broadcast_rule)how;
    int least = rule == BROADCAST_NNEF; /* extents of NNEF begin at 1 (section 2.2) */
    struct shape wide = {0};            /* of all shapes so far */
    struct text why = {0};
    int axis;

    if (result)
        *result = unknown_type(); /* stays so after a fault, also if memory runs out */
    if (!result || count < 0 || (count > 0 && !shapes) ||
        (unsigned)how > NNEFC_BROADCAST_ONNX_ONE_WAY)
        return text_copy(misused, strlen(misused));
    for (int i = 0; i < count && why.size == 0; i++) {
        struct shape with = {.rank = shapes[i].rank}, before = wide;
        if (with.rank < 0 || with.rank > NNEFC_MAX_RANK)
            text_add(&why, "shape %d has rank %d, expected 0 to %d", i + 1, with.rank,
                     NNEFC_MAX_RANK);
        for (int k = 0; why.size == 0 && k < with.rank; k++) {
            with.extent[k] = shapes[i].extent[k];
            if (with.extent[k] < least)
                text_add(&why, "shape %d has extent %" PRId64 ", expected %d or more", i + 1,
                         with.extent[k], least);
        }
        if (i == 0)
            wide = with;
        else if (why.size == 0 && !broadcast(rule, &wide, &with, &axis))
            explain(rule, axis < 0 ? &before : &wide, &with, axis, &why);
    }
    if (!why.data)
        *result = type_of(DTYPE_UNKNOWN, &wide);
    return why.data;
}
