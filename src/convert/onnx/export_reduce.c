/* export_reduce.c - reductions (NNEF 1.0.5, section 4.4) as those of ONNX */
#include "convert/onnx/export_rules.h"

#include "op/check.h"

static bool emit_reduction(const struct emit *e, const char *type)
{
    int64_t axes[MAX_RANK];
    int count = emit_axes(e, &((const struct reduce_attrs *)e->attrs)->axes, axes);

    emit_reduce(e, 0, type, emit_in(e, 0), &(struct integers){count, axes});
    return true;
}

bool export_sum_reduce(const struct emit *e)
{
    const struct reduce_attrs *attrs = e->attrs;

    return emit_reduction(e, attrs->normalize ? "ReduceMean" : "ReduceSum");
}

bool export_mean_reduce(const struct emit *e)
{
    return emit_reduction(e, "ReduceMean");
}

bool export_max_reduce(const struct emit *e)
{
    return emit_reduction(e, "ReduceMax");
}

bool export_min_reduce(const struct emit *e)
{
    return emit_reduction(e, "ReduceMin");
}

/* There are no reductions of logical values. */
static bool emit_logical_reduction(const struct emit *e, const char *type)
{
    int64_t axes[MAX_RANK];
    int count = emit_axes(e, &((const struct reduce_attrs *)e->attrs)->axes, axes);
    const char *x = emit_cast(e, EMIT_TEMP, emit_in(e, 0), DTYPE_INTEGER);

    x = emit_reduce(e, EMIT_TEMP, type, x, &(struct integers){count, axes});
    emit_cast(e, 0, x, DTYPE_LOGICAL);
    return true;
}

bool export_all_reduce(const struct emit *e)
{
    return emit_logical_reduction(e, "ReduceMin");
}

bool export_any_reduce(const struct emit *e)
{
    return emit_logical_reduction(e, "ReduceMax");
}

/* The dimensions that stay and then, as one, the axes: a permutation and what to reshape to. */
static void gather_axes(const struct shape *shape, const struct integers *axes, int64_t *order,
                        int64_t *extents)
{
    int kept = 0, moved = shape->rank - axes->count;

    for (int i = 0; i < shape->rank; i++)
        if (integers_contain(axes, i))
            order[moved++] = i;
        else
            order[kept++] = i;
    for (int i = 0; i < kept; i++)
        extents[i] = shape->extent[order[i]];
    extents[kept] = -1;
}

/* ONNX knows one axis: others are brought together. */
static bool emit_arg_reduction(const struct emit *e, const char *type)
{
    const struct shape *shape = emit_shape(e, 0);
    int64_t order[MAX_RANK], extents[MAX_RANK + 1], item[MAX_RANK];
    const struct integers axes = {
        emit_axes(e, &((const struct reduce_attrs *)e->attrs)->axes, item), item};
    const char *x = emit_in(e, 0);

    if (axes.count == 1) {
        emit(e, 0, type, x, NULL);
        emit_attr_int(e, "axis", item[0]);
        return true;
    }
    gather_axes(shape, &axes, order, extents);
    x = emit_transpose(e, EMIT_TEMP, x, order, shape->rank);
    x = emit_reshape_to(e, EMIT_TEMP, x, extents, shape->rank - axes.count + 1);
    x = emit(e, EMIT_TEMP, type, x, NULL);
    emit_attr_int(e, "axis", -1);
    emit_reshape(e, 0, x, emit_result_shape(e, 0));
    return true;
}

bool export_argmax_reduce(const struct emit *e)
{
    return emit_arg_reduction(e, "ArgMax");
}

bool export_argmin_reduce(const struct emit *e)
{
    return emit_arg_reduction(e, "ArgMin");
}
