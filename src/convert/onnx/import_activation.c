/* import_activation.c - activation functions */
#include "convert/onnx/import_share.h"

/* --- along axes -------------------------------------------------------------------------- */

/* Before opset 13 all axes from the one that is named. */
static bool find_axes(struct translation *t, struct integers *axes)
{
    int rank = input_at(t, 0)->shape.rank, axis;
    int64_t *items = import_alloc(t, MAX_RANK, sizeof *items);

    if (!resolve_axis(t, get_int(t, "axis", t->opset < 13 ? 1 : -1), rank, &axis))
        return false;
    *axes = (struct integers){t->opset < 13 ? rank - axis : 1, items};
    for (int i = 0; i < axes->count; i++)
        items[i] = axis + i;
    return true;
}

/* 1 at the first greatest item along an axis, else 0; the axes become one. */
struct imported *import_hardmax(struct translation *t)
{
    struct imported *x = input_at(t, 0);
    struct shape shape = x->shape, flat = {.rank = 3, .extent = {1, 1, 1}}, ramp = flat;
    struct integers axes;

    if (!find_axes(t, &axes))
        return NULL;
    for (int i = 0; i < shape.rank; i++)
        flat.extent[i < axes.item[0]                ? 0
                    : i < axes.item[0] + axes.count ? 1
                                                    : 2] *= shape.extent[i];
    ramp.extent[1] = flat.extent[1];
    struct imported *index = reduce_at(t, OP_argmax_reduce, reshape_to(t, x, &flat), 1);
    struct imported *at = reshape_to(t, known_ramp(t, ONNX_INT64, flat.extent[1]), &ramp);
    return reshape_to(t, convert(t, op2(t, OP_eq, index, at), x->type), &shape);
}
