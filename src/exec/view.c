/* view.c - layouts and strided views; see view.h */
#include "exec/view.h"

#include "exec/group.h"

#include <assert.h>

enum { CHANNEL = 1 };

struct shape layout_shape(const struct shape *shape, int rank, enum layout layout)
{
    struct shape out = {.rank = rank};

    assert(rank >= 0 && rank <= MAX_RANK);
    for (int axis = 0; axis < rank; axis++)
        out.extent[axis] = shape_extent(shape, axis);
    if (layout == LAYOUT_PLAIN || rank <= CHANNEL + 1)
        return out;
    for (int axis = CHANNEL; axis + 1 < rank; axis++)
        out.extent[axis] = shape_extent(shape, axis + 1);
    out.extent[rank - 1] = shape_extent(shape, CHANNEL);
    return out;
}

int layout_axis(int rank, enum layout layout, int place)
{
    assert(place >= 0 && place < rank);
    if (layout == LAYOUT_PLAIN || place < CHANNEL || rank <= CHANNEL + 1)
        return place;
    return place + 1 < rank ? place + 1 : CHANNEL;
}

bool layout_is_moot(const struct shape *shape)
{
    return shape->rank <= CHANNEL + 1 || shape->extent[CHANNEL] == 1 ||
           shape_volume_range(shape, CHANNEL + 1, shape->rank) == 1;
}

const char *layout_name(enum layout layout)
{
    static const char *const names[LAYOUT_COUNT] = {"plain", "channels-last"};

    return names[layout];
}

/* --- views ----------------------------------------------------------------------------------- */

struct strided_view view_in_order(const struct shape *shape, enum layout layout)
{
    int64_t by_place[MAX_RANK];
    struct strided_view view = {0};

    if (layout == LAYOUT_PLAIN) {
        shape_strides(shape, view.stride);
        return view;
    }
    const struct shape lying = layout_shape(shape, shape->rank, layout);
    shape_strides(&lying, by_place);
    for (int i = 0; i < shape->rank; i++)
        view.stride[layout_axis(shape->rank, layout, i)] = by_place[i];
    return view;
}

bool view_is_in_order(const struct strided_view *view, const struct shape *shape,
                      enum layout layout)
{
    const struct strided_view order = view_in_order(shape, layout);

    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] > 1 && view->stride[i] != order.stride[i])
            return false;
    return true;
}

int transposed_axis(const struct node *node, int axis)
{
    const struct integers *axes = attr_axes(node);

    assert(is_op(node, OP_transpose));
    return axis < axes->count ? (int)axes->item[axis] : axis;
}

struct strided_view view_transposed(const struct node *node, const struct strided_view *operand)
{
    struct strided_view view = {.at = operand->at};

    for (int i = 0; i < node->out[0].shape->rank; i++)
        view.stride[i] = operand->stride[transposed_axis(node, i)];
    return view;
}

struct strided_view view_sliced(const struct node *node, const struct strided_view *operand)
{
    const struct integers *axes = attr_axes(node), *begin = attr_begin(node),
                          *stride = attr_stride(node);
    struct strided_view view = *operand;

    assert(is_op(node, OP_slice));
    for (int i = 0; i < axes->count; i++) {
        int64_t axis = axes->item[i], first = begin->item[i];
        if (axis >= node->out[0].shape->rank)
            continue;
        int64_t extent = node->in[0].value->shape->extent[axis];
        first += first < 0 ? extent : 0;
        first = first < 0 ? 0 : first < extent ? first : extent - 1;
        view.at += first * operand->stride[axis];
        view.stride[axis] *= i < stride->count ? stride->item[i] : 1;
    }
    return view;
}

struct strided_view view_squeezed(const struct node *node, const struct strided_view *operand)
{
    const struct shape *from = node->in[0].value->shape, *to = node->out[0].shape;
    struct strided_view view = {.at = operand->at};

    assert(is_op(node, OP_squeeze) || is_op(node, OP_unsqueeze));
    for (int i = 0, k = 0; i < to->rank; i++) {
        if (to->extent[i] == 1)
            continue;
        while (from->extent[k] == 1)
            k++;
        view.stride[i] = operand->stride[k++];
    }
    return view;
}

struct strided_view view_part(const struct strided_view *whole, int axis, int64_t at, bool drops)
{
    struct strided_view view = *whole;

    assert(axis >= 0 && axis < MAX_RANK && at >= 0);
    view.at += at * whole->stride[axis];
    for (int i = axis; drops && i + 1 < MAX_RANK; i++)
        view.stride[i] = whole->stride[i + 1];
    return view;
}

bool keeps_items(const struct node *node)
{
    return is_op(node, OP_reshape) || is_op(node, OP_squeeze) || is_op(node, OP_unsqueeze) ||
           is_op(node, OP_copy);
}

/* --- rows along axes ------------------------------------------------------------------------- */

bool row_layout_of(const struct shape *shape, const struct integers *axes, enum layout layout,
                   struct row_layout *reduction)
{
    int64_t *part = &reduction->outer;

    *reduction = (struct row_layout){1, 1, 1};
    for (int i = 0; i < shape->rank; i++) {
        int axis = layout_axis(shape->rank, layout, i);
        int64_t extent = shape->extent[axis];
        bool along = false;
        for (int k = 0; k < axes->count; k++)
            along |= axes->item[k] == axis;
        if (extent == 1)
            continue;
        if (along && part == &reduction->inner)
            return false;
        if (along)
            part = &reduction->length;
        else if (part == &reduction->length)
            part = &reduction->inner;
        *part *= extent;
    }
    return reduction->outer > 0 && reduction->length > 0 && reduction->inner > 0;
}
