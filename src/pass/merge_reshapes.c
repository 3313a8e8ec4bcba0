/*
 * merge_reshapes.c - one reshape, squeeze or unsqueeze instead of several (section 4.5.1)
 *
 * None of them changes the order of the items, so that any number of them is one, or none; so does
 * a transpose between them that only moves dimensions of extent 1.
 */
#include "pass/order.h"

static bool is_reshape(const struct node *node)
{
    return node->op->traits & OP_KEEPS_ORDER;
}

/* Does it keep the order of the items? */
static bool keeps_order(const struct node *node)
{
    if (is_reshape(node))
        return true;
    if (!is_op(node, OP_transpose))
        return false;
    struct dim_list order = order_of(node);
    return order_moves_nothing(&order, node->in[0].value->shape);
}

/* The axes of extent 1 that `large` has more than `small`; none if the shapes differ otherwise. */
static struct dim_list surplus(const struct shape *large, const struct shape *small)
{
    struct dim_list axes = {0};
    int k = 0;

    for (int i = 0; i < large->rank; i++)
        if (k < small->rank && large->extent[i] == small->extent[k])
            k++;
        else if (large->extent[i] == 1)
            list_add(&axes, i);
        else
            return (struct dim_list){0};
    return k == small->rank ? axes : (struct dim_list){0};
}

static const char *visit(struct pass *pass, struct node *node)
{
    bool reshapes = is_reshape(node);
    struct value *first = node->in[0].value;

    if (!pass_is_known(pass, node) || shape_volume(node->out[0].shape) == 0 ||
        node_is_pinned(pass, node) || !keeps_order(node))
        return NULL;
    /* Go back to the operand of the whole chain.  Another pass merges mere transposes. */
    while (first->kind == VALUE_RESULT && pass_is_known(pass, first->producer) &&
           keeps_order(first->producer)) {
        reshapes = reshapes || is_reshape(first->producer);
        first = first->producer->in[0].value;
    }
    if (first == node->in[0].value || !reshapes)
        return NULL;
    if (value_may_replace(first, &node->out[0])) {
        pass_replace(pass, &node->out[0], first);
        return NULL;
    }
    /* Only axes of extent 1 are added, or only such are removed, or it is a reshape. */
    const struct shape *to = node->out[0].shape;
    struct dim_list more = surplus(to, first->shape), less = surplus(first->shape, to);
    bool adds = more.count > 0;
    struct axes_attrs axes = {.axes = list_integers(adds ? &more : &less)};
    struct recipe merged = {
        .op = OP_SPEC(reshape, .shape = {to->rank, to->extent}, .axis_count = -1), .in = {first}};
    if (axes.axes.count > 0)
        merged.op = (struct op_spec){adds ? OP_unsqueeze : OP_squeeze, &axes};
    pass_replace(pass, &node->out[0], pass_make(pass, &merged));
    return NULL;
}

const struct pass_desc pass_merge_reshapes = {
    .purpose = "replace chains of reshapes, squeezes and unsqueezes by one, or by none",
    .ops = {OP_reshape, OP_squeeze, OP_unsqueeze, OP_transpose},
    .visit = visit,
};
