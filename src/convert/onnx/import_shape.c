/*
 * import_shape.c - other shapes and orders of the same items, and repetitions
 *
 * Shapes and axes are attributes in old opsets and inputs in newer ones, which have to be known.
 */
#include "convert/onnx/import_share.h"

#include "base/num.h"
#include "tensor/shape.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct imported *reshape_as(struct translation *t, struct imported *x,
                            const struct integers *wanted, bool zero_keeps)
{
    struct shape shape = {.rank = wanted->count};
    int64_t volume;
    int rest = -1; /* where -1 stands */

    if (wanted->count > MAX_RANK)
        return import_unsupported(t, "asks for %d dimensions, expected at most %d", wanted->count,
                                  MAX_RANK);
    for (int i = 0; i < wanted->count; i++) {
        int64_t extent = wanted->item[i];
        if (extent < -1 || (extent == -1 && rest >= 0))
            return import_refuse(t, DIAG_ITEM_VALUE,
                                 "asks for extent %" PRId64 ", expected 0 or more and one -1",
                                 extent);
        if (extent == -1)
            rest = i;
        if (extent == 0 && zero_keeps && i >= x->shape.rank)
            return import_refuse(t, DIAG_ITEM_VALUE, "asks to keep extent %d of shape %s", i,
                                 SHAPE_TEXT(&x->shape));
        shape.extent[i] = extent == 0 && zero_keeps ? x->shape.extent[i]
                          : extent == -1            ? 1
                                                    : extent;
    }
    if (rest >= 0 && shape_volume_checked(&shape, INT64_MAX, &volume) && volume > 0)
        shape.extent[rest] = shape_volume(&x->shape) / volume;
    if (shape_volume_checked(&shape, INT64_MAX, &volume) && volume == shape_volume(&x->shape))
        return reshape_to(t, x, &shape);
    return import_refuse(t, DIAG_VOLUME, "cannot give shape %s the %d extents that are asked for",
                         SHAPE_TEXT(&x->shape), wanted->count);
}

/* The shape is an attribute before opset 5. */
struct imported *import_reshape(struct translation *t)
{
    struct integers wanted;

    if (get_integers(t, "shape", 1, &wanted))
        return reshape_as(t, input_at(t, 0), &wanted, !get_int(t, "allowzero", 0));
    return t->failed ? NULL : import_refuse(t, DIAG_ONNX_GRAPH, "has no shape");
}

/* [product of the extents in front of the axis, product of the others] */
struct imported *import_flatten(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    int64_t axis = get_int(t, "axis", 1);
    int rank = x->shape.rank;

    if (axis < -rank || axis > rank)
        return import_refuse(t, DIAG_AXIS, "axis %" PRId64 " is out of range, expected %d to %d",
                             axis, -rank, rank);
    int at = (int)(axis < 0 ? axis + rank : axis);
    struct shape shape = {
        .rank = 2,
        .extent = {shape_volume_range(&x->shape, 0, at), shape_volume_range(&x->shape, at, rank)}};
    return reshape_to(t, x, &shape);
}

/* Without axes, all extents of 1 go. */
struct imported *import_squeeze(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct integers named = {0}, axes;
    struct shape shape = {0};

    bool given = get_integers(t, "axes", 1, &named);
    if (t->failed || !resolve_axes(t, &named, x->shape.rank, &axes))
        return NULL;
    for (int i = 0, next = 0; i < x->shape.rank; i++) {
        bool listed = next < axes.count && axes.item[next] == i;
        next += listed;
        if (listed && x->shape.extent[i] != 1)
            return import_refuse(t, DIAG_EXTENT,
                                 "squeezes dimension %d of shape %s, expected extent 1", i,
                                 SHAPE_TEXT(&x->shape));
        if (!(given ? listed : x->shape.extent[i] == 1))
            shape.extent[shape.rank++] = x->shape.extent[i];
    }
    return reshape_to(t, x, &shape);
}

/* Axes count in the result. */
struct imported *import_unsqueeze(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct integers named = {0}, axes;
    struct shape shape;

    get_integers(t, "axes", 1, &named);
    shape.rank = x->shape.rank + named.count;
    if (t->failed)
        return NULL;
    if (shape.rank > MAX_RANK)
        return import_unsupported(t, "makes %d dimensions, expected at most %d", shape.rank,
                                  MAX_RANK);
    if (!resolve_axes(t, &named, shape.rank, &axes))
        return NULL;
    for (int i = 0, next = 0, from = 0; i < shape.rank; i++) {
        bool added = next < axes.count && axes.item[next] == i;
        next += added;
        shape.extent[i] = added ? 1 : x->shape.extent[from++];
    }
    if (x->known)
        return reshape_to(t, x, &shape);
    return make1(t, OP_SPEC(unsqueeze, .axes = axes), x);
}

/* Without an order, dimensions are reversed. */
struct imported *import_transpose(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct integers named, sorted;
    int64_t order[MAX_RANK];

    for (int i = 0; i < x->shape.rank; i++)
        order[i] = x->shape.rank - 1 - i;
    if (get_ints(t, "perm", &named)) {
        if (!resolve_axes(t, &named, x->shape.rank, &sorted))
            return NULL;
        if (named.count != x->shape.rank)
            return import_refuse(t, DIAG_PERMUTATION, "'perm' has %d items, expected %d",
                                 named.count, x->shape.rank);
        memcpy(order, named.item, (size_t)named.count * sizeof *order);
    }
    for (int i = 0; i < x->shape.rank; i++)
        order[i] += order[i] < 0 ? x->shape.rank : 0;
    return transpose_by(t, x, order);
}

/* --- repetitions --------------------------------------------------------------------------- */

/* Both shapes broadcast: an extent of 1 that is asked for keeps what is there. */
struct imported *import_expand(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct shape shape = x->shape, wanted;
    int axis;

    if (!get_shape(t, "shape", 1, &wanted))
        return NULL;
    if (!broadcast(BROADCAST_ONNX, &shape, &wanted, &axis))
        return import_refuse(t, DIAG_BROADCAST, "shapes %s and %s do not broadcast",
                             SHAPE_TEXT(&x->shape), SHAPE_TEXT(&wanted));
    return spread_to(t, x, &shape);
}

struct imported *repeat_by(struct translation *t, struct imported *x,
                           const struct integers *repeats)
{
    struct shape empty = x->shape;
    bool one = true, none = false;

    assert(repeats->count >= 0);
    for (int i = 0; i < repeats->count; i++) {
        one &= repeats->item[i] == 1;
        none |= repeats->item[i] == 0;
        if (i < empty.rank && repeats->item[i] >= 0 &&
            !num_mul(empty.extent[i], repeats->item[i], &empty.extent[i]))
            empty.extent[i] = INT64_MAX;
    }
    if (one)
        return x;
    if (none && repeats->count == empty.rank)
        return known_new(t, x->type, &empty, NULL);
    return make1(t, OP_SPEC(tile, .repeats = *repeats), x);
}

/* Before opset 6 one axis, which is an input. */
struct imported *import_tile(struct translation *t)
{
    struct integers repeats;

    if (t->opset < 6)
        return import_unsupported(t, "repeats along an axis, as before opset 6");
    return get_integers(t, "repeats", 1, &repeats) ? repeat_by(t, input_at(t, 0), &repeats) : NULL;
}
