/*
 * read_strided.c - operands that are read as they lie before they are transposed or cut
 *
 * A transposition or a slice whose result is read by steps that take any strides is no step: they
 * read what was there before.  If somebody needs the result in order after all, it is made just
 * then.
 */
#include "exec/planner.h"

#include <assert.h>

/* What is searched for readers is bounded: so many of a value, and of values that are made of each
 * other. */
enum { MOST = 16, DEEPEST = 4 };

/* --- what can be read so --------------------------------------------------------------------- */

/* Does it leave all dimensions but those of one item? */
static bool drops_ones(const struct node *node)
{
    return is_op(node, OP_squeeze) || is_op(node, OP_unsqueeze);
}

static bool is_turned(const struct node *node)
{
    return is_op(node, OP_transpose) && node->in[0].value->shape->rank == node->out[0].shape->rank;
}

static bool is_cut(const struct node *node)
{
    return is_op(node, OP_slice) && node->in[0].value->shape->rank == node->out[0].shape->rank;
}

static bool is_postponed(const struct planner *planner, const struct value *value)
{
    const int *buffer = planner->placement[value->id].buffer;
    bool is_there = false;

    for (int layout = 0; layout < LAYOUT_COUNT; layout++)
        is_there |= buffer[layout] != NO_BUFFER;
    return value->kind == VALUE_RESULT && !is_there;
}

/* Does it multiply matrices that a run computes? */
static bool multiplies(const struct planner *planner, const struct node *node)
{
    return is_op(node, OP_attention) || is_op(node, OP_masked_attention) ||
           (is_op(node, OP_matmul) && !plan_constant(planner, node->in[0].value) &&
            !plan_constant(planner, node->in[1].value));
}

static const struct group *group_alone(const struct planner *planner, const struct node *node)
{
    const struct group *group = planner->due[node->id];

    return group && group->count == 1 ? group : NULL;
}

/* Do all that read it take strides, and some of them multiply matrices in the end? */
static bool suits_readers(const struct planner *planner, const struct value *value, int depth)
{
    uint32_t holds = planner->live.holds[value->id], reads = 0;
    bool pays = false;

    if (holds > MOST || depth == DEEPEST)
        return false;
    for (const struct use *use = value->uses; use; use = use->next) {
        const struct node *node = use->node;
        if (!planner->live.node[node->id])
            continue;
        reads++;
        bool ends = group_alone(planner, node) && multiplies(planner, node);
        bool goes_on = group_alone(planner, node) &&
                       (is_turned(node) || is_cut(node) || drops_ones(node)) &&
                       suits_readers(planner, &node->out[0], depth + 1);
        if (!ends && !goes_on && !(group_alone(planner, node) && is_cut(node)))
            return false;
        pays |= ends || goes_on;
    }
    return pays && reads == holds;
}

/* How many nodes before it are postponed. */
static int postponed_before(const struct planner *planner, const struct value *value)
{
    int count = 0;

    for (; is_postponed(planner, value); value = value->producer->in[0].value)
        count++;
    return count;
}

bool postpone_fits(const struct planner *planner, const struct group *group)
{
    const struct node *node = group->nodes[0];

    if (group->count > 1 || node->nin == 0 || shape_volume(node->out[0].shape) == 0)
        return false;
    bool follows = is_postponed(planner, node->in[0].value);
    return (is_turned(node) || is_cut(node) || (follows && drops_ones(node))) &&
           postponed_before(planner, node->in[0].value) < DEEPEST &&
           suits_readers(planner, &node->out[0], 0);
}

/* --- reading --------------------------------------------------------------------------------- */

struct strided_view plan_view(const struct planner *planner, const struct value *value)
{
    if (!is_postponed(planner, value))
        return view_in_order(value->shape, LAYOUT_PLAIN);
    const struct node *node = value->producer;
    const struct strided_view before = plan_view(planner, node->in[0].value);
    return is_turned(node) ? view_transposed(node, &before)
           : is_cut(node)  ? view_sliced(node, &before)
                           : view_squeezed(node, &before);
}

bool plan_read_view(struct planner *planner, struct step *step, const struct value *value)
{
    while (is_postponed(planner, value))
        value = value->producer->in[0].value;
    return plan_read(planner, step, value, LAYOUT_PLAIN);
}

bool postpone_make(struct planner *planner, const struct value *value)
{
    const struct value *packed[PACKED];
    int npacked = planner->npacked;

    assert(value->kind == VALUE_RESULT);
    for (int i = 0; i < npacked; i++)
        packed[i] = planner->packed[i];
    bool ok = emit_group(planner, planner->due[value->producer->id]);
    for (int i = 0; i < npacked; i++)
        planner->packed[i] = packed[i];
    planner->npacked = npacked;
    return ok;
}
