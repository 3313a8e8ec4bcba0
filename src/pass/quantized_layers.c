/*
 * quantized_layers.c - layers of quantized values as layers of integers
 *
 *     conv(x, filter, bias)              = dequantize(quantized_conv(..), scale_x * scale_filter)
 *     quantize(dequantize(sums))         = requantize(sums, scale / scale_y)
 *     quantize(relu(..)), clamp, ..      bounds of the integers
 *     quantize(x + y), x - y, x * y      = quantized_add, quantized_mul
 *     quantize(mean_reduce(x))           = requantize(sum of the integers)
 *
 * The first is exact but for what floats round.  Whatever else stands between two quantized values
 * is computed with numbers.
 */
#include "pass/quantized.h"

#include "base/num.h"
#include "diag/context.h"
#include "ir/site.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum { ITEMS, SCALE, ZERO };
enum { LEFT, RIGHT, BIAS, LEFT_ZERO, RIGHT_ZERO };

/* Integers less their zeros that layers take. */
static const struct interval most = {-65535, 65535};

/* --- layers ---------------------------------------------------------------------------------- */

/* A layer of quantized operands, of which the filter is known: backends multiply tensors of a run
 * as floats, faster than as integers. */
struct layer {
    struct node *node;
    struct coded x, filter;
    int axis;         /* of the filter's scale and zero that may have one item for each channel */
    int64_t channels; /* of the result */
    int channel_axis; /* of the result */
};

static bool is_narrow(const struct coded *coded)
{
    const struct interval items = coded_bounds(coded->items), byte = {INT8_MIN, UINT8_MAX};

    if (!value_items(coded->zero)) /* computed: of bytes only */
        return interval_has(byte, items) && interval_has(byte, coded_bounds(coded->zero));
    if (!interval_has(most, items))
        return false;
    for (int64_t i = 0, count = shape_volume(coded->zero->shape); i < count; i++) {
        const int64_t zero = zero_item(coded->zero, i);
        if (!interval_has(most, (struct interval){items.low - zero, items.high - zero}))
            return false;
    }
    return true;
}

/* One item for all, or one for each of `count` indices of the axis. */
static bool is_along(const struct value *parameter, int axis, int64_t count)
{
    const struct shape *shape = parameter->shape;

    if (!shape_known(shape))
        return false;
    return shape_volume(shape) == 1 ||
           (shape_extent(shape, axis) == count && shape_volume(shape) == count);
}

static bool layer_find(struct node *node, struct layer *layer)
{
    const bool conv = is_op(node, OP_conv), linear = is_op(node, OP_linear);
    const struct shape *out = node->out[0].shape;

    if (!conv && !linear && !is_op(node, OP_matmul))
        return false;
    *layer = (struct layer){.node = node};
    if (!node_is_known(node) || !coded_find(node->in[LEFT].value, &layer->x) ||
        !coded_find(node->in[RIGHT].value, &layer->filter) || out->rank < 2)
        return false;
    const int rank = layer->filter.items->shape->rank;
    layer->channel_axis = conv ? 1 : out->rank - 1;
    layer->channels = out->extent[layer->channel_axis];
    layer->axis = conv || linear ? 0 : attr_transpose_b(node) ? rank - 2 : rank - 1;
    return coded_is_single(&layer->x) &&
           is_along(layer->filter.scale, layer->axis, layer->channels) &&
           is_along(layer->filter.zero, layer->axis, layer->channels) &&
           value_items(layer->filter.scale) && value_items(layer->filter.zero) &&
           coded_is_fixed(layer->filter.items) && is_narrow(&layer->x) && is_narrow(&layer->filter);
}

/* One item for each channel of the result, along that axis, or one for all. */
static struct shape shape_of_channels(int axis, int64_t count)
{
    struct shape shape = {.rank = count > 1 ? axis + 1 : 0};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == axis ? count : 1;
    return shape;
}

/* A constant that takes over the tensor. */
static struct value *fixed(struct pass *pass, struct tensor *tensor)
{
    return pass_fixed(pass, NULL, tensor, NULL);
}

/* The scale of sums: that of x, which may be computed, times those of the filter. */
static struct value *scale_of_sums(struct pass *pass, const struct layer *layer)
{
    const struct value *filter = layer->filter.scale;
    const int64_t count = shape_volume(filter->shape);
    const struct shape shape = shape_of_channels(layer->channel_axis, count);
    const bool known = value_items(layer->x.scale);
    struct tensor scale;

    if (!pass_tensor(pass, &scale, DTYPE_SCALAR, &shape))
        return NULL;
    for (int64_t c = 0; c < count; c++)
        ((float *)scale.data)[c] =
            known ? scale_item(layer->x.scale, 0) * scale_item(filter, c) : scale_item(filter, c);
    struct value *value = fixed(pass, &scale);
    return known || !value ? value
                           : pass_make(pass, &(struct recipe){.op = op_plain(OP_mul),
                                                              .in = {value, layer->x.scale}});
}

/* Zeros of the filter in the shape that the layer wants: [channels] or [1,..,channels]. */
static struct value *zero_of_filter(struct pass *pass, const struct layer *layer)
{
    const struct value *zero = layer->filter.zero;
    const int64_t count = shape_volume(zero->shape);
    struct shape shape = shape_of_channels(layer->channel_axis, count);
    struct tensor items;

    if (is_op(layer->node, OP_conv) && count > 1)
        shape = (struct shape){.rank = 1, .extent = {count}};
    if (!pass_tensor(pass, &items, DTYPE_INTEGER, &shape))
        return NULL;
    for (int64_t c = 0; c < count; c++)
        ((int64_t *)items.data)[c] = zero_item(zero, c);
    return fixed(pass, &items);
}

/* --- biases ---------------------------------------------------------------------------------- */

/* Is a scale what the scales of the operands make, but for what a writer rounded? */
static bool is_near(float a, float b)
{
    return fabsf(a - b) <= 1e-5F * fabsf(b);
}

/* Do 32-bit integers of the sums' scale stand for the bias? */
static bool fits_sums(const struct coded *bias, const struct value *scale)
{
    if (!coded_is_known(bias) || !value_items(scale))
        return false;
    for (int64_t i = 0, count = shape_volume(bias->zero->shape); i < count; i++)
        if (zero_item(bias->zero, i) != 0)
            return false;
    const int64_t a = shape_volume(bias->scale->shape), b = shape_volume(scale->shape);
    for (int64_t i = 0, count = a > b ? a : b; i < count; i++)
        if (!is_near(scale_item(bias->scale, i), scale_item(scale, i)))
            return false;
    return true;
}

/* Tell that the bias of the layer has so many steps, if that is more than integers of it hold. */
static void check_steps(const struct pass *pass, const struct node *layer, int64_t channel,
                        float steps)
{
    const struct place place = {pass->graph->context->diag, layer->site, layer->span};

    if (fabsf(steps) < 0x1p31F)
        return;
    place_warn(&place, WARNING_QUANT_VALUE,
               "the bias of channel %" PRId64 " has %g steps of the scales of input and filter, "
               "which is cut to 32 bits",
               channel, (double)steps);
    place_notes(&place);
}

/* The integers of a constant bias along an axis; NULL: it is none, or a scale is not known. */
static struct value *rounded_bias(struct pass *pass, const struct node *layer,
                                  const struct value *bias, const struct value *scale, int axis)
{
    struct coded coded;
    const bool is_coded = coded_find(bias, &coded);
    const struct value *source = is_coded ? coded.items : bias;
    struct tensor items;

    if (!value_items(source) || !value_items(scale) || (is_coded && !coded_is_known(&coded)))
        return NULL;
    const int64_t a = shape_volume(bias->shape), b = shape_volume(scale->shape);
    const int64_t count = a > b ? a : b;
    const struct shape shape = shape_of_channels(axis, count);
    if (!pass_tensor(pass, &items, DTYPE_INTEGER, &shape))
        return NULL;
    for (int64_t c = 0; c < count; c++) {
        const int64_t at = a > 1 ? c : 0;
        const struct saturation all = {0, INT32_MIN, INT32_MAX};
        float number =
            is_coded ? quantized_number((int64_t)value_item(source, at), zero_item(coded.zero, at),
                                        scale_item(coded.scale, at))
                     : (float)value_item(source, at);
        const float steps = number / scale_item(scale, c);
        check_steps(pass, layer, c, steps);
        ((int64_t *)items.data)[c] = quantized_integer(steps, &all);
    }
    return fixed(pass, &items);
}

/* Is the result quantized by the next operation that is more than a bound? */
static bool is_quantized_next(const struct pass *pass, const struct value *value)
{
    for (;;) {
        if (!value_is_inner(pass, value) || !value->uses)
            return false;
        const struct node *node = value->uses->node;
        if (is_op(node, OP_quantize))
            return true;
        if (!is_op(node, OP_relu) && !is_op(node, OP_clamp) && !is_op(node, OP_min) &&
            !is_op(node, OP_max))
            return false;
        value = &node->out[0];
    }
}

/* --- sums ------------------------------------------------------------------------------------ */

/* The zero of the source as a single integer. */
static struct value *zero_of_source(struct pass *pass, const struct layer *layer)
{
    struct value *zero = layer->x.zero;

    if (value_items(zero))
        return pass_integer(pass, zero_item(zero, 0));
    return zero->shape->rank == 0
               ? zero
               : pass_make(pass, &(struct recipe){.op = OP_SPEC(reshape, .axis_count = -1),
                                                  .in = {zero}});
}

static struct value *make_sums(struct pass *pass, const struct layer *layer)
{
    struct value *zero_x = zero_of_source(pass, layer);
    struct value *zero_filter = zero_of_filter(pass, layer);
    struct recipe recipe = {
        .in = {layer->x.items, layer->filter.items, pass_integer(pass, 0), zero_x, zero_filter}};

    if (!zero_filter || !zero_x)
        return NULL;
    const bool conv = is_op(layer->node, OP_conv), linear = is_op(layer->node, OP_linear);
    const struct quantized_matmul_attrs product = {
        .transpose_a = !conv && !linear && attr_transpose_a(layer->node),
        .transpose_b = linear || (!conv && attr_transpose_b(layer->node))};
    recipe.op = conv ? (struct op_spec){OP_quantized_conv, layer->node->attrs}
                     : (struct op_spec){OP_quantized_matmul, &product};
    return pass_make(pass, &recipe);
}

static struct value *numbers_of(struct pass *pass, struct value *sums, struct value *scale)
{
    const struct recipe recipe = {.op = op_plain(OP_dequantize),
                                  .in = {sums, scale, pass_integer(pass, 0)}};

    return sums ? pass_make(pass, &recipe) : NULL;
}

/* The bias is added to the numbers at first: visit_bias() finds it there. */
static void visit_layer(struct pass *pass, const struct layer *layer)
{
    struct value *scale = scale_of_sums(pass, layer);
    struct value *numbers = scale ? numbers_of(pass, make_sums(pass, layer), scale) : NULL;
    struct value *bias = is_op(layer->node, OP_matmul) ? NULL : layer->node->in[BIAS].value;

    if (numbers && bias && !value_is_all(bias, 0))
        numbers = pass_make(pass, &(struct recipe){.op = op_plain(OP_add), .in = {numbers, bias}});
    if (numbers)
        pass_replace(pass, &layer->node->out[0], numbers);
}

/* Sums of products, and the scale that makes them numbers; NULL: the value is something else. */
static struct node *sums_find(const struct value *value, struct coded *sums)
{
    if (!coded_find(value, sums) || !value_is_all(sums->zero, 0))
        return NULL;
    struct node *conv = made_by(sums->items, OP_quantized_conv);
    return conv ? conv : made_by(sums->items, OP_quantized_matmul);
}

/* Sums that a constant is added to begin with its integers, if those are as good. */
static void visit_bias(struct pass *pass, struct node *node)
{
    struct coded sums, coded;
    const int at = sums_find(node->in[0].value, &sums) ? 0 : 1;
    struct value *numbers = node->in[at].value, *bias = node->in[!at].value;
    struct node *layer = sums_find(numbers, &sums);

    if (!layer || !value_is_all(layer->in[BIAS].value, 0) || !value_is_inner(pass, numbers) ||
        !value_is_inner(pass, sums.items) || !value_may_replace(numbers, &node->out[0]))
        return;
    const int axis = is_op(layer, OP_quantized_conv) ? 1 : numbers->shape->rank - 1;
    const int64_t channels = numbers->shape->extent[axis];
    if (!is_along(bias, axis, channels))
        return;
    struct value *items = NULL;
    if (coded_find(bias, &coded) && fits_sums(&coded, sums.scale))
        items = coded.items;
    else if (is_quantized_next(pass, &node->out[0]))
        items = rounded_bias(pass, layer, bias, sums.scale, axis);
    if (!items)
        return;
    struct value *in[] = {layer->in[LEFT].value, layer->in[RIGHT].value, items,
                          layer->in[LEFT_ZERO].value, layer->in[RIGHT_ZERO].value};
    struct value *made = numbers_of(pass, pass_remake(pass, layer, in, NULL), sums.scale);
    if (made)
        pass_replace(pass, &node->out[0], made);
}

/* --- sums by ordinary operations -------------------------------------------------------------- */

/* The greatest size of integers less a zero; 0: not known. */
static int64_t size_of(const struct value *items, const struct value *zero)
{
    const struct interval byte = {INT8_MIN, UINT8_MAX}, in = coded_bounds(items),
                          less = coded_bounds(zero);

    return interval_has(byte, in) && interval_has(byte, less)
               ? num_max(in.high - less.low, less.high - in.low)
               : 0;
}

/* Do 32 bits hold the sums, whatever the operands are? */
static bool sums_fit(const struct node *layer)
{
    const int64_t a = size_of(layer->in[LEFT].value, layer->in[LEFT_ZERO].value);
    const int64_t b = size_of(layer->in[RIGHT].value, layer->in[RIGHT_ZERO].value);
    const struct shape *right = layer->in[RIGHT].value->shape, *out = layer->out[0].shape;

    if (a <= 0 || b <= 0 || !node_is_known(layer) || !value_is_all(layer->in[BIAS].value, 0) ||
        shape_volume(out) == 0)
        return false;
    const int last = right->rank - 1;
    const int64_t depth = is_op(layer, OP_quantized_conv)
                              ? shape_volume(right) / out->extent[1]
                              : right->extent[attr_transpose_b(layer) ? last : last - 1];
    return depth <= INT32_MAX / (a * b);
}

/* cast(sums) * scale, where the sums may have been wrapped to 32 bits that hold them, as ONNX has
 * it. */
static void visit_scaled(struct pass *pass, struct node *node)
{
    const struct node *cast = made_by(node->in[0].value, OP_cast);
    const int at = cast ? 0 : 1;

    cast = made_by(node->in[at].value, OP_cast);
    if (!cast || cast->in[0].value->dtype != DTYPE_INTEGER)
        return;
    struct value *sums = cast->in[0].value;
    const struct node *wrap = made_by(sums, OP_integer_wrap);
    if (wrap && attr_bits(wrap) == 32 && attr_is_signed(wrap))
        sums = wrap->in[0].value;
    const struct node *layer = made_by(sums, OP_quantized_matmul);
    layer = layer ? layer : made_by(sums, OP_quantized_conv);
    if (!layer || !sums_fit(layer) || !shape_equal(sums->shape, node->out[0].shape))
        return;
    struct value *numbers = numbers_of(pass, sums, node->in[!at].value);
    if (numbers)
        pass_replace(pass, &node->out[0], numbers);
}

/* --- quantized results ------------------------------------------------------------------------ */

/* How the visited 'quantize' makes integers. */
struct coding {
    float scale;
    struct saturation to;
};

static bool coding_find(const struct node *node, struct coding *coding)
{
    const struct value *scale = node->in[SCALE].value, *zero = node->in[ZERO].value;

    if (!value_items(scale) || !value_items(zero) || shape_volume(scale->shape) != 1 ||
        shape_volume(zero->shape) != 1)
        return false;
    *coding = (struct coding){scale_item(scale, 0),
                              {zero_item(zero, 0), attr_low(node), attr_high(node)}};
    return coding->scale > 0 && coding->scale < HUGE_VALF;
}

static bool bound_by(struct coding *coding, const struct value *number, bool low)
{
    if (!value_items(number) || shape_volume(number->shape) != 1)
        return false;
    float steps = (float)value_item(number, 0) / coding->scale;
    int64_t bound = quantized_integer(steps, &coding->to);
    if (isnan(steps))
        return false;
    *(low ? &coding->to.low : &coding->to.high) = bound;
    return true;
}

/* Take bounds of numbers as those of the integers: what is left is the value before.  Rounding is
 * monotone, so that it does not matter which comes first. */
static struct value *before_bounds(const struct pass *pass, struct value *x, struct coding *coding)
{
    while (value_is_inner(pass, x) && x->kind == VALUE_RESULT) {
        const struct node *node = x->producer;
        struct coding bounded = *coding;
        const int other = node->nin > 1 && value_items(node->in[0].value) ? 0 : 1;
        bool ok = false;
        if (is_op(node, OP_relu)) {
            bounded.to.low = quantized_integer(0, &coding->to);
            ok = true;
        } else if (is_op(node, OP_clamp)) {
            /* The lower one holds if they cross. */
            ok = bound_by(&bounded, node->in[1].value, true) &&
                 bound_by(&bounded, node->in[2].value, false);
        } else if (is_op(node, OP_min) || is_op(node, OP_max)) {
            ok = bound_by(&bounded, node->in[other].value, is_op(node, OP_max));
        }
        struct value *before =
            node->in[is_op(node, OP_min) || is_op(node, OP_max) ? !other : 0].value;
        if (!ok || !value_may_replace(before, x))
            break;
        *coding = bounded;
        x = before;
    }
    return x;
}

static struct value *requantize(struct pass *pass, struct value *sums, struct value *factor,
                                const struct saturation *to)
{
    return factor ? pass_make(pass,
                              &(struct recipe){
                                  .op = OP_SPEC(requantize, .low = to->low, .high = to->high),
                                  .in = {sums, factor, pass_integer(pass, to->zero)}})
                  : NULL;
}

/* Sums of products with known scales; zero 0. */
static struct value *visit_sums(struct pass *pass, const struct value *x,
                                const struct coding *coding)
{
    struct coded sums;
    struct tensor factor;

    if (!sums_find(x, &sums) || !value_items(sums.scale))
        return NULL;
    if (!pass_tensor(pass, &factor, DTYPE_SCALAR, sums.scale->shape))
        return NULL;
    for (int64_t i = 0, count = shape_volume(sums.scale->shape); i < count; i++)
        ((float *)factor.data)[i] = scale_item(sums.scale, i) / coding->scale;
    return requantize(pass, sums.items, fixed(pass, &factor), &coding->to);
}

static struct value *visit_pair(struct pass *pass, const struct node *node,
                                const struct coding *coding)
{
    struct coded x, y;
    const bool multiplies = is_op(node, OP_mul);

    if (!coded_find(node->in[0].value, &x) || !coded_find(node->in[1].value, &y) ||
        !coded_is_single(&x) || !coded_is_single(&y) || !coded_is_known(&x) ||
        !coded_is_known(&y) || !is_narrow(&x) || !is_narrow(&y))
        return NULL;
    const float scale_y = scale_item(y.scale, 0);
    const struct saturate_attrs attrs = {coding->to.low, coding->to.high};
    const struct recipe recipe = {
        .op = {multiplies ? OP_quantized_mul : OP_quantized_add, &attrs},
        .in = {x.items, y.items, pass_literal(pass, (double)scale_item(x.scale, 0)),
               pass_literal(pass, (double)(is_op(node, OP_sub) ? -scale_y : scale_y)),
               pass_literal(pass, (double)coding->scale), pass_integer(pass, zero_item(x.zero, 0)),
               pass_integer(pass, zero_item(y.zero, 0)), pass_integer(pass, coding->to.zero)}};
    return pass_make(pass, &recipe);
}

static struct value *visit_mean(struct pass *pass, const struct node *node,
                                const struct coding *coding)
{
    const struct shape *in = node->in[0].value->shape, *out = node->out[0].shape;
    struct coded x;

    if (!coded_find(node->in[0].value, &x) || !coded_is_single(&x) || !coded_is_known(&x) ||
        !is_narrow(&x) || !node_is_known(node) || shape_volume(out) == 0)
        return NULL;
    const int64_t count = shape_volume(in) / shape_volume(out);
    int64_t zeros;
    if (!num_mul(zero_item(x.zero, 0), count, &zeros))
        return NULL;
    struct value *sums =
        pass_make(pass, &(struct recipe){.op = OP_SPEC(integer_sum_reduce, .axes = *attr_axes(node),
                                                       .bits = 64, .is_signed = true),
                                         .in = {x.items}});
    if (sums && zeros != 0)
        sums = pass_make(pass,
                         &(struct recipe){.op = OP_SPEC(integer_sub, .bits = 64, .is_signed = true),
                                          .in = {sums, pass_integer(pass, zeros)}});
    const float each = coding->scale * (float)count;
    return sums
               ? requantize(pass, sums, pass_literal(pass, (double)(scale_item(x.scale, 0) / each)),
                            &coding->to)
               : NULL;
}

static void visit_quantize(struct pass *pass, struct node *node)
{
    struct coding coding;

    if (!coding_find(node, &coding))
        return;
    struct value *x = before_bounds(pass, node->in[ITEMS].value, &coding);
    struct value *made = visit_sums(pass, x, &coding);
    const struct node *maker = x->kind == VALUE_RESULT ? x->producer : NULL;
    if (!made && maker && value_is_inner(pass, x)) {
        if (is_op(maker, OP_add) || is_op(maker, OP_sub) || is_op(maker, OP_mul))
            made = visit_pair(pass, maker, &coding);
        else if (is_op(maker, OP_mean_reduce))
            made = visit_mean(pass, maker, &coding);
    }
    if (made)
        pass_replace(pass, &node->out[0], made);
}

static const char *visit(struct pass *pass, struct node *node)
{
    struct layer layer;

    if (is_op(node, OP_quantize))
        visit_quantize(pass, node);
    else if (is_op(node, OP_add) && !node_is_pinned(pass, node))
        visit_bias(pass, node);
    else if (is_op(node, OP_mul) && !node_is_pinned(pass, node))
        visit_scaled(pass, node);
    else if (layer_find(node, &layer) && !node_is_pinned(pass, node))
        visit_layer(pass, &layer);
    return NULL;
}

const struct pass_desc pass_find_quantized_layers = {
    .purpose = "let layers of quantized values compute with integers",
    .ops = {OP_quantize, OP_add, OP_mul, OP_conv, OP_linear, OP_matmul},
    .needs = {OP_quantize, OP_dequantize, OP_quantized_conv, OP_quantized_matmul},
    .visit = visit,
};
