/*
 * identity_shape.c - operations that move items, and leave them where they were
 *
 * Sections and parts are compared by their shapes, which are known.
 */
#include "pass/identity.h"
#include "pass/order.h"

#include <assert.h>

/* Parts beyond are not looked into, as each of them looks at all. */
enum { PARTS_MAX = 256 };

static struct value *first(const struct node *node)
{
    assert(node->nin > 0);
    return node->in[0].value;
}

/* copy, copy_n, cast, tile: types and shapes tell whether it is one. */
struct value *same_as_operand(const struct node_result *r)
{
    bool known = shape_known(r->node->out[r->port].shape);

    return known || !is_op(r->node, OP_tile) ? first(r->node) : NULL;
}

/* reshape, squeeze, unsqueeze, also if there is another shape between two of them only. */
struct value *same_as_reshaped(const struct node_result *r)
{
    struct value *x = first(r->node);
    const struct value *out = &r->node->out[r->port];

    if (!shape_known(out->shape))
        return NULL;
    bool again = x->kind == VALUE_RESULT && (x->producer->op->traits & OP_KEEPS_ORDER);
    return again && !value_may_replace(x, out) ? first(x->producer) : x;
}

/* Dimensions of extent 1 may change places. */
struct value *same_as_transposed(const struct node_result *r)
{
    const struct shape *shape = first(r->node)->shape;
    struct dim_list order = list_of(attr_axes(r->node));

    return shape_known(shape) && order_moves_nothing(&order, shape) ? first(r->node) : NULL;
}

/* --- slice, pad, gather --------------------------------------------------------------------- */

/* Backwards the extents are the same, too. */
struct value *same_as_section(const struct node_result *r)
{
    const struct integers *axes = attr_axes(r->node), *stride = attr_stride(r->node);
    const struct shape *shape = first(r->node)->shape;

    if (!shape_known(shape) || !shape_known(r->node->out[r->port].shape))
        return NULL;
    for (int i = 0; i < stride->count; i++)
        if (stride->item[i] != 1 && shape->extent[axes->item[i]] > 1)
            return NULL;
    return first(r->node);
}

bool pads_nothing(const struct pairs *padding)
{
    for (int i = 0; i < padding->count; i++)
        if (padding->item[i][0] != 0 || padding->item[i][1] != 0)
            return false;
    return true;
}

struct value *same_as_padded(const struct node_result *r)
{
    return pads_nothing(attr_padding(r->node)) ? first(r->node) : NULL;
}

/* Indices 0, 1, 2, ... up to the extent. */
struct value *same_as_gathered(const struct node_result *r)
{
    struct value *x = first(r->node);
    const struct value *index = r->node->in[1].value;
    const struct tensor *items = value_items(index);

    if (!items || index->shape->rank != 1 || !shape_known(x->shape) ||
        index->shape->extent[0] != shape_extent(x->shape, (int)attr_axis(r->node)))
        return NULL;
    for (int64_t i = 0; i < index->shape->extent[0]; i++)
        if ((int64_t)value_item(index, shape_volume(&items->shape) == 1 ? 0 : i) != i)
            return NULL;
    return x;
}

/* --- joining and cutting -------------------------------------------------------------------- */

/* concat, stack: all operands but one are empty, or they are all parts of a tensor in their order.
 */
struct value *same_as_joined(const struct node_result *r)
{
    const struct node *node = r->node;
    const struct shape *shape = node->out[0].shape;
    bool concat = is_op(node, OP_concat);
    const struct node *cutter = made_by(first(node), concat ? OP_split : OP_unstack);

    if (concat && shape_known(shape) && shape_volume(shape) > 0)
        for (uint32_t i = 0; i < node->nin; i++)
            if (shape_equal(node->in[i].value->shape, shape))
                return node->in[i].value;
    if (!cutter || cutter->nout != node->nin || attr_axis(cutter) != attr_axis(node))
        return NULL;
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value != &cutter->out[i])
            return NULL;
    return first(cutter);
}

/* split, unstack: what is cut was joined of such parts. */
struct value *same_as_part(const struct node_result *r)
{
    const struct node *node = r->node;
    const struct node *joiner = made_by(first(node), is_op(node, OP_split) ? OP_concat : OP_stack);

    assert(r->port < node->nout);
    if (is_op(node, OP_split) && node->nout == 1)
        return first(node);
    if (!joiner || joiner->nin != node->nout || node->nout > PARTS_MAX ||
        attr_axis(joiner) != attr_axis(node))
        return NULL;
    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_known(node->out[i].shape) ||
            !shape_equal(node->out[i].shape, joiner->in[i].value->shape))
            return NULL;
    return joiner->in[r->port].value;
}
