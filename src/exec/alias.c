/* alias.c - results that are there once their operand is: they get another shape, or name, only */
#include "exec/planner.h"

enum { CHANNEL = 1 };

/* Are the items of the result those of operand 0, in the same order? */
static bool keeps_order(const struct node *node)
{
    static const enum op_id views[] = {OP_reshape, OP_squeeze, OP_unsqueeze, OP_copy};

    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (is_op(node, views[i]))
            return true;
    return false;
}

/* Which dimension becomes that one. */
static int source_axis(const struct node *node, int axis)
{
    const struct integers *axes = attr_axes(node);

    return axis < axes->count ? (int)axes->item[axis] : axis;
}

/* Does it bring items that lie in one layout into the order of another? */
static bool exchanges(const struct node *node, enum layout from, enum layout to)
{
    int rank = node->out[0].shape->rank;

    if (node->in[0].value->shape->rank != rank || rank <= CHANNEL + 1)
        return false;
    for (int i = 0; i < rank; i++)
        if (source_axis(node, layout_axis(rank, to, i)) != layout_axis(rank, from, i))
            return false;
    return true;
}

/* The layout that the operand is needed in for the result to be there in *to. */
static bool view_of(const struct planner *planner, const struct node *node, enum layout *from,
                    enum layout *to)
{
    *from = *to = LAYOUT_PLAIN;
    if (!is_op(node, OP_transpose))
        return keeps_order(node);
    *to = LAYOUT_CHANNELS_LAST;
    if (exchanges(node, LAYOUT_PLAIN, LAYOUT_CHANNELS_LAST))
        return true;
    *from = LAYOUT_CHANNELS_LAST;
    *to = LAYOUT_PLAIN;
    return planner->home[node->in[0].value->id].buffer[LAYOUT_CHANNELS_LAST] != NO_BUFFER &&
           exchanges(node, LAYOUT_CHANNELS_LAST, LAYOUT_PLAIN);
}

bool view_fits(const struct planner *planner, const struct node *node)
{
    enum layout from, to;

    return view_of(planner, node, &from, &to);
}

bool view_make(struct planner *planner, const struct node *node)
{
    enum layout from = LAYOUT_PLAIN, to = LAYOUT_PLAIN;

    if (!view_of(planner, node, &from, &to))
        return false;
    int buffer = buffer_of(planner, node->in[0].value, from);
    planner->home[node->out[0].id].buffer[to] = buffer;
    return buffer != NO_BUFFER;
}
