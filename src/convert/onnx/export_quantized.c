/*
 * export_quantized.c - quantized tensors: QuantizeLinear, DequantizeLinear, and layers on integers
 *
 * Integers are INT64 elsewhere.  Those that only 'dequantize' reads keep the narrow type that
 * QuantizeLinear gives them, or that their initializer has.
 */
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"

#include "base/num.h"
#include "diag/diag.h"
#include "file/out.h"
#include "op/convolve.h"
#include "pass/bounds.h"
#include "tensor/bytes.h"
#include "tensor/quantization.h"

#include <assert.h>
#include <inttypes.h>

enum { ITEMS, SCALE, ZERO };

/* --- types of integers --------------------------------------------------------------------- */

enum { BLOCKS_OPSET = 21 }; /* the first that has scales of blocks, and integers of 4 bits */

/* A type that QuantizeLinear has. */
struct narrow_type {
    enum onnx_data_type type;
    int bits;
    struct interval has;
    int opset; /* the first that quantizes to it, and from it */
};

/* Those without a sign and with one take turns. */
static const struct narrow_type narrow[] = {
    {ONNX_UINT8, 8, {0, UINT8_MAX}, EMIT_OPSET_MIN},
    {ONNX_INT8, 8, {INT8_MIN, INT8_MAX}, EMIT_OPSET_MIN},
    {ONNX_UINT16, 16, {0, UINT16_MAX}, 21},
    {ONNX_INT16, 16, {INT16_MIN, INT16_MAX}, 21},
};

/* Only DequantizeLinear has it, without a zero. */
static const struct narrow_type wide = {ONNX_INT32, 32, {INT32_MIN, INT32_MAX}, EMIT_OPSET_MIN};

/* Weights in blocks have it, two of them in a byte. */
static const struct narrow_type half = {ONNX_INT4, 4, {-8, 7}, BLOCKS_OPSET};

static struct interval bounds_of(const struct onnx_out *out, const struct value *value)
{
    return out->bounds[value->id];
}

static bool is_none(struct interval zero)
{
    return zero.low == 0 && zero.high == 0;
}

/* The first type that has both; NULL: there is none in that opset.  Of `fixed` integers, which are
 * weights, the one with a sign comes first: runtimes know that best. */
static const struct narrow_type *type_for(const struct onnx_out *out, struct interval items,
                                          struct interval zero, bool fixed)
{
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        const struct narrow_type *type = &narrow[i ^ fixed];
        if (type->opset <= out->opset && interval_has(type->has, items) &&
            interval_has(type->has, zero))
            return type;
    }
    return is_none(zero) && interval_has(wide.has, items) ? &wide : NULL;
}

/* Is the value an output of the model that does not have the type? */
static bool is_other_output(const struct onnx_out *out, const struct value *value,
                            const struct narrow_type *type)
{
    for (int i = 0; i < out->from->noutput; i++) {
        const struct port *port = &out->from->outputs[i];
        if (port->value == value &&
            (value->kind != VALUE_RESULT || onnx_out_port_type(out, port) != type->type))
            return true;
    }
    return false;
}

/* The items of a constant, or of a variable that is not fed; one may stand for all.  NULL: only a
 * run knows them. */
static const struct tensor *fixed_items(const struct onnx_out *out, const struct value *value)
{
    bool fed = value->kind == VALUE_VARIABLE && out->fed[onnx_out_first(out, value)->id];

    return value->kind == VALUE_CONSTANT || (value->kind == VALUE_VARIABLE && !fed)
               ? value->source->tensor
               : NULL;
}

/* Do 'dequantize' and outputs of the type alone read the value, which is made by 'quantize' or
 * fixed? */
static bool is_narrow(const struct onnx_out *out, const struct value *value,
                      const struct narrow_type *type)
{
    const struct use *use = value->uses;
    const struct tensor *items = fixed_items(out, value);
    bool made = value->kind == VALUE_RESULT && value->producer->op->id == OP_quantize;
    bool fixed = items && shape_equal(&items->shape, value->shape);

    while (use && use->node->op->id == OP_dequantize && use == &use->node->in[ITEMS])
        use = use->next;
    return (made || fixed) && (value->uses || made) && !use && !is_other_output(out, value, type);
}

/* --- scale and zero ------------------------------------------------------------------------- */

/* The axis along which scale and zero have more than one item, -1: none; false: along two. */
static bool find_axis(const struct emit *e, int *axis)
{
    const struct shape *x = emit_shape(e, ITEMS);

    *axis = -1;
    for (int k = SCALE; k <= ZERO; k++)
        for (int i = 0; i < x->rank; i++) {
            if (shape_extent(emit_shape(e, k), i) == 1)
                continue;
            if (*axis >= 0 && *axis != i)
                return false;
            *axis = i;
        }
    return true;
}

/* Scale or zero as ONNX has it: a number, or one for each index of the axis. */
static const char *parameter(const struct emit *e, int operand, int axis)
{
    struct shape shape = {0};
    int64_t extent = axis < 0 ? 1 : emit_shape(e, ITEMS)->extent[axis];

    if (axis >= 0)
        shape = (struct shape){.rank = 1, .extent = {extent}};
    if (shape_volume(emit_shape(e, operand)) == shape_volume(&shape))
        return emit_in_shape(e, operand, &shape);
    const struct shape one = {.rank = 1, .extent = {1}};
    return emit(e, "Expand", emit_in_shape(e, operand, &one), emit_vector(e, &extent, 1), NULL);
}

/* Store integers of that type; one stands for all, or there are as many.  Halves of a byte begin
 * with the low one. */
static void store(const struct narrow_type *type, const struct tensor *from, int64_t first,
                  int64_t count, unsigned char *bytes)
{
    const uint64_t *item = from->data;
    const bool all = shape_volume(&from->shape) > 1;

    for (int64_t i = 0; i < count; i++) {
        const uint64_t x = item[all ? first + i : 0];
        if (type->bits >= 8)
            bytes_store(bytes + i * (type->bits / 8), type->bits / 8, x);
        else
            bytes[i / 2] = (unsigned char)(i % 2 ? bytes[i / 2] | (x & 15) << 4 : x & 15);
    }
}

static size_t stored_bytes(const struct narrow_type *type, int64_t count)
{
    return (size_t)num_divide_up(count * type->bits, 8);
}

/* A zero that is known, as an initializer of the type. */
static const char *zero_in_shape(const struct emit *e, const struct narrow_type *type,
                                 const struct shape *shape)
{
    const struct tensor *constant = fixed_items(e->out, e->node->in[ZERO].value);
    const int64_t count = shape_volume(shape);
    unsigned char *bytes = emit_room(e, (int64_t)stored_bytes(type, count), 1);

    store(type, constant, 0, count, bytes);
    return onnx_out_stored(e->out, "zero_point", type->type, shape, bytes);
}

static const char *zero_of(const struct emit *e, const struct narrow_type *type, int axis)
{
    struct shape *shape = emit_room(e, 1, sizeof *shape);

    if (type == &wide)
        return "";
    if (!fixed_items(e->out, e->node->in[ZERO].value))
        return emit_cast(e, parameter(e, ZERO, axis), (int32_t)type->type);
    if (axis >= 0)
        *shape = (struct shape){.rank = 1, .extent = {emit_shape(e, ITEMS)->extent[axis]}};
    return zero_in_shape(e, type, shape);
}

/* --- quantize and dequantize ---------------------------------------------------------------- */

/* Do floats hold the bounds, and their distances from the zero if that is known? */
static bool bounds_are_exact(const struct emit *e, struct interval bounds)
{
    const struct interval exact = {-SCALAR_EXACT, SCALAR_EXACT};
    const struct interval zero = bounds_of(e->out, e->node->in[ZERO].value);

    if (!interval_has(exact, bounds))
        return false;
    if (!fixed_items(e->out, e->node->in[ZERO].value))
        return true;
    return interval_has((struct interval){INT32_MIN, INT32_MAX}, zero) &&
           interval_has(exact, (struct interval){bounds.low - zero.high, bounds.high - zero.low});
}

/* So many steps from zero.  A float that bounds more than 24 bits may lie beyond the bound.
 * ONNX Runtime gets Clip, Min and Max of large INT64 wrong. */
static const char *whole_from_zero(const struct emit *e, const char *steps)
{
    const struct interval bounds = {attr_low(e->node), attr_high(e->node)};
    const char *y = steps;

    if (!emit_is(e, ZERO, 0))
        y = emit(e, "Add", y, emit_in_rank(e, ZERO, emit_shape(e, ITEMS)->rank), NULL);
    if (bounds_are_exact(e, bounds))
        return y;
    const char *low = emit_integer(e, bounds.low), *high = emit_integer(e, bounds.high);
    y = emit(e, "Where", emit(e, "Less", y, high, NULL), y, high, NULL);
    return emit(e, "Where", emit(e, "Greater", y, low, NULL), y, low, NULL);
}

/* The steps from zero to an integer: floats may not hold the zero, though they hold these. */
static const char *steps_to(const struct emit *e, int64_t integer)
{
    if (emit_is(e, ZERO, 0))
        return emit_scalar(e, (double)integer);
    const char *zero = emit_in_rank(e, ZERO, emit_shape(e, ITEMS)->rank);
    return emit_cast(e, emit(e, "Sub", emit_integer(e, integer), zero, NULL), ONNX_FLOAT);
}

/* Integers of so many steps from zero by ordinary operations: Round takes halves to even. */
static const char *whole_steps(const struct emit *e, const char *steps)
{
    const char *low = steps_to(e, attr_low(e->node)), *high = steps_to(e, attr_high(e->node));

    steps = emit(e, "Max", emit(e, "Min", steps, high, NULL), low, NULL);
    return whole_from_zero(e, emit_cast(e, emit(e, "Round", steps, NULL), ONNX_INT64));
}

/* The type that QuantizeLinear makes; NULL: there is none. */
static const struct narrow_type *made_type(const struct onnx_out *out, const struct node *node)
{
    const struct interval items = {attr_low(node), attr_high(node)};
    const struct narrow_type *type =
        type_for(out, items, bounds_of(out, node->in[ZERO].value), false);

    return type == &wide ? NULL : type;
}

/* Do readers have the integers of 'quantize' in the narrow type?  Bounds within the type can be
 * those of the numbers before, if scale and zero are known. */
static bool stays_narrow(const struct onnx_out *out, const struct node *node,
                         const struct narrow_type *type)
{
    const struct interval items = {attr_low(node), attr_high(node)};
    const bool known =
        fixed_items(out, node->in[SCALE].value) && fixed_items(out, node->in[ZERO].value);

    return (interval_has(items, type->has) || known) && is_narrow(out, &node->out[0], type);
}

enum onnx_data_type onnx_out_made_type(const struct onnx_out *out, const struct value *value)
{
    const struct node *node = value->kind == VALUE_RESULT ? value->producer : NULL;
    const struct narrow_type *type =
        node && node->op->id == OP_quantize ? made_type(out, node) : NULL;

    return type && stays_narrow(out, node, type) ? type->type
                                                 : onnx_type_of((enum dtype)value->dtype);
}

/* What the integer stands for by each scale and zero, in a shape that broadcasts to x. */
static const char *number_of(const struct emit *e, int axis, int64_t integer)
{
    const struct tensor *scale = fixed_items(e->out, e->node->in[SCALE].value);
    const struct tensor *zero = fixed_items(e->out, e->node->in[ZERO].value);
    const int64_t scales = shape_volume(&scale->shape), zeros = shape_volume(&zero->shape);
    struct shape shape = {.rank = axis < 0 ? 0 : emit_shape(e, ITEMS)->rank - axis};

    for (int i = 0; i < shape.rank; i++)
        shape.extent[i] = i == 0 ? emit_shape(e, ITEMS)->extent[axis] : 1;
    const int64_t count = shape_volume(&shape);
    float *items = emit_room(e, count, sizeof *items);
    for (int64_t i = 0; i < count; i++)
        items[i] = quantized_number(integer, ((const int64_t *)zero->data)[zeros > 1 ? i : 0],
                                    ((const float *)scale->data)[scales > 1 ? i : 0]);
    return emit_scalars(e, &shape, items);
}

/* x between the numbers of 'low' and 'high'.  Clip takes single numbers only. */
static const char *clipped(const struct emit *e, int axis)
{
    const char *x = emit_in(e, ITEMS), *low = number_of(e, axis, attr_low(e->node));
    const char *high = number_of(e, axis, attr_high(e->node));

    if (axis < 0)
        return emit(e, "Clip", x, low, high, NULL);
    return emit(e, "Max", emit(e, "Min", x, high, NULL), low, NULL);
}

const char *export_quantize_linear(const struct emit *e)
{
    const struct narrow_type *type = made_type(e->out, e->node);
    int axis;

    if (!find_axis(e, &axis)) {
        emit_refuse(e, "'%s' has a scale along two axes, expected one at most", e->node->op->name);
        return NULL;
    }
    if (!type)
        return whole_steps(e, emit(e, "Div", emit_in(e, ITEMS),
                                   emit_in_rank(e, SCALE, emit_shape(e, ITEMS)->rank), NULL));
    const bool whole =
        interval_has((struct interval){attr_low(e->node), attr_high(e->node)}, type->has);
    const bool stays = stays_narrow(e->out, e->node, type);
    const char *x = stays && !whole ? clipped(e, axis) : emit_in(e, ITEMS);
    const char *scale = parameter(e, SCALE, axis), *zero = zero_of(e, type, axis);
    const char *y = emit(e, e->type, x, scale, zero, NULL);
    if (axis >= 0)
        emit_attr_int(e, "axis", axis);
    if (stays)
        return y;
    y = emit_cast(e, y, ONNX_INT64);
    if (attr_high(e->node) < type->has.high)
        y = emit(e, "Min", y, emit_integer(e, attr_high(e->node)), NULL);
    return attr_low(e->node) > type->has.low
               ? emit(e, "Max", y, emit_integer(e, attr_low(e->node)), NULL)
               : y;
}

/* A constant or variable whose integers are written in few bytes. */
struct narrow_items {
    const struct tensor *tensor;
    const struct narrow_type *type;
};

static bool put_narrow(struct diag *diag, const struct sink *sink, const void *from)
{
    enum { CHUNK = 1024, WIDEST = 4 };
    const struct narrow_items *items = from;
    const int64_t count = shape_volume(&items->tensor->shape);
    unsigned char bytes[CHUNK * WIDEST];

    (void)diag;
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t part = num_min(CHUNK, count - i);
        store(items->type, items->tensor, i, part, bytes);
        sink->put(sink->to, bytes, stored_bytes(items->type, part));
    }
    return true;
}

static const char *narrow_source(const struct emit *e, const struct narrow_type *type)
{
    const struct value *source = e->node->in[ITEMS].value;
    const struct value *variable = source->kind == VALUE_VARIABLE ? source : NULL;
    const struct onnx_typed typed = {variable, variable ? NULL : "integers", type->type,
                                     source->shape};
    const char *found = variable ? onnx_out_found(e->out, variable, type->type) : NULL;
    if (found)
        return found;
    struct onnx_tensor *tensor = onnx_out_typed(e->out, &typed);
    struct narrow_items *items = emit_room(e, 1, sizeof *items);

    *items = (struct narrow_items){source->source->tensor, type};
    onnx_tensor_produce(tensor, stored_bytes(type, shape_volume(source->shape)), put_narrow, items);
    return tensor->name;
}

/* Integers of any type as numbers, by ordinary operations; those of a source have `type` if that is
 * not NULL. */
static const char *numbers(const struct emit *e, const struct narrow_type *type)
{
    int rank = emit_shape(e, ITEMS)->rank;
    const char *x = type ? emit_cast(e, narrow_source(e, type), ONNX_INT64) : emit_in(e, ITEMS);

    if (!type && onnx_out_made_type(e->out, e->node->in[ITEMS].value) != ONNX_INT64)
        x = emit_cast(e, x, ONNX_INT64);
    if (!emit_is(e, ZERO, 0))
        x = emit(e, "Sub", x, emit_in_rank(e, ZERO, rank), NULL);
    return emit(e, "Mul", emit_cast(e, x, ONNX_FLOAT), emit_in_rank(e, SCALE, rank), NULL);
}

/* Do layers alone read the value, as their bias?  Runtimes want 32 bits there, whatever the items.
 */
static bool is_bias(const struct value *value)
{
    enum { BIAS = 2 };
    const struct use *use = value->uses;

    for (; use; use = use->next) {
        const int op = (int)use->node->op->id;
        const bool moved = op == OP_reshape || op == OP_unsqueeze || op == OP_squeeze;
        if (moved ? !is_bias(&use->node->out[0])
                  : (op != OP_conv && op != OP_deconv && op != OP_linear) ||
                        use != &use->node->in[BIAS])
            return false;
    }
    return value->uses;
}

/* Is it one for all, or for each as `each` has them? */
static bool is_one_or_each(const struct shape *shape, const struct shape *each)
{
    bool same = true;

    for (int i = 0; i < each->rank; i++)
        same &= shape_extent(shape, i) == each->extent[i];
    return same || shape_volume(shape) == 1;
}

/* The axis along which all items have one scale and zero, while they differ along two axes or more:
 * its rows are blocks.  each: the shape of a scale for each.  False: there is none. */
static bool find_blocks(const struct emit *e, int *axis, struct shape *each)
{
    const struct shape *x = emit_shape(e, ITEMS), *scale = emit_shape(e, SCALE),
                       *zero = emit_shape(e, ZERO);
    const struct shape *parts = shape_volume(scale) == 1 ? zero : scale;
    int along = 0, across = 0;

    *each = *x;
    for (int i = 0; i < x->rank; i++) {
        const int64_t extent = shape_extent(parts, i);
        across += extent > 1;
        if (extent == x->extent[i])
            continue;
        along++;
        each->extent[ *axis = i] = 1;
    }
    return along == 1 && across > 1 && is_one_or_each(scale, each) && is_one_or_each(zero, each);
}

static const char *dequantize_blocks(const struct emit *e, int axis, const struct shape *each)
{
    const struct value *x = e->node->in[ITEMS].value;
    const struct interval items = bounds_of(e->out, x),
                          zero = bounds_of(e->out, e->node->in[ZERO].value);
    const struct narrow_type *type = interval_has(half.has, items) && interval_has(half.has, zero)
                                         ? &half
                                         : type_for(e->out, items, zero, true);

    if (!type || type == &wide || !is_narrow(e->out, x, type) || x->kind == VALUE_RESULT ||
        !fixed_items(e->out, e->node->in[ZERO].value))
        return numbers(e, NULL);
    if (e->opset < BLOCKS_OPSET)
        return numbers(e, type == &half ? type_for(e->out, items, zero, true) : type);
    struct shape *all = emit_room(e, 1, sizeof *all);
    *all = *each;
    const bool whole = shape_volume(emit_shape(e, SCALE)) == shape_volume(all);
    const char *scale =
        whole ? emit_in_shape(e, SCALE, all)
              : emit(e, "Expand", emit_in(e, SCALE), emit_vector(e, all->extent, all->rank), NULL);
    const char *y =
        emit(e, e->type, narrow_source(e, type), scale, zero_in_shape(e, type, all), NULL);
    emit_attr_int(e, "axis", axis);
    emit_attr_int(e, "block_size", x->shape->extent[axis]);
    return y;
}

const char *export_dequantize_linear(const struct emit *e)
{
    const struct value *x = e->node->in[ITEMS].value;
    const struct interval items = bounds_of(e->out, x),
                          zero = bounds_of(e->out, e->node->in[ZERO].value);
    bool made = x->kind == VALUE_RESULT && x->producer->op->id == OP_quantize;
    const struct narrow_type *type =
        type_for(e->out, items, made ? bounds_of(e->out, x->producer->in[ZERO].value) : zero,
                 x->kind != VALUE_RESULT);
    struct shape each;
    int axis;

    if (find_blocks(e, &axis, &each))
        return dequantize_blocks(e, axis, &each);
    if (!find_axis(e, &axis))
        return numbers(e, NULL);
    if (x->kind != VALUE_RESULT && is_bias(&e->node->out[0]) && is_none(zero))
        type = interval_has(wide.has, items) ? &wide : type;
    if (!type || !interval_has(type->has, zero))
        return numbers(e, NULL);
    const char *narrowed = NULL;
    if (is_narrow(e->out, x, type) && x->kind != VALUE_RESULT)
        narrowed = narrow_source(e, type);
    else if (type != &wide && made && stays_narrow(e->out, x->producer, type))
        narrowed = emit_in(e, ITEMS);
    else if (type != &wide)
        narrowed = emit_cast(e, emit_in(e, ITEMS), (int32_t)type->type);
    if (!narrowed)
        return numbers(e, NULL);
    const char *y =
        emit(e, e->type, narrowed, parameter(e, SCALE, axis), zero_of(e, type, axis), NULL);
    if (axis >= 0)
        emit_attr_int(e, "axis", axis);
    return y;
}

const char *export_requantize(const struct emit *e)
{
    return whole_steps(e, emit(e, "Mul", emit_cast(e, emit_in(e, ITEMS), ONNX_FLOAT),
                               emit_in_rank(e, SCALE, emit_shape(e, ITEMS)->rank), NULL));
}

/* --- layers --------------------------------------------------------------------------------- */

enum { LEFT, RIGHT, BIAS, LEFT_ZERO, RIGHT_ZERO };

/* Operand and zero in a type of 8 bits; false: they have none. */
static bool narrow_operand(const struct emit *e, int operand, int zero, const char *name[2])
{
    const struct interval items = bounds_of(e->out, e->node->in[operand].value);
    const struct interval none = bounds_of(e->out, e->node->in[zero].value);
    const struct narrow_type *type = type_for(e->out, items, none, false);
    const int64_t count = shape_volume(emit_shape(e, zero));
    struct shape shape = {.rank = count > 1, .extent = {count}};

    if (!type || type->bits != 8)
        return emit_refuse(e, "'%s' has an operand of more than 8 bits", e->node->op->name);
    name[0] = emit_cast(e, emit_in(e, operand), (int32_t)type->type);
    name[1] = emit_cast(e, emit_in_shape(e, zero, &shape), (int32_t)type->type);
    return true;
}

/* Sums of INT32 wrap in ONNX: so many products have to fit. */
static bool sums_fit(const struct emit *e)
{
    const struct shape *filter = emit_shape(e, RIGHT), *out = emit_result_shape(e, 0);
    bool is_conv = e->node->op->id == OP_quantized_conv;
    const int64_t most = INT32_MAX / (UINT8_MAX * UINT8_MAX);
    int64_t channels =
        is_conv ? shape_extent(out, 1) : shape_volume_range(out, out->rank - 1, out->rank);
    int64_t each = channels > 0 ? shape_volume(filter) / channels : 0;

    return each <= most ||
           emit_refuse(e, "'%s' sums %" PRId64 " products, of which 32 bits of ONNX hold %" PRId64,
                       e->node->op->name, each, most);
}

/* Does padding leave items to put zeros around? */
static bool leaves_items(const struct window *window)
{
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        if (num_min(dim->before, 0) + num_min(dim->after, 0) + dim->in <= 0)
            return false;
    }
    return true;
}

static const char *emit_conv(const struct emit *e, const char *x[2], const char *w[2])
{
    const struct shape *input = emit_shape(e, LEFT), *out = emit_result_shape(e, 0);
    struct window_source source = {e->attrs, input, emit_shape(e, RIGHT), 2, out->rank, false};
    struct window window = emit_window_of(e, &source);

    if (out->rank < 3 || !leaves_items(&window)) {
        emit_refuse(e, "ConvInteger has windows over images with items only");
        return NULL;
    }
    const char *image = emit_border(e, x[0], 2, &window);
    const char *y = emit(e, e->type, image, w[0], x[1], w[1], NULL);
    emit_window_attrs(e, &window);
    emit_attr_int(e, "group", conv_groups(input, emit_shape(e, RIGHT), out, false));
    return y;
}

static const char *emit_matmul(const struct emit *e, const char *a[2], const char *b[2])
{
    int64_t order[MAX_RANK];
    int rank = emit_shape(e, LEFT)->rank;

    for (int i = 0; i < rank; i++)
        order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    const char *x = attr_transpose_a(e->node) ? emit_transpose(e, a[0], order, rank) : a[0];
    const char *y = attr_transpose_b(e->node) ? emit_transpose(e, b[0], order, rank) : b[0];
    return emit(e, e->type, x, y, a[1], b[1], NULL);
}

const char *export_quantized_layer(const struct emit *e)
{
    const char *left[2] = {NULL}, *right[2] = {NULL};
    int rank = emit_result_shape(e, 0)->rank;

    if (!sums_fit(e) || !narrow_operand(e, LEFT, LEFT_ZERO, left) ||
        !narrow_operand(e, RIGHT, RIGHT_ZERO, right))
        return NULL;
    const char *y = e->node->op->id == OP_quantized_conv ? emit_conv(e, left, right)
                                                         : emit_matmul(e, left, right);
    if (!y)
        return NULL;
    y = emit_cast(e, y, ONNX_INT64);
    return emit_is(e, BIAS, 0) ? y : emit(e, "Add", y, emit_in_rank(e, BIAS, rank), NULL);
}
