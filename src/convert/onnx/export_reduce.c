/* export_reduce.c - reductions (NNEF 1.0.5, section 4.4) as those of ONNX */
#include "convert/onnx/export_rules.h"
#include "convert/proto/onnx.h"

#include "op/check.h"

#include <assert.h>

/* All dimensions of an image behind batch and channel, in order. */
static bool is_of_image(const struct shape *shape, const struct integers *axes)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] != i + 2)
            return false;
    return axes->count > 0 && axes->count + 2 == shape->rank;
}

/* Programs that quantize, or run quantized models, know the mean of an image by its own operator.
 */
const char *export_reduction(const struct emit *e)
{
    const struct reduce_attrs *attrs = e->attrs;
    int64_t item[MAX_RANK];
    const struct integers axes = emit_axes(e, item);
    bool mean = e->node->op->id == OP_sum_reduce && attrs->normalize;

    if ((mean || e->node->op->id == OP_mean_reduce) && is_of_image(emit_shape(e, 0), &axes))
        return emit(e, "GlobalAveragePool", emit_in(e, 0), NULL);
    return emit_reduce(e, mean ? "ReduceMean" : e->type, emit_in(e, 0), &axes);
}

/* ONNX has no reductions of logical values: the least or greatest of 0 and 1 is the same. */
const char *export_logical_reduction(const struct emit *e)
{
    int64_t item[MAX_RANK];
    const struct integers axes = emit_axes(e, item);
    const char *x = emit_cast(e, emit_in(e, 0), ONNX_INT64);

    return emit_cast(e, emit_reduce(e, e->type, x, &axes), ONNX_BOOL);
}

/* ONNX knows one axis: several are moved behind the others, and become one. */
const char *export_arg_reduction(const struct emit *e)
{
    const struct shape *shape = emit_shape(e, 0);
    int64_t order[MAX_RANK], extents[MAX_RANK + 1], item[MAX_RANK];
    const struct integers axes = emit_axes(e, item);
    const char *x = emit_in(e, 0);

    if (axes.count == 1) {
        x = emit(e, e->type, x, NULL);
        emit_attr_int(e, "axis", item[0]);
        return x;
    }
    int kept = 0, moved = shape->rank - axes.count;
    assert(moved >= 0); /* no axis is named twice */
    for (int i = 0; i < shape->rank; i++)
        if (integers_contain(&axes, i))
            order[moved++] = i;
        else
            order[kept++] = i;
    for (int i = 0; i < kept; i++)
        extents[i] = shape->extent[order[i]];
    extents[kept] = -1;
    x = emit_transpose(e, x, order, shape->rank);
    x = emit_reshape_to(e, x, extents, shape->rank - axes.count + 1);
    x = emit(e, e->type, x, NULL);
    emit_attr_int(e, "axis", -1);
    return emit_reshape(e, x, emit_result_shape(e, 0));
}
