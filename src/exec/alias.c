/* alias.c - results that share the buffer of their operand: only shape or name differ */
#include "exec/planner.h"

enum { CHANNEL = 1 };

/* Does the transposition read one layout as the other, so that items stay where they are? */
static bool exchanges(const struct node *node, enum layout from, enum layout to)
{
    int rank = node->out[0].shape->rank;

    if (node->in[0].value->shape->rank != rank || rank <= CHANNEL + 1)
        return false;
    for (int i = 0; i < rank; i++)
        if (transposed_axis(node, layout_axis(rank, to, i)) != layout_axis(rank, from, i))
            return false;
    return true;
}

/* The operand whose buffer a result may share: what a variable gets, else the first one. */
static const struct value *aliased(const struct node *node)
{
    return node->in[is_op(node, OP_update) ? 1 : 0].value;
}

/* Has the value memory of the run?  That of an input may have changed by the time the variable
 * takes it over. */
static bool is_in_arena(const struct planner *planner, const struct value *value)
{
    const int *buffer = planner->placement[value->id].buffer;
    int any = buffer[buffer[LAYOUT_PLAIN] == NO_BUFFER ? LAYOUT_CHANNELS_LAST : LAYOUT_PLAIN];

    return any != NO_BUFFER &&
           planner->plan->buffers[buffer_root(planner->plan, any)].place == PLACE_ARENA;
}

/* If the operand lies in layout *from, the result is there in layout *to. */
static bool alias_of(const struct planner *planner, const struct node *node, enum layout *from,
                     enum layout *to)
{
    *from = *to = LAYOUT_PLAIN;
    if (is_op(node, OP_update))
        return is_in_arena(planner, aliased(node));
    if (!is_op(node, OP_transpose))
        return keeps_items(node);
    *to = LAYOUT_CHANNELS_LAST;
    if (exchanges(node, LAYOUT_PLAIN, LAYOUT_CHANNELS_LAST))
        return true;
    *from = LAYOUT_CHANNELS_LAST;
    *to = LAYOUT_PLAIN;
    return planner->placement[node->in[0].value->id].buffer[LAYOUT_CHANNELS_LAST] != NO_BUFFER &&
           exchanges(node, LAYOUT_CHANNELS_LAST, LAYOUT_PLAIN);
}

bool alias_fits(const struct planner *planner, const struct node *node)
{
    enum layout from, to;

    return alias_of(planner, node, &from, &to);
}

bool alias_make(struct planner *planner, const struct node *node)
{
    enum layout from = LAYOUT_PLAIN, to = LAYOUT_PLAIN;

    if (!alias_of(planner, node, &from, &to))
        return false;
    int buffer = buffer_of(planner, aliased(node), from);
    planner->placement[node->out[0].id].buffer[to] = buffer;
    return buffer != NO_BUFFER;
}
