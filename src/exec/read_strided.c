/*
 * read_strided.c - steps that read an operand before it is transposed or cut
 *
 * A transposition or a slice takes no step if all readers of its result take any strides: they read
 * the operand instead.  If a step needs the result in order after all, it is made just then.
 */
#include "exec/planner.h"

#include <assert.h>

/* Bounds of the search for readers: of one value, and along a chain of values. */
enum { MOST = 16, DEEPEST = 4 };

/* --- nodes that can be postponed ------------------------------------------------------------- */

/* Does it change only dimensions of one item? */
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

/* Do all readers take strides, and do some of them multiply matrices of a run in the end? */
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
        const struct group *group = planner->due[node->id];
        bool alone = group && group->count == 1;
        bool product = is_op(node, OP_matmul) && !plan_constant(planner, node->in[0].value) &&
                       !plan_constant(planner, node->in[1].value);
        bool ends =
            alone && (product || is_op(node, OP_attention) || is_op(node, OP_masked_attention));
        bool goes_on = alone && (is_turned(node) || is_cut(node) || drops_ones(node)) &&
                       suits_readers(planner, &node->out[0], depth + 1);
        if (!ends && !goes_on && !(alone && is_cut(node)))
            return false;
        pays |= ends || goes_on;
    }
    return pays && reads == holds;
}

bool postpone_fits(const struct planner *planner, const struct group *group)
{
    const struct node *node = group->nodes[0];
    int before = 0; /* nodes that are postponed already, one behind the other */

    assert(group->count > 0);
    if (group->count > 1 || node->nin == 0 || shape_volume(node->out[0].shape) == 0)
        return false;
    for (const struct value *v = node->in[0].value; is_postponed(planner, v);
         v = v->producer->in[0].value)
        before++;
    return (is_turned(node) || is_cut(node) || (before > 0 && drops_ones(node))) &&
           before < DEEPEST && suits_readers(planner, &node->out[0], 0);
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
