/* group.c - which nodes are done together: what a backend would take in one go, it gets, and what becomes of it
 * if it is not done so */
#include "base/arena.h"
#include "exec/planner.h"

#include <assert.h>

/* Room for a match that is not kept. */
union match_room {
    long double align;
    unsigned char bytes[MATCH_BYTES];
};

static unsigned layouts_of(const struct planner *planner, const struct fast_op *op,
                           const struct task *task)
{
    union match_room room;

    assert(op->match_size <= sizeof room);
    return op->match(planner, task, &room);
}

static const struct fast_op *op_for(const struct planner *planner, const struct task *task)
{
    const struct backend *backend = planner->plan->backend;

    for (int i = 0; i < backend->nop; i++)
        if (is_op(task->nodes[0], backend->ops[i].op) &&
            layouts_of(planner, &backend->ops[i], task) != 0)
            return &backend->ops[i];
    return NULL;
}

void match_task(const struct planner *planner, struct task *task)
{
    task->op = op_for(planner, task);
    if (!task->op)
        return;
    void *match = arena_array(planner->plan->arena, 1, task->op->match_size + 1);
    task->layouts = task->op->match(planner, task, match);
    task->match = match;
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
                     const struct task *task)
{
    const struct backend *backend = planner->plan->backend;
    bool taken = layouts_of(planner, op, task) != 0;

    for (int i = 0; i < backend->nop && !taken; i++) {
        const struct fast_op *other = &backend->ops[i];
        taken = other->goes_on && other->op == op->op && layouts_of(planner, other, task) != 0;
    }
    return taken;
}

/* Take what follows, as long as the backend takes it, too. */
static void extend(const struct planner *planner, const struct fast_op *op, struct task *task)
{
    while (task->count < TASK_NODES && task_last(task)->nout == 1) {
        const struct node *next = only_user(planner, task_result(task));
        if (!may_join(planner, next))
            return;
        task->nodes[task->count++] = next;
        if (is_taken(planner, op, task))
            continue;
        task->count--;
        return;
    }
}

static const struct task joined; /* stands for tasks that a node is inside of */

static void group_from(struct planner *planner, const struct node *node)
{
    struct task *task = arena_new_of(planner->plan->arena, struct task);

    *task = (struct task){.nodes = {node}, .count = 1};
    const struct fast_op *op = op_for(planner, task);
    if (op)
        extend(planner, op, task);
    match_task(planner, task);
    for (int i = 0; i + 1 < task->count; i++)
        planner->due[task->nodes[i]->id] = &joined;
    planner->due[task_last(task)->id] = task;
}

static void group_all(struct planner *planner, bool products)
{
    for (const struct node *n = planner->graph->first; n; n = n->next)
        if (planner->live.node[n->id] && !planner->due[n->id] &&
            (!products || n->op->traits & OP_PRODUCTS))
            group_from(planner, n);
}

/* Sums of products are asked first what they take: it costs them nothing. */
void group_nodes(struct planner *planner)
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

bool task_has_parts(const struct task *task)
{
    int sums = 0;

    for (int i = 0; i < task->count; i++)
        sums += sums_products(task->nodes[i]);
    return sums > 1;
}

const struct task *task_part(const struct planner *planner, const struct task *task, int at)
{
    struct task *part = arena_new_of(planner->plan->arena, struct task);
    bool many = task_has_parts(task);

    *part = (struct task){.nodes = {task->nodes[at]}, .count = 1};
    for (at++; many && at < task->count && !sums_products(task->nodes[at]); at++)
        part->nodes[part->count++] = task->nodes[at];
    match_task(planner, part);
    return part;
}
