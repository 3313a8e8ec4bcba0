/* range.c - what items of a value can be, by the operation that makes it */
#include "pass/identity.h"

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

struct range range_of(const struct value *value)
{
    const struct node *node = value->kind == VALUE_RESULT ? value->producer : NULL;
    struct range range = anything;

    if (node && node->op->range)
        return *node->op->range;
    if (!node || (!is_op(node, OP_clamp) && !is_op(node, OP_max) && !is_op(node, OP_min)))
        return anything;
    bool clamps = is_op(node, OP_clamp), below = is_op(node, OP_min);
    const struct value *first = node->in[1].value, *second = node->in[clamps ? 2 : 1].value;
    if (!value_items(first) || !value_items(second))
        return anything;
    struct range low = range_of_items(first), high = range_of_items(second);
    if (low.nan || high.nan)
        return anything;
    /* What is no number stays, and a zero stays itself unless the bound is another number. */
    if (below || clamps)
        range.high = clamps ? fmax(low.high, high.high) : high.high;
    if (!below) {
        range.low = low.low;
        range.negative_zero = low.low <= 0;
    }
    return range;
}

bool is_whole(const struct value *value)
{
    const struct node *cast = made_by(value, OP_cast);

    return (value->kind == VALUE_RESULT && (value->producer->op->traits & OP_WHOLE)) ||
           (cast && cast->in[0].value->dtype != DTYPE_SCALAR);
}
