/* layout_region.c - where a layout could be changed, and whether that pays */
#include "pass/layout.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_NODES = 1 << 16 };

bool region_has(const struct layout *layout, const struct node *node)
{
    return node->id < layout->nodes && layout->region[node->id] == layout->number;
}

static struct node *layout_entry(const struct layout *layout, const struct value *value)
{
    struct node *node = made_by(value, OP_transpose);

    if (!node || value->shape->rank != layout->order.count)
        return NULL;
    struct dim_list order = order_of(node);
    return order_equal(&order, &layout->order) ? node : NULL;
}

bool layout_is_exit(const struct layout *layout, const struct node *node)
{
    if (!is_op(node, OP_transpose))
        return false;
    struct dim_list order = order_of(node);
    order = order_chain(&layout->order, &order);
    return order_is_plain(&order);
}

/* --- growing ------------------------------------------------------------------------------ */

/* Adds the node to the region unless it is there, or cannot be computed in the other layout. */
static void add(struct layout *layout, struct node *node)
{
    int rank = layout->order.count;

    if (region_has(layout, node) || node->id >= layout->nodes || layout->count >= MOST_NODES ||
        !layout_may_move(node) || !node_is_known(node) || !node_is_needed(layout->pass, node) ||
        node->out[0].shape->rank != rank || node_is_pinned(layout->pass, node))
        return;
    /* Operands of lower rank stand for leading dimensions: only known ones can be moved. */
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (value->shape->rank != rank && !value_is_single(value) && !value_items(value))
            return;
    }
    layout->region[node->id] = layout->number;
    layout->node = pass_list(layout->pass, layout->node, layout->count, sizeof(struct node *));
    layout->node[layout->count++] = node;
}

static void add_users(struct layout *layout, const struct value *value)
{
    for (const struct use *u = value->uses; u; u = u->next)
        add(layout, u->node);
}

struct placed {
    struct node *node;
    uint32_t place;
};

static int compare_places(const void *a, const void *b)
{
    uint32_t x = ((const struct placed *)a)->place, y = ((const struct placed *)b)->place;

    return (x > y) - (x < y);
}

bool region_find(struct layout *layout, struct node *start)
{
    assert(is_op(start, OP_transpose) && layout->count >= 0);
    layout->number++;
    layout->count = 0;
    layout->order = order_of(start);
    add_users(layout, &start->out[0]);
    for (int k = 0; k < layout->count; k++) {
        const struct node *node = layout->node[k];
        for (uint32_t i = 0; i < node->nout; i++)
            add_users(layout, &node->out[i]);
        for (uint32_t i = 0; i < node->nin; i++) {
            const struct value *value = node->in[i].value;
            if (value_is_single(value) || value->kind != VALUE_RESULT)
                continue;
            /* A node that reads the same transpose belongs to the region: then nothing needs that.
             */
            if (layout_entry(layout, value))
                add_users(layout, value);
            else if (layout->upward)
                add(layout, value->producer);
        }
    }
    layout->work -= layout->count + 1;
    if (layout->count == 0)
        return false;
    struct placed *placed = pass_room(layout->pass, layout->count, sizeof *placed);
    for (int i = 0; i < layout->count; i++)
        placed[i] = (struct placed){layout->node[i], layout->place[layout->node[i]->id]};
    qsort(placed, (size_t)layout->count, sizeof *placed, compare_places);
    for (int i = 0; i < layout->count; i++)
        layout->node[i] = placed[i].node;
    return true;
}

/* --- what it costs ------------------------------------------------------------------------ */

/* Items that are transposed, and by how many transposes. */
struct transposed {
    double items;
    int count;
};

/* Both sides: transposes that the other layout makes, and those that it makes unneeded. */
struct account {
    struct transposed spent, saved;
};

static void note(struct transposed *side, const struct value *value)
{
    side->items += (double)shape_volume(value->shape);
    side->count++;
}

bool layout_is_folded(const struct layout *layout, const struct value *value)
{
    return value_items(value) && (value_is_inner(layout->pass, value) ||
                                  shape_volume(value->shape) <= layout->pass->options->growth);
}

/* A transpose before the first use of the value in the region, or another instead of one. */
static void account_operand(struct layout *layout, const struct value *value,
                            struct account *account)
{
    const struct node *other = made_by(value, OP_transpose);

    if ((value->kind == VALUE_RESULT && region_has(layout, value->producer)) ||
        value_is_single(value) || layout_is_folded(layout, value))
        return;
    /* If several nodes of the region read the value, it is transposed once. */
    if (value->id < layout->values) {
        struct moved *moved = &layout->moved[value->id];
        bool counted = moved->counted == layout->number;
        moved->counted = layout->number;
        if (counted)
            return;
    }
    if (!layout_entry(layout, value)) {
        if (!other || !value_is_inner(layout->pass, value))
            note(&account->spent, value);
        return;
    }
    /* Does nothing need the transpose once the region is in the other layout? */
    bool spared = !value_stays(layout->pass, value);
    for (const struct use *u = value->uses; u && spared; u = u->next)
        spared = region_has(layout, u->node) || layout_absorbs(u->node, &layout->order);
    if (spared)
        note(&account->saved, value);
}

/* An order that is its own inverse leaves the region where it enters it: what the transpose is made
 * of is needed in the old order then. */
static bool enters(const struct layout *layout, const struct node *node)
{
    const struct value *value = &node->out[0];
    bool read = false;

    for (const struct use *u = value->uses; u; u = u->next)
        read = read || region_has(layout, u->node);
    return read && layout_entry(layout, value);
}

/* A transpose back that is no longer needed, or one of a result that is needed in its old order. */
static void account_result(const struct layout *layout, const struct value *value,
                           struct account *account)
{
    bool needed = value_stays(layout->pass, value);

    for (const struct use *u = value->uses; u; u = u->next) {
        if (region_has(layout, u->node))
            continue;
        bool again = enters(layout, u->node);
        if (!again && layout_is_exit(layout, u->node))
            note(&account->saved, value);
        else if (again || !layout_absorbs(u->node, &layout->order))
            needed = true;
    }
    if (needed)
        note(&account->spent, value);
}

bool region_pays(struct layout *layout)
{
    struct account account = {0};
    const struct transposed *spent = &account.spent, *saved = &account.saved;

    for (int i = 0; i < layout->count; i++) {
        const struct node *node = layout->node[i];
        for (uint32_t k = 0; k < node->nin; k++)
            account_operand(layout, node->in[k].value, &account);
        for (uint32_t k = 0; k < node->nout; k++)
            account_result(layout, &node->out[k], &account);
    }
    assert(spent->count >= 0 && saved->count >= 0);
    return spent->items < saved->items ||
           (spent->items <= saved->items && spent->count < saved->count);
}
