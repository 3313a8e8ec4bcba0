/* layout_op.c - what operations are like in another layout */
#include "pass/layout.h"

#include <assert.h>
#include <string.h>

bool layout_may_move(const struct node *node)
{
    return node->op->traits & OP_ANY_LAYOUT;
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
    /* Dimension i becomes order->item[i]: axes name other dimensions, and what is listed for each
     * dimension stands in another order. */
    int64_t *items = pass_room(pass, order->count, sizeof *items);
    int64_t(*pairs)[2] = pass_room(pass, order->count, sizeof *pairs);
    assert(!axes || !repeats);
    assert(!axes || axes->count <= order->count);
    assert(!repeats || repeats->count == order->count);
    assert(!padding || padding->count == order->count);
    for (int i = 0; axes && i < axes->count; i++)
        items[i] = order->item[axes->item[i]];
    for (int i = 0; repeats && i < repeats->count; i++)
        items[order->item[i]] = repeats->item[i];
    for (int i = 0; padding && i < padding->count; i++)
        for (int side = 0; side < 2; side++)
            pairs[order->item[i]][side] = padding->item[i][side];
    if (axes)
        axes->item = items;
    if (repeats)
        repeats->item = items;
    if (padding)
        padding->item = (const int64_t(*)[2])pairs;
    if (axis)
        *axis = order->item[*axis];
    return attrs;
}

bool layout_absorbs(const struct node *node, const struct dim_list *order)
{
    struct dim_list inverse = order_inverse(order);

    if (is_op(node, OP_transpose))
        return true;
    if (is_op(node, OP_squeeze)) { /* what it leaves is in the same order before and after */
        struct dim_list axes = list_of(attr_axes(node));
        return order_keeps_rest(order, &axes);
    }
    struct shape other = order_apply(&inverse, node->in[0].value->shape);
    return (node->op->traits & OP_KEEPS_ORDER) && order_moves_nothing(order, &other);
}
