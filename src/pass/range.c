/* range.c - what items of a value can be, by the operation that makes it */
#include "pass/range.h"

#include "pass/edit.h"

#include <math.h>

static const struct range anything = {-HUGE_VAL, HUGE_VAL, true, true};

/* Results of operations that never give less than 0, nor a negative zero. */
static const struct {
    enum op_id op;
    struct range range;
} bounded[] = {
    {OP_relu, {0, HUGE_VAL, false, false}}, {OP_abs, {0, HUGE_VAL, true, false}},
    {OP_sqr, {0, HUGE_VAL, true, false}},   {OP_sqrt, {0, HUGE_VAL, true, false}},
    {OP_exp, {0, HUGE_VAL, true, false}},   {OP_softplus, {0, HUGE_VAL, true, false}},
    {OP_sigmoid, {0, 1, true, false}},      {OP_softmax, {0, 1, true, false}},
    {OP_sign, {-1, 1, false, false}},       {OP_round, {-HUGE_VAL, HUGE_VAL, true, false}},
};

struct range range_of_items(const struct value *value)
{
    const struct tensor *items = value_items(value);
    struct range range = {HUGE_VAL, -HUGE_VAL, false, false};

    for (int64_t i = 0, volume = shape_volume(&items->shape); i < volume; i++) {
        double item = tensor_item(items, i);
        range.low = fmin(range.low, item);
        range.high = fmax(range.high, item);
        range.nan |= isnan(item);
        range.negative_zero |= item == 0 && signbit(item);
    }
    return range;
}

/* max(min(x, high), low), each of which takes its second operand if the first is no number. */
static struct range range_of_clamp(const struct node *node)
{
    struct range low, high;

    if (!value_items(node->in[1].value) || !value_items(node->in[2].value))
        return anything;
    low = range_of_items(node->in[1].value);
    high = range_of_items(node->in[2].value);
    if (low.nan || high.nan)
        return anything;
    return (struct range){low.low, fmax(low.high, high.high), false,
                          low.low < 0 || low.negative_zero};
}

/* x < bound ? x : bound, or with > */
static struct range range_of_bound(const struct node *node, bool below)
{
    struct range range = anything, bound;

    if (!value_items(node->in[1].value))
        return anything;
    bound = range_of_items(node->in[1].value);
    if (bound.nan)
        return anything;
    range.nan = false;
    if (below) {
        range.high = bound.high;
        return range;
    }
    range.low = bound.low;
    range.negative_zero = bound.low < 0 || bound.negative_zero;
    return range;
}

static struct range range_of_result(const struct node *node)
{
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0]; i++)
        if (is_op(node, bounded[i].op))
            return bounded[i].range;
    if (is_op(node, OP_clamp))
        return range_of_clamp(node);
    if (is_op(node, OP_max) || is_op(node, OP_min))
        return range_of_bound(node, is_op(node, OP_min));
    return anything;
}

struct range range_of(const struct value *value)
{
    return value->kind == VALUE_RESULT ? range_of_result(value->producer) : anything;
}

bool is_whole(const struct value *value)
{
    static const enum op_id whole[] = {OP_floor, OP_ceil, OP_round, OP_sign};

    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (made_by(value, whole[i]))
            return true;
    const struct node *cast = made_by(value, OP_cast);
    return cast && cast->in[0].value->dtype != DTYPE_SCALAR;
}
