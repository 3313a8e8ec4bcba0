/*
 * normalise_bounds.c - min, max and clamp (section 4.2.4)
 *
 * clamp(x, a, b) is max(min(x, b), a) and nothing else, also where there are NaNs.  The other order of
 * minimum and maximum, or of their operands, is not the same for them.
 */
#include "pass/normalise.h"

#include <math.h>

enum { LOW = 1, HIGH = 2 };

void normalise_maximum(struct pass *pass, struct node *node)
{
    const struct node *least = made_by(node->in[0].value, OP_min);

    if (!least || !value_is_inner(pass, &least->out[0]) ||
        !value_may_replace(least->in[0].value, &node->out[0]))
        return;
    struct value *low = is_op(node, OP_relu) ? pass_literal(pass, 0) : node->in[1].value;
    struct value *clamp =
        pass_make(pass, &(struct recipe){.op = op_plain(OP_clamp),
                                         .in = {least->in[0].value, low, least->in[1].value}});
    if (clamp)
        pass_replace(pass, &node->out[0], clamp);
}

static bool has_nan(const struct value *value)
{
    const struct tensor *items = value_items(value);
    int64_t volume = items ? shape_volume(&items->shape) : 0;

    for (int64_t i = 0; i < volume; i++)
        if (isnan(tensor_item(items, i)))
            return true;
    return !items;
}

/* No item is less than negative infinity.  Of a NaN, though, clamp makes its upper bound. */
void normalise_clamp(struct pass *pass, struct node *node)
{
    struct value *low = node->in[LOW].value, *high = node->in[HIGH].value;

    if (value_is_all(high, HUGE_VAL) && !value_is_all(low, -HUGE_VAL))
        pass_left(pass, node, "its upper bound is infinite, but what it makes of NaN");
    if (!value_is_all(low, -HUGE_VAL) || has_nan(high))
        return;
    struct value *least =
        pass_make(pass, &(struct recipe){.op = op_plain(OP_min), .in = {node->in[0].value, high}});
    if (least)
        pass_replace(pass, &node->out[0], least);
}
