/*
 * group.h - nodes that one step computes
 *
 * The first node is the subject of the step.  Each further node takes the only result of the node
 * before, which nobody else sees.  All other operands are there when the last node is due.
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

enum { GROUP_NODES = 24, ITEM_OPERANDS = 3 /* of an operation that goes item by item, at most */ };

struct group {
    const struct node *nodes[GROUP_NODES];
    int count;

    /* Set once the group is whole. */
    const struct fast_op *op; /* the row that takes it; NULL: the backend does not */
    unsigned layouts;         /* a set */
    const void *match;        /* see struct fast_op */
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

/* The layouts in which nodes that all go item by item are one loop, as a set; 0: they are none.
 * Results have one shape, to which operands are broadcast; items are numbers, or logicals as 0
 * and 1. `takes`: does the backend know the operation? */
unsigned group_item_layouts(const struct group *group, bool (*takes)(const struct node *node));

/* The part that is done by itself if a group is not done in one go: from node `at` up to the next
 * sum of products, or node `at` alone if the group has no two of them. */
const struct group *group_part(const struct planner *planner, const struct group *group, int at);

#endif
