/*
 * batch_norm.c - batch normalization goes into the layer before it, or the one behind it
 *
 * Before it: what it does to the channels of the result is done to filter and bias.
 *
 * Behind it: with t what becomes of 0, filter * (factor[c] * x + t[c]) is a sum over
 * factor[c] * filter and x, and one that does not depend on x: but only where the layer reads
 * nothing but results of the normalization.  The zeros of a border were not normalized, so that
 * conv must not reach beyond its input, or fill it with items of it; and deconv does not read as
 * many inputs for every item of its result.
 */
#include "pass/layer.h"

#include "op/window.h"

#include <assert.h>

/* --- into the layer before it --------------------------------------------------------------- */

static const char *fuse_before(struct pass *pass, struct node *node)
{
    struct affine affine;

    struct node *layer = layer_of(node->in[NORM_INPUT].value);
    if (!layer)
        return pass_because(pass, "not fused: '%s' is the result of no convolution or linear layer",
                            VALUE_TEXT(node->in[NORM_INPUT].value));
    const char *why = affine_of_norm(pass, node, &affine);
    why = why ? why : layer_fuse(pass, layer, &node->out[0], &affine);
    return why ? pass_unfused(pass, layer, why) : NULL;
}

const struct pass_desc pass_fuse_batch_norm = {
    .purpose = "put batch normalization into the convolution or linear layer before it",
    .ops = {OP_batch_normalization},
    .visit = fuse_before,
};

/* --- into the layer behind it --------------------------------------------------------------- */

static bool is_within_input(const struct node *conv)
{
    const struct window_attrs *attrs = conv->attrs;
    const struct shape *filter = conv->in[LAYER_FILTER].value->shape;
    int sliding = conv->out[0].shape->rank - 2;

    assert(is_op(conv, OP_conv));
    for (int i = 0; i < sliding; i++) {
        bool automatic = i >= attrs->padding.count;
        if (automatic ? shape_extent(filter, i + 2) != 1
                      : attrs->padding.item[i][0] > 0 || attrs->padding.item[i][1] > 0)
            return attrs->border != BORDER_CONSTANT;
    }
    return true;
}

static const char *fuse_behind(struct pass *pass, const struct node *norm, struct node *layer)
{
    const struct value *bias = layer->in[LAYER_BIAS].value;
    struct affine affine;
    const char *why = affine_of_norm(pass, norm, &affine);

    if (!value_is_inner(pass, &norm->out[0]))
        return "its result is needed elsewhere";
    why = why ? why : layer_obstacle(pass, layer, true);
    if (why)
        return why;
    if (is_op(layer, OP_conv) && !is_within_input(layer))
        return "the zeros around its result are not normalized";
    /* The bias and what the terms add up to, in each channel of the result. */
    const struct value *filter = layer->in[LAYER_FILTER].value;
    int64_t rows = filter->shape->extent[0], columns = filter->shape->extent[1];
    int64_t taps = shape_volume_range(filter->shape, 2, filter->shape->rank);
    int64_t groups = affine.channels / columns;
    double *sum = pass_scratch(pass, rows, sizeof *sum);
    for (int64_t row = 0; row < rows; row++) {
        sum[row] = value_channel_item(bias, row);
        for (int64_t i = 0; i < columns * taps; i++)
            sum[row] += affine_of(&affine, row / (rows / groups) * columns + i / taps, 0) *
                        value_item(filter, row * columns * taps + i);
    }
    struct layer_change change = {.input = norm->in[NORM_INPUT].value,
                                  .result = &layer->out[0],
                                  .affine = &affine,
                                  .of_input = true,
                                  .bias = sum,
                                  .like = bias->shape->rank > 0 ? bias : affine.like};
    return layer_replace(pass, layer, &change);
}

static const char *visit_layer(struct pass *pass, struct node *node)
{
    const struct node *norm = made_by(node->in[LAYER_INPUT].value, OP_batch_normalization);
    const char *why = norm ? fuse_behind(pass, norm, node) : NULL;

    if (why)
        pass_left(pass, norm, pass_unfused(pass, node, why));
    return NULL;
}

const struct pass_desc pass_fuse_batch_norm_into_next = {
    .purpose = "put batch normalization into the linear layer or convolution behind it",
    .ops = {OP_conv, OP_linear},
    .visit = visit_layer,
};
