/* layout_op.c - what operations are like in another layout */
#include "pass/layout.h"

#include <assert.h>
#include <string.h>

bool layout_may_move(const struct node *node)
{
    return node->op->traits & OP_ANY_LAYOUT;
}

/* Items of an attribute, one for each dimension, in the other order. */
static struct integers moved_items(struct pass *pass, const struct integers *from,
                                   const struct dim_list *order)
{
    int64_t *to = pass_room(pass, from->count, sizeof *to);

    assert(from->count == order->count);
    for (int i = 0; i < from->count; i++)
        to[order->item[i]] = from->item[i];
    return (struct integers){from->count, to};
}

static struct pairs moved_pairs(struct pass *pass, const struct pairs *from,
                                const struct dim_list *order)
{
    assert(from->count == order->count);
    int64_t(*to)[2] = pass_room(pass, from->count, sizeof *to);

    for (int i = 0; i < from->count; i++)
        for (int side = 0; side < 2; side++)
            to[order->item[i]][side] = from->item[i][side];
    return (struct pairs){from->count, (const int64_t(*)[2])to};
}

static struct integers moved_axes(struct pass *pass, const struct integers *from,
                                  const struct dim_list *order)
{
    int64_t *to = pass_room(pass, from->count, sizeof *to);

    assert(from->count <= order->count);
    for (int i = 0; i < from->count; i++)
        to[i] = order->item[from->item[i]];
    return (struct integers){from->count, to};
}

/* The field of a copy of the attributes of `node`, NULL if the operator has no such attribute. */
static void *field_of(const struct node *node, unsigned char *attrs, enum attr_id attr)
{
    const struct op_attr *row = op_attr_row(node->op, attr);

    return row ? attrs + row->offset : NULL;
}

const void *layout_attrs(struct pass *pass, const struct node *node, const struct dim_list *order)
{
    unsigned char *attrs = pass_room(pass, (int64_t)node->op->attrs_size, 1);
    struct integers *axes = field_of(node, attrs, ATTR_axes);
    struct integers *repeats = field_of(node, attrs, ATTR_repeats);
    struct pairs *padding = field_of(node, attrs, ATTR_padding);
    int64_t *axis = field_of(node, attrs, ATTR_axis);

    assert(layout_may_move(node));
    if (!node->attrs)
        return NULL;
    memcpy(attrs, node->attrs, node->op->attrs_size);
    if (axes)
        *axes = moved_axes(pass, axes, order);
    if (repeats)
        *repeats = moved_items(pass, repeats, order);
    if (padding)
        *padding = moved_pairs(pass, padding, order);
    if (axis)
        *axis = order->item[*axis];
    return attrs;
}

/* What a squeeze leaves is in the same order before and after the transpose. */
static bool keeps_rest(const struct dim_list *axes, const struct dim_list *order)
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

bool layout_absorbs(const struct node *node, const struct dim_list *order)
{
    const struct shape *shape = node->in[0].value->shape;
    struct dim_list inverse = order_inverse(order);
    struct shape other;

    if (is_op(node, OP_transpose))
        return true;
    if (is_op(node, OP_squeeze)) {
        struct dim_list axes = list_of(attr_axes(node));
        return keeps_rest(&axes, order);
    }
    other = order_apply(&inverse, shape);
    return (node->op->traits & OP_KEEPS_ORDER) && order_moves_nothing(order, &other);
}
