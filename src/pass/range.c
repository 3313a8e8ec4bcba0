/* range.c - what items of a value can be, by the operation that makes it */
#include "pass/identity.h"

#include "pass/edit.h"

#include <assert.h>
#include <math.h>

static const struct range anything = {-HUGE_VAL, HUGE_VAL, true, true};

struct range range_of_items(const struct value *value)
{
    const struct tensor *items = value_items(value);
    struct range range = {HUGE_VAL, -HUGE_VAL, false, false};

    assert(items);
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

    assert(is_op(node, OP_clamp));
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
    if (node->op->range)
        return *node->op->range;
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
    const struct node *cast = made_by(value, OP_cast);

    return (value->kind == VALUE_RESULT && (value->producer->op->traits & OP_WHOLE)) ||
           (cast && cast->in[0].value->dtype != DTYPE_SCALAR);
}
