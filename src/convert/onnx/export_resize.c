/* export_resize.c - up and down-sampling by whole factors (section 4.3.4) */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include "op/interpolate.h"

#include <assert.h>

/* The first item of each block: a slice with the factors as strides. */
const char *export_nearest_downsample(const struct emit *e)
{
    const struct resize_attrs *attrs = e->attrs;
    int rank = emit_result_shape(e, 0)->rank;
    int64_t axes[MAX_RANK], begin[MAX_RANK] = {0}, end[MAX_RANK], stride[MAX_RANK];
    struct emit_range at = {0, axes, begin, end, stride};

    for (int i = 2; i < rank; i++) {
        axes[at.count] = i;
        end[at.count] = INT64_MAX;
        stride[at.count++] = resize_factor(attrs, i);
    }
    return emit_slice(e, emit_in_rank(e, 0, rank), &at);
}

/* The mean of each block. */
const char *export_area_downsample(const struct emit *e)
{
    const struct shape *out = emit_result_shape(e, 0);
    struct window window = resize_block(e->attrs, emit_shape(e, 0), out);

    return emit_box(e, emit_in_rank(e, 0, out->rank), &window, true);
}

/* Enlarges the dimensions behind batch and channel by the sizes of the window. */
static const char *resize_view(const struct window_view *view, const char *x, const char *mode)
{
    float scale[MAX_RANK + 2] = {1, 1};
    int count = 2;

    for (int i = 0; i < view->window.rank; i++)
        scale[count++] = (float)view->window.dim[i].size;
    x = emit(view->e, "Resize", x, "", emit_along(view->e, scale, count, 0), NULL);
    emit_attr_string(view->e, "mode", mode);
    return x;
}

static const char *const coordinate_modes[] = {
    [RESIZE_METHOD_SYMMETRIC] = "half_pixel",
    [RESIZE_METHOD_ASYMMETRIC] = "asymmetric",
    [RESIZE_METHOD_ALIGNED] = "align_corners",
};

/*
 * One item on each side of the dimensions behind batch and channel that are enlarged; with a
 * negative `sign` it is taken away again, enlarged itself.
 */
static struct emit_padding margin_of(const struct window_view *view, enum border border, int sign)
{
    struct emit_padding margin = {.shape = {.rank = 2 + view->window.rank}, .border = border};

    for (int i = 0; i < view->window.rank; i++) {
        int64_t factor = view->window.dim[i].size;
        int64_t amount = factor == 1 ? 0 : sign > 0 ? 1 : -factor;
        margin.amount[2 + i][0] = margin.amount[2 + i][1] = amount;
    }
    return margin;
}

/* ONNX repeats the items at the edge, which is what 'reflect-even' does with one item, too. */
static const char *interpolate_turn(const struct window_view *view, const char *x)
{
    const struct emit *e = view->e;
    const struct resize_attrs *attrs = e->attrs;
    enum border border = (enum border)attrs->border;
    struct emit_padding more = margin_of(view, border, 1), less = margin_of(view, border, -1);
    bool margin = attrs->resize_method != RESIZE_METHOD_ALIGNED &&
                  (border == BORDER_CONSTANT || border == BORDER_REFLECT);

    if (margin)
        x = emit_pad(e, x, &more);
    x = resize_view(view, x, "linear");
    emit_attr_string(e, "coordinate_transformation_mode", coordinate_modes[attrs->resize_method]);
    return margin ? emit_pad(e, x, &less) : x;
}

/* Three dimensions at a time: a window slides where there is something to enlarge. */
const char *export_upsample(const struct emit *e)
{
    const struct shape *out = emit_result_shape(e, 0);
    struct shape in = *emit_shape(e, 0);
    struct window turn;

    assert(in.rank <= out->rank);
    while (in.rank < out->rank)
        in.extent[in.rank++] = 1;
    struct window window = resize_block(e->attrs, &in, out);
    window.reverse = true;
    const char *x = emit_in_rank(e, 0, window.rank);
    while (window_turn(&window, &turn)) {
        struct window_view view = view_of(e, &turn);
        x = view_input(&view, x);
        if (e->node->op->id == OP_multilinear_upsample) {
            x = interpolate_turn(&view, x);
        } else {
            x = resize_view(&view, x, "nearest");
            emit_attr_string(e, "coordinate_transformation_mode", "asymmetric");
            emit_attr_string(e, "nearest_mode", "floor");
        }
        x = view_leave(&view, x);
    }
    return x;
}
