/* export_shape.c - operations that move items: concat, reshape, transpose, slice, pad, tile */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include "base/arena.h"
#include "op/check.h"

#include <assert.h>

/* stack joins along a new axis, which its operands get first. */
const char *export_concat(const struct emit *e)
{
    int count = (int)e->node->nin, rank = emit_result_shape(e, 0)->rank;
    bool stack = e->node->op->id == OP_stack;
    const char **in = emit_room(e, count, sizeof *in);
    int64_t axis = attr_axis(e->node);

    assert(axis >= 0 && axis < rank);
    for (int i = 0; i < count; i++)
        in[i] = stack ? emit_unsqueeze(e, emit_in(e, i), &axis, 1) : emit_in_rank(e, i, rank);
    const char *y = emit_list(e, e->type, in, count);
    emit_attr_int(e, "axis", axis);
    return y;
}

/* unstack makes sections of one item, whose axis is taken away then. */
const char *export_split(const struct emit *e)
{
    int count = (int)e->node->nout;
    int64_t *sizes = arena_array_of(emit_arena(e), int64_t, count), axis = attr_axis(e->node);
    bool unstack = e->node->op->id == OP_unstack;
    const char **section = emit_room(e, count, sizeof *section);

    for (int i = 0; i < count; i++)
        sizes[i] = unstack ? 1 : emit_result_shape(e, i)->extent[axis];
    section[0] = emit(e, e->type, emit_in(e, 0), emit_vector(e, sizes, count), NULL);
    emit_attr_int(e, "axis", axis);
    for (int i = 0; i < count; i++) {
        section[i] = i > 0 ? emit_also(e) : section[0];
        if (!unstack)
            section[i] = onnx_out_result(e->out, i, section[i]);
    }
    for (int i = 0; i < count && unstack; i++)
        section[i] = onnx_out_result(e->out, i, emit_squeeze(e, section[i], &axis, 1));
    return section[0];
}

/* As the text has it, so that open extents stay open; by numbers where ONNX counts otherwise. */
const char *export_reshape(const struct emit *e)
{
    const struct reshape_attrs *attrs = e->attrs;
    const struct shape *from = emit_shape(e, 0), *to = emit_result_shape(e, 0);
    int begin = (int)attrs->axis_start, end = begin + attrs->shape.count;
    bool in_place = attrs->axis_count < 0 || attrs->axis_count == attrs->shape.count;
    int64_t extents[MAX_RANK];

    for (int i = 0; i < to->rank; i++) {
        bool inherited = i < begin || (i >= end ? in_place : attrs->shape.item[i - begin] == 0);
        extents[i] = inherited && i < from->rank ? 0 : to->extent[i];
        if (i >= begin && i < end && attrs->shape.item[i - begin] == -1)
            extents[i] = -1;
    }
    if (shape_volume(to) > 0)
        return emit_reshape_to(e, emit_in(e, 0), extents, to->rank);
    if (e->opset >= 14) {
        const char *y = emit_reshape(e, emit_in(e, 0), to);
        emit_attr_int(e, "allowzero", 1);
        return y;
    }
    /* Extents of 0 are inherited; but one tensor without items is like another. */
    const char *shape = emit_vector(e, to->extent, to->rank);
    const char *none = emit(e, "ConstantOfShape", shape, NULL);
    return emit_cast(e, none, (int32_t)onnx_type_of((enum dtype)e->node->out[0].dtype));
}

/* Also unsqueeze: without axes both are copies. */
const char *export_squeeze(const struct emit *e)
{
    const struct axes_attrs *attrs = e->attrs;
    bool squeeze = e->node->op->id == OP_squeeze;

    return (squeeze ? emit_squeeze : emit_unsqueeze)(e, emit_in(e, 0), attrs->axes.item,
                                                     attrs->axes.count);
}

/* Dimensions behind those that 'axes' names keep their place. */
const char *export_transpose(const struct emit *e)
{
    const struct transpose_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;
    int64_t order[MAX_RANK];

    assert(attrs->axes.count <= rank);
    for (int i = 0; i < rank; i++)
        order[i] = i < attrs->axes.count ? attrs->axes.item[i] : i;
    return emit_transpose(e, emit_in_rank(e, 0, rank), order, rank);
}

/* Bounds mean the same to ONNX, but for the 0 that is the end. */
const char *export_slice(const struct emit *e)
{
    const struct slice_attrs *attrs = e->attrs;
    int64_t end[MAX_RANK];
    bool to_end = integers_are_ones(&attrs->stride);
    struct emit_range range = {.count = attrs->axes.count,
                               .axes = attrs->axes.item,
                               .begin = attrs->begin.item,
                               .end = end,
                               .stride = to_end ? NULL : attrs->stride.item};

    for (int i = 0; i < range.count; i++)
        end[i] = attrs->end.item[i] == 0 && to_end ? INT64_MAX : attrs->end.item[i];
    return emit_slice(e, emit_in(e, 0), &range);
}

const char *export_pad(const struct emit *e)
{
    const struct pad_attrs *attrs = e->attrs;
    struct emit_padding padding = {
        .shape = *emit_shape(e, 0), .border = (enum border)attrs->border, .value = attrs->value};

    for (int i = 0; i < padding.shape.rank; i++)
        for (int side = 0; side < 2; side++)
            padding.amount[i][side] = attrs->padding.item[i][side];
    return emit_pad(e, emit_in(e, 0), &padding);
}

const char *export_tile(const struct emit *e)
{
    const struct tile_attrs *attrs = e->attrs;

    return emit(e, "Tile", emit_in(e, 0), emit_vector(e, attrs->repeats.item, attrs->repeats.count),
                NULL);
}
