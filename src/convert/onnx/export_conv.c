/* export_conv.c - conv, deconv and deform_conv as Conv, ConvTranspose and DeformConv */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include "op/convolve.h"

#include <assert.h>

/* A bias of ONNX has one dimension; NULL: it adds nothing. */
static const char *emit_bias(const struct emit *e, int64_t channels)
{
    const struct shape shape = {.rank = 1, .extent = {channels}}, one = {.rank = 1, .extent = {1}};
    const struct tensor *constant = emit_constant(e, CONV_BIAS);
    float *items;

    if (emit_is(e, CONV_BIAS, 0))
        return NULL;
    if (shape_volume(constant ? &constant->shape : emit_shape(e, CONV_BIAS)) == channels)
        return emit_in_shape(e, CONV_BIAS, &shape);
    if (!constant)
        return emit(e, "Expand", emit_in_shape(e, CONV_BIAS, &one), emit_vector(e, shape.extent, 1),
                    NULL);
    items = emit_room(e, channels, sizeof *items);
    for (int64_t i = 0; i < channels; i++)
        items[i] = (float)tensor_item(constant, shape_volume(&constant->shape) > 1 ? i : 0);
    return emit_scalars(e, &shape, items);
}

/* Tensors without a spatial dimension get one. The type is that of the node of ONNX. */
const char *export_convolution(const struct emit *e)
{
    static const int64_t behind[] = {2};
    const struct shape *input = emit_shape(e, CONV_INPUT), *out = emit_result_shape(e, 0);
    const struct shape *filter = emit_shape(e, CONV_FILTER);
    bool flat = out->rank == 2, reverse = e->node->op->id == OP_deconv;
    struct window_source source = {e->attrs, input, filter, 2, out->rank, reverse};

    assert(out->rank >= 2);
    struct window window = emit_window_of(e, &source);
    const char *x = emit_in_rank(e, CONV_INPUT, out->rank);
    const char *weights = emit_in_rank(e, CONV_FILTER, out->rank);
    if (flat) {
        x = emit_unsqueeze(e, x, behind, 1);
        weights = emit_unsqueeze(e, weights, behind, 1);
    }
    x = (reverse ? emit_reverse_border : emit_border)(e, x, 2, &window);
    x = emit(e, e->type, x, weights, emit_bias(e, shape_extent(out, 1)), NULL);
    emit_window_attrs(e, &window);
    emit_attr_int(e, "group", conv_groups(input, filter, out, reverse));
    return flat ? emit_squeeze(e, x, behind, 1) : x;
}

/* Padding is that of ONNX; the bias and a mask of ones are left out. */
const char *export_deform_conv(const struct emit *e)
{
    enum { OFFSET = CONV_BIAS + 1, MASK };
    const struct window_attrs *attrs = e->attrs;
    const struct shape *input = emit_shape(e, CONV_INPUT), *out = emit_result_shape(e, 0);
    const struct window_source source = {attrs, input,     emit_shape(e, CONV_FILTER),
                                         2,     out->rank, false};

    if (e->opset < 19) {
        emit_refuse(e, "needs opset 19");
        return NULL;
    }
    if (emit_shape(e, MASK)->rank == 0 && !emit_is(e, MASK, 1)) {
        emit_refuse(e, "has one mask for all taps");
        return NULL;
    }
    struct window window = emit_window_of(e, &source);
    const char *in[] = {emit_in(e, CONV_INPUT), emit_in(e, CONV_FILTER), emit_in(e, OFFSET),
                        emit_bias(e, out->extent[1]), NULL};
    bool masked = emit_shape(e, MASK)->rank > 0;
    in[3] = in[3] ? in[3] : "";
    in[4] = masked ? emit_in(e, MASK) : NULL;
    const char *y = emit_list(e, "DeformConv", in, masked ? 5 : *in[3] ? 4 : 3);
    emit_window_attrs(e, &window);
    emit_attr_int(e, "group", attrs->groups);
    emit_attr_int(e, "offset_group", attrs->offset_groups);
    return y;
}
