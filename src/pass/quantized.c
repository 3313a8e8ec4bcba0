/*
 * quantized.c - integers instead of the numbers that they stand for, where nothing is computed
 *
 *     move(dequantize(q))                = dequantize(move(q))
 *     quantize(dequantize(q))            = q, by the same scale and zero
 *     quantize(concat(dequantize(q), ..)) = concat(quantize(dequantize(q)), ..), whatever these are
 *     dequantize(constant)               = a constant, if no layer has taken the integers
 *
 * The second is exact: for scales that are no extremes the quotient is off by less than half a
 * step.  So integers stay what they are from the layer that makes them to the layers that read
 * them.
 */
#include "pass/quantized.h"

#include "pass/pass_priv.h"

#include <assert.h>
#include <math.h>

enum { ITEMS, SCALE, ZERO };

enum { MOST_LOOKS = 1000 }; /* at values that one was made of */

/* --- quantized values ----------------------------------------------------------------------- */

bool coded_find(const struct value *value, struct coded *coded)
{
    const struct node *node = made_by(value, OP_dequantize);

    if (node)
        *coded = (struct coded){node->in[ITEMS].value, node->in[SCALE].value, node->in[ZERO].value};
    return node;
}

bool coded_is_single(const struct coded *coded)
{
    return shape_known(coded->scale->shape) && shape_volume(coded->scale->shape) == 1 &&
           shape_known(coded->zero->shape) && shape_volume(coded->zero->shape) == 1;
}

bool coded_is_known(const struct coded *coded)
{
    return value_items(coded->scale) && value_items(coded->zero);
}

float scale_item(const struct value *scale, int64_t index)
{
    return (float)value_item(scale, shape_volume(scale->shape) > 1 ? index : 0);
}

int64_t zero_item(const struct value *zero, int64_t index)
{
    return (int64_t)value_item(zero, shape_volume(zero->shape) > 1 ? index : 0);
}

bool coded_is_fixed(const struct value *items)
{
    int left = MOST_LOOKS;

    while (--left >= 0 && items->kind == VALUE_RESULT && node_moves_one(items->producer))
        items = items->producer->in[0].value;
    return value_items(items);
}

struct value *coded_picked_from(const struct value *items)
{
    const struct node *cast = made_by(items, OP_cast);
    const struct node *pool = cast ? made_by(cast->in[0].value, OP_max_pool) : NULL;
    const struct node *before =
        pool && attr_border(pool) == BORDER_IGNORE ? made_by(pool->in[0].value, OP_cast) : NULL;

    return before && before->in[0].value->dtype == DTYPE_INTEGER ? before->in[0].value : NULL;
}

/* By a look at so many values: parts may be joined again and again.  Any integers if that is not
 * enough. */
static struct interval bounds_of_coded(const struct value *items, int *left)
{
    const struct interval anything = {INT64_MIN, INT64_MAX};
    struct interval bounds = anything;

    while (--*left >= 0 && items->kind == VALUE_RESULT && node_moves_one(items->producer))
        items = items->producer->in[0].value;
    if (*left < 0)
        return anything;
    if (items->kind != VALUE_RESULT)
        return value_items(items) ? bounds_of_items(value_items(items)) : anything;
    if (coded_picked_from(items))
        return bounds_of_coded(coded_picked_from(items), left);
    if (is_op(items->producer, OP_integer_wrap))
        return bounds_of_width(items->producer);
    if (node_has_attr(items->producer, ATTR_low))
        return (struct interval){attr_low(items->producer), attr_high(items->producer)};
    for (uint32_t i = 0; node_joins(items->producer) && i < items->producer->nin; i++) {
        const struct interval part = bounds_of_coded(items->producer->in[i].value, left);
        bounds.low = i == 0 || part.low < bounds.low ? part.low : bounds.low;
        bounds.high = i == 0 || part.high > bounds.high ? part.high : bounds.high;
    }
    return bounds;
}

struct interval coded_bounds(const struct value *items)
{
    int left = MOST_LOOKS;

    return bounds_of_coded(items, &left);
}

struct value *pass_integer(struct pass *pass, int64_t number)
{
    return graph_literal(pass->graph, &(struct datum){.kind = DATUM_INTEGER, .integer = number});
}

/* --- moves ----------------------------------------------------------------------------------- */

/* The same operation on operands of another type. */
static struct value *moved(struct pass *pass, const struct node *node, struct value *const *in)
{
    return pass_make(pass, &(struct recipe){.op = {(enum op_id)node->op->id, node->attrs},
                                            .many = in,
                                            .count = (int)node->nin});
}

/* A single item for values of that rank; NULL: it is not known, and has more dimensions. */
static struct value *in_rank(struct pass *pass, struct value *parameter, int rank)
{
    if (parameter->shape->rank <= rank)
        return parameter;
    if (!value_items(parameter))
        return NULL;
    return parameter->dtype == DTYPE_INTEGER ? pass_integer(pass, zero_item(parameter, 0))
                                             : pass_literal(pass, (double)scale_item(parameter, 0));
}

/* Scale or zero where items are moved; NULL: that is not known. */
static struct value *moved_parameter(struct pass *pass, const struct node *node,
                                     struct value *parameter)
{
    const struct shape *items = node->in[0].value->shape;

    if (shape_volume(parameter->shape) == 1)
        return in_rank(pass, parameter, node->out[0].shape->rank);
    bool whole = is_op(node, OP_reshape) && shape_volume(parameter->shape) == shape_volume(items);
    bool turned = is_op(node, OP_transpose) && parameter->shape->rank == items->rank;
    return whole || turned ? moved(pass, node, &parameter) : NULL;
}

static void visit_move(struct pass *pass, struct node *node)
{
    struct coded x;

    if (!coded_find(node->in[0].value, &x) || node_is_pinned(pass, node) ||
        !shape_known(x.scale->shape) || !shape_known(x.zero->shape) ||
        !shape_known(node->in[0].value->shape))
        return;
    struct value *scale = moved_parameter(pass, node, x.scale);
    struct value *zero = scale ? moved_parameter(pass, node, x.zero) : NULL;
    struct value *items = zero ? moved(pass, node, &x.items) : NULL;
    if (items)
        pass_replace(pass, &node->out[0],
                     pass_make(pass, &(struct recipe){.op = op_plain(OP_dequantize),
                                                      .in = {items, scale, zero}}));
}

/* Parts that have one scale and zero in common. */
static void visit_join(struct pass *pass, struct node *node)
{
    struct value **parts = pass_scratch(pass, node->nin, sizeof *parts);
    struct coded first, part;

    if (node->nin == 0 || !coded_find(node->in[0].value, &first) || !coded_is_single(&first) ||
        !coded_is_known(&first) || node_is_pinned(pass, node))
        return;
    for (uint32_t i = 0; i < node->nin; i++) {
        if (!coded_find(node->in[i].value, &part) || !coded_is_single(&part) ||
            !coded_is_known(&part) || scale_item(part.scale, 0) != scale_item(first.scale, 0) ||
            zero_item(part.zero, 0) != zero_item(first.zero, 0))
            return;
        parts[i] = part.items;
    }
    struct value *items = moved(pass, node, parts);
    if (items)
        pass_replace(pass, &node->out[0],
                     pass_make(pass, &(struct recipe){.op = op_plain(OP_dequantize),
                                                      .in = {items, first.scale, first.zero}}));
}

/* --- there and back -------------------------------------------------------------------------- */

/* Is a step of that size, times 2^32, far from the least and the greatest floats? */
static bool is_plain_scale(float scale)
{
    return scale > 0x1p-80F && scale < 0x1p80F;
}

/* Parts that are quantized alike once they are joined, whatever they were before: each of them is,
 * and integers are joined. */
static void visit_joined(struct pass *pass, struct node *node)
{
    const struct value *numbers = node->in[ITEMS].value;
    const struct node *join = numbers->kind == VALUE_RESULT ? numbers->producer : NULL;
    struct value **parts = pass_scratch(pass, join ? join->nin : 0, sizeof *parts);
    const struct coded whole = {NULL, node->in[SCALE].value, node->in[ZERO].value};
    struct coded part;

    if (!join || !node_joins(join) || join->nin == 0 || !value_is_inner(pass, numbers) ||
        !coded_is_single(&whole))
        return;
    for (uint32_t i = 0; i < join->nin; i++)
        if (!coded_find(join->in[i].value, &part) || !coded_is_single(&part) ||
            !coded_is_known(&part))
            return;
    /* Parts of a stack have a dimension less. */
    const int rank = join->in[0].value->shape->rank;
    struct value *scale = in_rank(pass, node->in[SCALE].value, rank);
    struct value *zero = in_rank(pass, node->in[ZERO].value, rank);
    if (!scale || !zero)
        return;
    for (uint32_t i = 0; i < join->nin; i++) {
        struct value *in[] = {join->in[i].value, scale, zero};
        parts[i] = pass_remake(pass, node, in, NULL);
        if (!parts[i])
            return;
    }
    struct value *items = moved(pass, join, parts);
    if (items)
        pass_replace(pass, &node->out[0], items);
}

static void visit_quantize(struct pass *pass, struct node *node)
{
    const struct interval to = {attr_low(node), attr_high(node)}, few = {-65536, 65536};
    struct coded x;

    visit_joined(pass, node);
    if (!coded_find(node->in[ITEMS].value, &x) || !coded_is_single(&x) || !coded_is_known(&x) ||
        !value_items(node->in[SCALE].value) || !value_items(node->in[ZERO].value) ||
        shape_volume(node->in[SCALE].value->shape) != 1 ||
        shape_volume(node->in[ZERO].value->shape) != 1)
        return;
    const float scale = scale_item(x.scale, 0);
    const int64_t zero = zero_item(x.zero, 0);
    const struct interval bounds = coded_bounds(x.items), zeros = {zero, zero};
    if (is_plain_scale(scale) && scale == scale_item(node->in[SCALE].value, 0) &&
        zero == zero_item(node->in[ZERO].value, 0) && interval_has(to, bounds) &&
        interval_has(few, bounds) && interval_has(few, zeros))
        pass_replace(pass, &node->out[0], x.items);
}

/* Integers that come in have the type that the file of the model says: what is wrapped to it is
 * known to have it. */
static void visit_input(struct pass *pass, struct node *node)
{
    struct value *x = node->in[ITEMS].value;

    for (int i = 0; i < pass->graph->ninput; i++) {
        const struct item_format *items = &pass->graph->inputs[i].items;
        bool is_typed = items->type == ITEM_UNSIGNED || items->type == ITEM_SIGNED;
        if (pass->graph->inputs[i].value != x || !is_typed || items->bits < 1 || items->bits > 16)
            continue;
        const struct recipe wrap = {.op = OP_SPEC(integer_wrap, .bits = items->bits,
                                                  .is_signed = items->type == ITEM_SIGNED),
                                    .in = {x}};
        struct value *wrapped = pass_make(pass, &wrap);
        if (wrapped)
            pass_set_operand(pass, &node->in[ITEMS], wrapped);
        return;
    }
}

/* The greatest integers of windows, which are computed as scalars, as those of quantized values. */
static void visit_picked(struct pass *pass, struct node *node)
{
    const struct value *from = coded_picked_from(&node->out[0]);
    const struct node *pool = from ? node->in[0].value->producer : NULL;
    const struct interval bounds = from ? coded_bounds(from) : (struct interval){0, 0};
    struct value *one = from ? pass_literal(pass, 1) : NULL, *none = pass_integer(pass, 0);

    if (!from || !interval_has((struct interval){INT8_MIN, UINT8_MAX}, bounds))
        return;
    struct value *in = pool->in[0].value->producer->in[0].value;
    in = pass_make(pass, &(struct recipe){.op = op_plain(OP_dequantize), .in = {in, one, none}});
    in = in ? pass_remake(pass, pool, &in, NULL) : NULL;
    if (in)
        pass_replace(pass, &node->out[0],
                     pass_make(pass, &(struct recipe){.op = OP_SPEC(quantize, .low = bounds.low,
                                                                    .high = bounds.high),
                                                      .in = {in, one, none}}));
}

static const char *visit(struct pass *pass, struct node *node)
{
    if (node->nout != 1 || node->nin == 0)
        return NULL;
    if (is_op(node, OP_dequantize))
        visit_input(pass, node);
    else if (is_op(node, OP_cast))
        visit_picked(pass, node);
    else if (node_moves_one(node))
        visit_move(pass, node);
    else if (node_joins(node))
        visit_join(pass, node);
    else if (is_op(node, OP_quantize))
        visit_quantize(pass, node);
    return NULL;
}

const struct pass_desc pass_move_quantized = {
    .purpose = "move integers instead of the numbers that they stand for",
    .needs = {OP_dequantize, OP_quantize, OP_cast},
    .visit = visit,
};

static const char *visit_constant(struct pass *pass, struct node *node)
{
    return is_op(node, OP_dequantize) ? fold_node(pass, node) : NULL;
}

const struct pass_desc pass_dequantize_constants = {
    .purpose = "compute the numbers of integers that no layer takes",
    .ops = {OP_dequantize},
    .visit = visit_constant,
};
