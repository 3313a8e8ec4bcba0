/*
 * group.c - which nodes are done together
 *
 * A group grows by the node that reads its result, as long as the backend takes the longer group.
 */
#include "base/arena.h"
#include "exec/planner.h"

#include <assert.h>
#include <string.h>

/* What a row finds in a group. */
struct finding {
    const struct fast_op *op; /* NULL: no row takes the group */
    unsigned layouts;
    union {
        long double align;
        unsigned char bytes[MATCH_BYTES];
    } match;
};

static bool is_number(const struct value *value)
{
    return value->dtype == DTYPE_SCALAR || value->dtype == DTYPE_LOGICAL;
}

/* All results have one shape, so that one loop serves all operations.  Layouts do not matter, as
 * long as all tensors have the same. */
unsigned group_item_layouts(const struct group *group, bool (*takes)(const struct node *node))
{
    const struct shape *shape = group->nodes[0]->out[0].shape;

    assert(group->count > 0);
    for (int i = 0; i < group->count; i++) {
        const struct node *node = group->nodes[i];
        bool ok = takes(node) && node->nin <= ITEM_OPERANDS && node->nout == 1 &&
                  is_number(&node->out[0]) && shape_equal(node->out[0].shape, shape);
        for (uint32_t k = 0; ok && k < node->nin; k++)
            ok = is_number(node->in[k].value);
        if (!ok)
            return 0;
    }
    return layout_is_moot(shape) ? IN_PLAIN : IN_PLAIN | IN_CHANNELS_LAST;
}

/* Does a node of the group read or write integers that lie as bytes or words? */
static bool has_bytes(const struct planner *planner, const struct group *group)
{
    bool any = false, is_signed;

    for (int i = 0; planner->bytes && i < group->count; i++) {
        for (uint32_t k = 0; k < group->nodes[i]->nin; k++)
            any |= plan_narrow_size(planner, group->nodes[i]->in[k].value, &is_signed) > 0;
        for (uint32_t k = 0; k < group->nodes[i]->nout; k++)
            any |= plan_narrow_size(planner, &group->nodes[i]->out[k], &is_signed) > 0;
    }
    return any;
}

static bool takes(const struct planner *planner, const struct fast_op *op,
                  const struct group *group, struct finding *finding)
{
    assert(op->match_size <= sizeof finding->match);
    finding->op = op;
    finding->layouts =
        !op->bytes && has_bytes(planner, group) ? 0 : op->match(planner, group, &finding->match);
    return finding->layouts != 0;
}

/* Rows of custom operations are none. */
static struct row_range rows_of(const struct planner *planner, const struct node *node)
{
    return node->op->id < OP_COUNT ? planner->rows[node->op->id] : (struct row_range){0};
}

static void find_rows(struct planner *planner)
{
    const struct backend *backend = planner->plan->backend;

    planner->rows = arena_array_of(planner->scratch, struct row_range, OP_COUNT);
    for (int i = 0; i < backend->nop; i++) {
        struct row_range *rows = &planner->rows[backend->ops[i].op];
        rows->first = rows->end ? rows->first : i;
        rows->end = i + 1;
    }
}

/* By the first row of the plan's backend that takes the group. */
static void find_row(const struct planner *planner, const struct group *group,
                     struct finding *finding)
{
    const struct backend *backend = planner->plan->backend;
    const struct row_range rows = rows_of(planner, group->nodes[0]);

    for (int i = rows.first; i < rows.end; i++)
        if (backend->ops[i].op == group->nodes[0]->op->id &&
            takes(planner, &backend->ops[i], group, finding))
            return;
    finding->op = NULL;
}

/* The group is whole. */
static void keep_finding(const struct planner *planner, const struct finding *finding,
                         struct group *group)
{
    assert(group->count > 0 && !group->op);
    group->op = finding->op;
    if (!group->op)
        return;
    void *match = arena_array(planner->scratch, 1, group->op->match_size + 1);
    memcpy(match, &finding->match, group->op->match_size);
    group->layouts = finding->layouts;
    group->match = match;
}

static const struct group joined; /* stands for groups that a node is inside of */

/* The live node that may join behind a group: the only reader of its result, which nobody else is
 * to see.  NULL: there is none. */
static const struct node *next_of(const struct planner *planner, const struct group *group)
{
    const struct node *last = group_last(group), *next = NULL;

    if (last->nout != 1 || planner->live.holds[last->out[0].id] != 1)
        return NULL;
    for (const struct use *use = last->out[0].uses; use && !next; use = use->next)
        next = planner->live.node[use->node->id] ? use->node : NULL;
    bool may_join =
        next && next->nout == 1 && !(next->op->traits & OP_EFFECT) && !planner->due[next->id];
    return may_join ? next : NULL;
}

/* Take further nodes while the row that has taken the group, or one that goes on where it has
 * begun, takes them all.  Returns what that row has found, in one of two places. */
static const struct finding *extend(const struct planner *planner, struct finding two[2],
                                    struct group *group)
{
    const struct backend *backend = planner->plan->backend;
    struct finding *found = &two[0], *longer = &two[1];
    const struct row_range rows = rows_of(planner, group->nodes[0]);
    const struct node *next;
    bool taken = found->op;

    while (taken && group->count < GROUP_NODES && (next = next_of(planner, group))) {
        group->nodes[group->count++] = next;
        taken = takes(planner, found->op, group, longer);
        for (int i = rows.first; i < rows.end && !taken; i++) {
            const struct fast_op *other = &backend->ops[i];
            taken = other->goes_on && other->op == found->op->op && other != found->op &&
                    takes(planner, other, group, longer);
        }
        group->count -= !taken;
        if (taken) {
            struct finding *shorter = found;
            found = longer;
            longer = shorter;
        }
    }
    return found;
}

/* Sums of products come first: no other group costs less by what follows it. */
void find_groups(struct planner *planner)
{
    struct finding two[2];

    find_rows(planner);
    for (int products = 1; products >= 0; products--)
        for (const struct node *n = planner->graph->first; n; n = n->next) {
            if (!planner->live.node[n->id] || planner->due[n->id] ||
                (products && !(n->op->traits & OP_PRODUCTS)))
                continue;
            struct group *group = arena_new_of(planner->scratch, struct group);
            *group = (struct group){.nodes = {n}, .count = 1};
            find_row(planner, group, &two[0]);
            keep_finding(planner, extend(planner, two, group), group);
            for (int i = 0; i + 1 < group->count; i++)
                planner->due[group->nodes[i]->id] = &joined;
            planner->due[group_last(group)->id] = group;
        }
    for (const struct node *n = planner->graph->first; n; n = n->next)
        if (planner->due[n->id] == &joined)
            planner->due[n->id] = NULL;
}

static bool sums_products(const struct node *node)
{
    return node->op->traits & OP_PRODUCTS;
}

const struct group *group_part(const struct planner *planner, const struct group *group, int at)
{
    struct group *part = arena_new_of(planner->scratch, struct group);
    struct finding finding;
    int sums = 0;

    assert(at < group->count);
    for (int i = 0; i < group->count; i++)
        sums += sums_products(group->nodes[i]);
    *part = (struct group){.nodes = {group->nodes[at]}, .count = 1};
    for (at++; sums > 1 && at < group->count && !sums_products(group->nodes[at]); at++)
        part->nodes[part->count++] = group->nodes[at];
    find_row(planner, part, &finding);
    keep_finding(planner, &finding, part);
    return part;
}
