/*
 * batch_norm_next.c - batch normalization goes into the layer behind it
 *
 * With t what becomes of 0, filter * (factor[c] * x + t[c]) is a sum over factor[c] * filter and x,
 * and one that does not depend on x: but only where the layer reads nothing but results of the
 * normalization.  The zeros of a border were not normalized, so that conv must not reach beyond its
 * input, or fill it with items of it; and deconv does not read as many inputs for every item of its
 * result.
 */
#include "pass/edit.h"
#include "pass/layer.h"

#include "op/window.h"

static bool is_within_input(const struct node *conv)
{
    const struct window_attrs *attrs = conv->attrs;
    const struct shape *filter = conv->in[LAYER_FILTER].value->shape;
    int sliding = conv->out[0].shape->rank - 2;

    for (int i = 0; i < sliding; i++) {
        bool automatic = i >= attrs->padding.count;
        if (automatic ? shape_extent(filter, i + 2) != 1
                      : attrs->padding.item[i][0] > 0 || attrs->padding.item[i][1] > 0)
            return attrs->border != BORDER_CONSTANT;
    }
    return true;
}

/* What the terms add up to in each channel of the result, and the bias. */
static double *bias_of(struct pass *pass, const struct node *layer, const struct affine *affine)
{
    const struct value *filter = layer->in[LAYER_FILTER].value;
    int64_t rows = filter->shape->extent[0], columns = filter->shape->extent[1];
    int64_t taps = shape_volume_range(filter->shape, 2, filter->shape->rank);
    int64_t groups = affine->channels / columns;
    double *sum = pass_room(pass, rows, sizeof *sum);

    for (int64_t row = 0; row < rows; row++) {
        sum[row] = value_channel_item(layer->in[LAYER_BIAS].value, row);
        for (int64_t i = 0; i < columns * taps; i++)
            sum[row] += affine_of(affine, row / (rows / groups) * columns + i / taps, 0) *
                        value_item(filter, row * columns * taps + i);
    }
    return sum;
}

static const char *fuse(struct pass *pass, const struct node *norm, struct node *layer)
{
    struct value *bias = layer->in[LAYER_BIAS].value;
    struct affine affine;
    const char *why = affine_of_norm(pass, norm, &affine);

    if (!value_is_inner(pass, &norm->out[0]))
        return "its result is needed elsewhere";
    why = why ? why : layer_obstacle(pass, layer, true);
    if (why)
        return why;
    if (is_op(layer, OP_conv) && !is_within_input(layer))
        return "the zeros around its result are not normalized";
    struct layer_change change = {.input = norm->in[0].value,
                                  .result = &layer->out[0],
                                  .affine = &affine,
                                  .of_input = true,
                                  .bias = bias_of(pass, layer, &affine),
                                  .like = bias->shape->rank > 0 ? bias : affine.like};
    return layer_replace(pass, layer, &change);
}

static void visit(struct pass *pass, struct node *node)
{
    if (!is_op(node, OP_conv) && !is_op(node, OP_linear))
        return;
    struct node *norm = made_by(node->in[LAYER_INPUT].value, OP_batch_normalization);
    const char *why = norm ? fuse(pass, norm, node) : NULL;
    if (why)
        pass_unfused(pass, norm, node, why);
}

const struct pass_desc pass_fuse_batch_norm_into_next = {
    .purpose = "put batch normalization into the linear layer or convolution behind it",
    .visit = visit,
};
