/* layout_op.c - what operations are like in another layout */
#include "pass/layout.h"

static const enum op_id pointwise[] = {
    OP_add, OP_sub, OP_mul, OP_div, OP_pow, OP_lt,  OP_gt,     OP_le,    OP_ge,
    OP_eq,  OP_ne,  OP_and, OP_or,  OP_min, OP_max, OP_select, OP_clamp, OP_prelu,
};

/* Attributes that tell of dimensions. */
enum kind { AXES, AXIS, ITEMS, PAIRS };
static const struct directed {
    enum op_id op;
    enum kind kind;
    const char *attr;
} directed[] = {
    {OP_sum_reduce, AXES, "axes"}, {OP_mean_reduce, AXES, "axes"}, {OP_max_reduce, AXES, "axes"},
    {OP_min_reduce, AXES, "axes"}, {OP_all_reduce, AXES, "axes"},  {OP_any_reduce, AXES, "axes"},
    {OP_softmax, AXES, "axes"},    {OP_slice, AXES, "axes"},       {OP_concat, AXIS, "axis"},
    {OP_split, AXIS, "axis"},      {OP_pad, PAIRS, "padding"},     {OP_tile, ITEMS, "repeats"},
};

static bool is_pointwise(const struct node *node)
{
    if ((node->op->traits & OP_ELEMENTWISE) && node->nin == 1)
        return true;
    for (size_t i = 0; i < sizeof pointwise / sizeof pointwise[0]; i++)
        if (is_op(node, pointwise[i]))
            return true;
    return false;
}

static const struct directed *directed_as(const struct node *node)
{
    for (size_t i = 0; i < sizeof directed / sizeof directed[0]; i++)
        if (is_op(node, directed[i].op))
            return &directed[i];
    return NULL;
}

bool layout_may_move(const struct node *node)
{
    return is_pointwise(node) || directed_as(node);
}

static struct datum moved_items(struct pass *pass, const struct node *node, const char *name,
                                const struct list *order)
{
    struct list from = node_list(pass, node, name), to = {.count = from.count};

    for (int i = 0; i < from.count; i++)
        to.item[order->item[i]] = from.item[i];
    return datum_of_list(pass, to.item, to.count);
}

static struct datum moved_pairs(struct pass *pass, const struct node *node, const char *name,
                                const struct list *order)
{
    struct pair_list from = node_pairs(pass, node, name), to = {.count = from.count};

    for (int i = 0; i < from.count; i++)
        for (int side = 0; side < 2; side++)
            to.item[order->item[i]][side] = from.item[i][side];
    return datum_of_pair_list(pass, (const int64_t(*)[2])to.item, to.count);
}

static struct datum moved_axes(struct pass *pass, const struct node *node, const char *name,
                               const struct list *order)
{
    struct list axes = node_list(pass, node, name);

    for (int i = 0; i < axes.count; i++)
        axes.item[i] = order->item[axes.item[i]];
    return datum_of_list(pass, axes.item, axes.count);
}

void layout_attrs(struct pass *pass, const struct node *node, const struct list *order,
                  struct recipe_attr attrs[LAYOUT_ATTRS])
{
    const struct directed *as = directed_as(node);
    struct datum value;

    attrs[0] = attrs[1] = (struct recipe_attr){0};
    if (!as)
        return;
    switch (as->kind) {
    case AXES:
        value = moved_axes(pass, node, as->attr, order);
        break;
    case AXIS:
        value = datum_of_integer(order->item[node_integer(pass, node, as->attr)]);
        break;
    case ITEMS:
        value = moved_items(pass, node, as->attr, order);
        break;
    case PAIRS:
        value = moved_pairs(pass, node, as->attr, order);
        break;
    }
    attrs[0] = (struct recipe_attr){as->attr, value};
}

/* What a squeeze leaves is in the same order before and after the transpose. */
static bool keeps_rest(const struct list *axes, const struct list *order)
{
    int64_t last = -1;

    for (int i = 0; i < order->count; i++) {
        if (list_has(axes, i))
            continue;
        if (order->item[i] < last)
            return false;
        last = order->item[i];
    }
    return true;
}

bool layout_absorbs(const struct pass *pass, const struct node *node, const struct list *order)
{
    const struct shape *shape = node->in[0].value->shape;
    struct list inverse = order_inverse(order);
    struct shape other;

    if (is_op(node, OP_transpose))
        return true;
    if (is_op(node, OP_squeeze)) {
        struct list axes = node_list(pass, node, "axes");
        return keeps_rest(&axes, order);
    }
    other = order_apply(&inverse, shape);
    return (is_op(node, OP_reshape) || is_op(node, OP_unsqueeze)) &&
           order_moves_nothing(order, &other);
}
