/*
 * group.h - nodes that one step computes
 *
 * The first node is what the step is about; each further one takes the only result of the one
 * before, which nobody else sees.  What the nodes read besides is there when the last of them is
 * due.
 */
#ifndef NNEFC_EXEC_TASK_H
#define NNEFC_EXEC_TASK_H

#include "ir/graph.h"
#include "op/op.h"

#include <assert.h>

struct planner;
struct fast_op;

static inline bool is_op(const struct node *node, enum op_id op)
{
    return node->op->id == op;
}

enum { GROUP_NODES = 24 };

struct group {
    const struct node *nodes[GROUP_NODES];
    int count;

    /* Once it is whole: who takes it, NULL if the backend does not; in which layouts; what was
     * found out then. */
    const struct fast_op *op;
    unsigned layouts;
    const void *match;
};

static inline const struct node *group_last(const struct group *group)
{
    assert(group->count > 0);
    return group->nodes[group->count - 1];
}

static inline const struct value *group_result(const struct group *group)
{
    return &group_last(group)->out[0];
}

/* Is operand `index` of node `at` the result of the node before? */
static inline bool group_is_inner(const struct group *group, int at, uint32_t index)
{
    return at > 0 && group->nodes[at]->in[index].value == &group->nodes[at - 1]->out[0];
}

/* Has it several sums of products? */
bool group_has_parts(const struct group *group);

/* What is done by itself if a group is not done in one go: from node `at` on until before the next
 * sum of products, and if there are no two of them one node. */
const struct group *group_part(const struct planner *planner, const struct group *group, int at);

#endif
