/*
 * group.c - which nodes are done together: what a backend would take in one go, it gets, and what
 * becomes of it if it is not done so
 */
#include "base/arena.h"
#include "exec/planner.h"

#include <assert.h>

/* Room for a match that is not kept. */
union match_room {
    long double align;
    unsigned char bytes[MATCH_BYTES];
};

static unsigned layouts_of(const struct planner *planner, const struct fast_op *op,
                           const struct group *group)
{
    union match_room room;

    assert(op->match_size <= sizeof room);
    return op->match(planner, group, &room);
}

static const struct fast_op *op_for(const struct planner *planner, const struct group *group)
{
    const struct backend *backend = planner->plan->backend;

    for (int i = 0; i < backend->nop; i++)
        if (is_op(group->nodes[0], backend->ops[i].op) &&
            layouts_of(planner, &backend->ops[i], group) != 0)
            return &backend->ops[i];
    return NULL;
}

void match_group(const struct planner *planner, struct group *group)
{
    assert(group->count > 0 && !group->op);
    group->op = op_for(planner, group);
    if (!group->op)
        return;
    void *match = arena_array(planner->plan->arena, 1, group->op->match_size + 1);
    group->layouts = group->op->match(planner, group, match);
    group->match = match;
}

/* The one live node that reads a value which nobody else is to see; NULL: there is no such. */
static const struct node *only_user(const struct planner *planner, const struct value *value)
{
    if (planner->live.holds[value->id] != 1)
        return NULL;
    for (const struct use *use = value->uses; use; use = use->next)
        if (planner->live.node[use->node->id])
            return use->node;
    return NULL;
}

static bool may_join(const struct planner *planner, const struct node *node)
{
    return node && node->nout == 1 && !(node->op->traits & OP_EFFECT) && !planner->due[node->id];
}

/* Is it taken by the row that takes its first node, or by one that goes on? */
static bool is_taken(const struct planner *planner, const struct fast_op *op,
                     const struct group *group)
{
    const struct backend *backend = planner->plan->backend;
    bool taken = layouts_of(planner, op, group) != 0;

    for (int i = 0; i < backend->nop && !taken; i++) {
        const struct fast_op *other = &backend->ops[i];
        taken = other->goes_on && other->op == op->op && layouts_of(planner, other, group) != 0;
    }
    return taken;
}

/* Take what follows, as long as the backend takes it, too. */
static void extend(const struct planner *planner, const struct fast_op *op, struct group *group)
{
    while (group->count < GROUP_NODES && group_last(group)->nout == 1) {
        const struct node *next = only_user(planner, group_result(group));
        if (!may_join(planner, next))
            return;
        group->nodes[group->count++] = next;
        if (is_taken(planner, op, group))
            continue;
        group->count--;
        return;
    }
}

static const struct group joined; /* stands for groups that a node is inside of */

static void group_from(struct planner *planner, const struct node *node)
{
    struct group *group = arena_new_of(planner->plan->arena, struct group);

    *group = (struct group){.nodes = {node}, .count = 1};
    const struct fast_op *op = op_for(planner, group);
    if (op)
        extend(planner, op, group);
    match_group(planner, group);
    for (int i = 0; i + 1 < group->count; i++)
        planner->due[group->nodes[i]->id] = &joined;
    planner->due[group_last(group)->id] = group;
}

static void group_all(struct planner *planner, bool products)
{
    for (const struct node *n = planner->graph->first; n; n = n->next)
        if (planner->live.node[n->id] && !planner->due[n->id] &&
            (!products || n->op->traits & OP_PRODUCTS))
            group_from(planner, n);
}

/* Sums of products are asked first what they take: it costs them nothing. */
void find_groups(struct planner *planner)
{
    group_all(planner, true);
    group_all(planner, false);
    for (const struct node *n = planner->graph->first; n; n = n->next)
        if (planner->due[n->id] == &joined)
            planner->due[n->id] = NULL;
}

static bool sums_products(const struct node *node)
{
    return node->op->traits & OP_PRODUCTS;
}

bool group_has_parts(const struct group *group)
{
    int sums = 0;

    for (int i = 0; i < group->count; i++)
        sums += sums_products(group->nodes[i]);
    return sums > 1;
}

const struct group *group_part(const struct planner *planner, const struct group *group, int at)
{
    struct group *part = arena_new_of(planner->plan->arena, struct group);
    bool many = group_has_parts(group);

    assert(at < group->count);
    *part = (struct group){.nodes = {group->nodes[at]}, .count = 1};
    for (at++; many && at < group->count && !sums_products(group->nodes[at]); at++)
        part->nodes[part->count++] = group->nodes[at];
    match_group(planner, part);
    return part;
}
