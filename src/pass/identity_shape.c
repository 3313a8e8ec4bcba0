/*
 * identity_shape.c - operations that move items, and leave them where they were
 *
 * Sections and parts are compared by their shapes, which are known.
 */
#include "pass/identity.h"

#include <assert.h>

/* Parts beyond are not looked into, as each of them looks at all. */
enum { PARTS_MAX = 256 };

static struct value *first(const struct node *node)
{
    assert(node->nin > 0);
    return node->in[0].value;
}

/* Whether it is one is for types and shapes to tell: copy, cast, tile. */
struct value *same_as_operand(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass;
    return shape_known(node->out[port].shape) || !is_op(node, OP_tile) ? first(node) : NULL;
}

/* --- reshape, squeeze, unsqueeze ------------------------------------------------------------ */

static bool keeps_order(const struct value *value)
{
    return value->kind == VALUE_RESULT && (value->producer->op->traits & OP_KEEPS_ORDER);
}

/* What has another shape for the time between two of them. */
struct value *same_as_reshaped(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = first(node);

    (void)pass;
    if (!shape_known(node->out[port].shape))
        return NULL;
    return keeps_order(x) && !value_may_replace(x, &node->out[port]) ? first(x->producer) : x;
}

/* --- transpose ------------------------------------------------------------------------------ */

/* Dimensions of extent 1 may change places. */
struct value *same_as_transposed(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct integers *axes = attr_axes(node);
    const struct shape *shape = first(node)->shape;
    int64_t last = -1;

    (void)pass, (void)port;
    if (!shape_known(shape))
        return NULL;
    for (int i = 0; i < axes->count; i++) {
        int64_t axis = axes->item[i];
        if (shape->extent[axis] == 1)
            continue;
        if (axis < last)
            return NULL;
        last = axis;
    }
    return first(node);
}

/* --- slice, pad, gather --------------------------------------------------------------------- */

/* Backwards the extents are the same, too. */
struct value *same_as_section(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct integers *axes = attr_axes(node), *stride = attr_stride(node);
    const struct shape *shape = first(node)->shape;

    (void)pass;
    if (!shape_known(shape) || !shape_known(node->out[port].shape))
        return NULL;
    for (int i = 0; i < stride->count; i++)
        if (stride->item[i] != 1 && shape->extent[axes->item[i]] > 1)
            return NULL;
    return first(node);
}

struct value *same_as_padded(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct pairs *padding = attr_padding(node);

    (void)pass, (void)port;
    for (int i = 0; i < padding->count; i++)
        if (padding->item[i][0] != 0 || padding->item[i][1] != 0)
            return NULL;
    return first(node);
}

/* Indices 0, 1, 2, ... up to the extent. */
struct value *same_as_gathered(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct value *index = node->in[1].value;
    const struct tensor *items = value_items(index);
    int64_t axis = attr_axis(node);

    (void)pass, (void)port;
    if (!items || index->shape->rank != 1 || !shape_known(first(node)->shape) ||
        index->shape->extent[0] != shape_extent(first(node)->shape, (int)axis))
        return NULL;
    for (int64_t i = 0; i < index->shape->extent[0]; i++)
        if ((int64_t)value_item(index, shape_volume(&items->shape) == 1 ? 0 : i) != i)
            return NULL;
    return first(node);
}

/* --- joining and cutting -------------------------------------------------------------------- */

/* Joined are all the parts of one tensor in their order. */
static struct value *whole_of(const struct node *node)
{
    const struct value *part = first(node);
    enum op_id cut = is_op(node, OP_concat) ? OP_split : OP_unstack;
    struct node *cutter = made_by(part, cut);

    if (!cutter || cutter->nout != node->nin || attr_axis(cutter) != attr_axis(node))
        return NULL;
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value != &cutter->out[i])
            return NULL;
    return first(cutter);
}

/* All operands but one are empty, or there are no others. */
static struct value *only_part(const struct node *node)
{
    const struct shape *shape = node->out[0].shape;

    if (!shape_known(shape) || shape_volume(shape) == 0)
        return NULL;
    for (uint32_t i = 0; i < node->nin; i++)
        if (shape_equal(node->in[i].value->shape, shape))
            return node->in[i].value;
    return NULL;
}

struct value *same_as_joined(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *part = is_op(node, OP_concat) ? only_part(node) : NULL;

    (void)pass, (void)port;
    return part ? part : whole_of(node);
}

/* What was cut was joined of such parts. */
struct value *same_as_part(const struct pass *pass, const struct node *node, uint32_t port)
{
    enum op_id join = is_op(node, OP_split) ? OP_concat : OP_stack;
    const struct node *joiner = made_by(first(node), join);

    assert(port < node->nout);
    (void)pass;
    if (is_op(node, OP_split) && node->nout == 1)
        return first(node);
    if (!joiner || joiner->nin != node->nout || node->nout > PARTS_MAX ||
        attr_axis(joiner) != attr_axis(node))
        return NULL;
    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_known(node->out[i].shape) ||
            !shape_equal(node->out[i].shape, joiner->in[i].value->shape))
            return NULL;
    return joiner->in[port].value;
}
