/* layer.c - conv, deconv and linear with another filter and bias (sections 4.3.1 and 4.9.2) */
#include "pass/layer.h"

#include "diag/context.h"

#include <assert.h>
#include <float.h>
#include <math.h>

struct node *layer_of(const struct value *value)
{
    struct node *node = made_by(value, OP_conv);

    node = node ? node : made_by(value, OP_deconv);
    return node ? node : made_by(value, OP_linear);
}

/* --- whether it may be changed ------------------------------------------------------------- */

bool layer_filter_grows(const struct pass *pass, const struct value *filter)
{
    bool alone = filter->uses && !filter->uses->next;
    int64_t volume = shape_volume(filter->shape);
    int64_t room = context_budget(pass->graph->context) / (int64_t)sizeof(int64_t);

    assert(filter->kind != VALUE_RESULT);
    if (!alone || shape_volume(&value_items(filter)->shape) < volume)
        room = room < pass->options->growth ? room : pass->options->growth;
    return volume > room;
}

const char *layer_obstacle(const struct pass *pass, const struct node *layer, bool scales)
{
    const struct shape *rows = layer->in[LAYER_INPUT].value->shape, *result = layer->out[0].shape;
    const struct value *filter = layer->in[LAYER_FILTER].value;
    const struct value *bias = layer->in[LAYER_BIAS].value;
    const struct shape product = {.rank = 2, .extent = {rows->extent[0], filter->shape->extent[0]}};

    assert(layer_of(&layer->out[0]) == layer);
    if (!value_items(bias))
        return "its bias is no constant";
    if (!value_is_per_channel(bias, shape_extent(result, CHANNEL)))
        return "its bias differs along other dimensions than that of the channels";
    /* A bias of `linear` may widen the product, which another bias might not. */
    if (is_op(layer, OP_linear) && !shape_equal(result, &product))
        return "its result is more than a product of matrices";
    if (!scales)
        return NULL;
    if (!value_items(filter))
        return "its filter is no constant";
    if (value_stays(pass, filter))
        return "its filter must stay as it is";
    return layer_filter_grows(pass, filter) ? "another filter would take too much room" : NULL;
}

/* --- filters ------------------------------------------------------------------------------- */

/* False if a product is out of range. */
static bool multiply(double factor, const float *from, int64_t count, float *to)
{
    int beyond = 0;

#pragma omp simd reduction(| : beyond)
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)(factor * (double)from[i]);
        beyond |= !(fabsf(to[i]) <= FLT_MAX);
    }
    return !beyond;
}

/*
 * The filter with its items multiplied by the factors of their channels.  NULL if an item is out of
 * range, or after a report.
 *
 * A filter [a,b,..] has a channel for each `a` on one side: the results of conv and linear.  On the
 * other side, which is `grouped`, there are as many channels as `b` can be in each group: the
 * results of deconv, the inputs of the other two.
 */
static struct value *scale_filter(struct pass *pass, const struct node *layer,
                                  const struct layer_change *change, const struct shared_key *key)
{
    const struct value *filter = layer->in[LAYER_FILTER].value;
    const struct affine *affine = change->affine;
    const struct shape *shape = filter->shape;
    const struct tensor *items = value_items(filter);
    bool grouped = change->of_input != is_op(layer, OP_deconv), fits = true;
    struct tensor tensor;

    if (!pass_tensor(pass, &tensor, DTYPE_SCALAR, shape))
        return NULL;
    const float *from = items->data;
    float *to = tensor.data;
    int64_t columns = grouped ? shape->extent[1] : 1, rows = shape->extent[0];
    int64_t taps = shape_volume_range(shape, grouped ? 2 : 1, shape->rank);
    /* The tensor of the filter may hold one item that stands for all: spread it out in place. */
    if (items->shape.rank == 0) {
        for (int64_t i = 0; i < shape_volume(shape); i++)
            to[i] = *(const float *)items->data;
        from = to;
    }
    for (int64_t i = 0; i < rows * columns; i++, from += taps, to += taps) {
        int64_t row = i / columns, channel = row;
        if (grouped) /* rows are shared out among the groups */
            channel = row / (rows / (affine->channels / columns)) * columns + i % columns;
        assert(channel >= 0 && channel < affine->channels);
        fits &= multiply(affine->factor[channel], from, taps, to);
    }
    tensor_unload(items);
    if (fits)
        return pass_fixed(pass, key, &tensor, filter);
    tensor_clear(&tensor);
    return NULL;
}

/* The same, which may have been done for another graph. */
static struct value *scaled(struct pass *pass, const struct node *layer,
                            const struct layer_change *change)
{
    const struct value *filter = layer->in[LAYER_FILTER].value;
    const struct affine *affine = change->affine;
    struct shared_key key = pass_key(pass, "scaled filter");

    pass_key_value(&key, filter);
    shared_key_number(&key, layer->op->id);
    shared_key_number(&key, change->of_input);
    shared_key_add(&key, affine->factor, (size_t)affine->channels * sizeof *affine->factor);
    struct value *value = pass_found(pass, &key, filter->shape, filter);
    value = value ? value : scale_filter(pass, layer, change, &key);
    shared_key_free(&key);
    return value;
}

/* --- another layer ------------------------------------------------------------------------- */

const char *layer_replace(struct pass *pass, struct node *layer, const struct layer_change *change)
{
    int64_t channels = shape_extent(layer->out[0].shape, CHANNEL);
    struct value *in[] = {change->input, layer->in[LAYER_FILTER].value, NULL};
    const char *beyond = "its numbers would be out of range";

    assert(layer_of(&layer->out[0]) == layer);
    if (value_is_pinned(pass, change->result))
        return "something is said of the result elsewhere";
    if (!numbers_in_range(change->bias, channels))
        return beyond;
    if (affine_scales(change->affine))
        in[LAYER_FILTER] = scaled(pass, layer, change);
    if (!in[LAYER_FILTER])
        return pass->failed ? NULL : beyond;
    in[LAYER_BIAS] = affine_constant(pass, change->bias, channels, change->like);
    if (in[LAYER_BIAS])
        pass_replace(pass, change->result, pass_remake(pass, layer, in, NULL));
    return NULL;
}

const char *layer_fuse(struct pass *pass, struct node *layer, struct value *result,
                       const struct affine *affine)
{
    const struct value *bias = layer->in[LAYER_BIAS].value;
    bool is_parameter = bias->kind == VALUE_VARIABLE && bias->shape->rank > 0;
    double *sum = pass_scratch(pass, affine->channels, sizeof *sum);
    struct layer_change change = {.input = layer->in[LAYER_INPUT].value,
                                  .result = result,
                                  .affine = affine,
                                  .bias = sum,
                                  .like = is_parameter ? bias : affine->like};
    const char *why = layer_obstacle(pass, layer, affine_scales(affine));

    if (!value_is_inner(pass, &layer->out[0]))
        return "its result is needed elsewhere";
    if (!value_may_replace(&layer->out[0], result))
        return "the constant makes the result larger";
    if (why)
        return why;
    for (int64_t c = 0; c < affine->channels; c++)
        sum[c] = affine_of(affine, c, value_channel_item(bias, c));
    return layer_replace(pass, layer, &change);
}
