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

/* Operands of lower rank stand for leading dimensions: only known ones can be moved. */
static bool operands_fit(const struct node *node, int rank)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (value->shape->rank != rank && !value_is_single(value) && !value_items(value))
            return false;
    }
    return true;
}

static bool fits(const struct layout *layout, const struct node *node)
{
    int rank = layout->order.count;

    return node->id < layout->nodes && layout->count < MOST_NODES && layout_may_move(node) &&
           node_is_known(node) && node_is_needed(layout->pass, node) &&
           node->out[0].shape->rank == rank && !node_is_pinned(layout->pass, node) &&
           operands_fit(node, rank);
}

static void add(struct layout *layout, struct node *node)
{
    if (region_has(layout, node) || !fits(layout, node))
        return;
    layout->region[node->id] = layout->number;
    if (layout->count == layout->capacity) {
        struct node **old = layout->node;
        layout->capacity = 2 * layout->capacity + 16;
        layout->node = pass_room(layout->pass, layout->capacity, sizeof *old);
        for (int i = 0; i < layout->count; i++)
            layout->node[i] = old[i];
    }
    layout->node[layout->count++] = node;
}

static void add_users(struct layout *layout, const struct value *value)
{
    for (const struct use *u = value->uses; u; u = u->next)
        add(layout, u->node);
}

/* Those that read the same transposes belong to it, so that these are not needed any more. */
static void add_neighbours(struct layout *layout, const struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        add_users(layout, &node->out[i]);
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (value_is_single(value) || value->kind != VALUE_RESULT)
            continue;
        if (layout_entry(layout, value))
            add_users(layout, value);
        else if (layout->upward)
            add(layout, value->producer);
    }
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

static void sort(struct layout *layout)
{
    struct placed *placed = pass_room(layout->pass, layout->count, sizeof *placed);

    for (int i = 0; i < layout->count; i++)
        placed[i] = (struct placed){layout->node[i], layout->place[layout->node[i]->id]};
    qsort(placed, (size_t)layout->count, sizeof *placed, compare_places);
    for (int i = 0; i < layout->count; i++)
        layout->node[i] = placed[i].node;
}

bool region_find(struct layout *layout, struct node *start)
{
    assert(is_op(start, OP_transpose));
    layout->number++;
    layout->count = 0;
    layout->order = order_of(start);
    add_users(layout, &start->out[0]);
    for (int i = 0; i < layout->count; i++)
        add_neighbours(layout, layout->node[i]);
    if (layout->count > 0)
        sort(layout);
    layout->work -= layout->count + 1;
    return layout->count > 0;
}

/* --- what it costs ------------------------------------------------------------------------ */

/* Items that are transposed, and by how many transposes; both sides of the account. */
struct account {
    double spent, saved;
    int nspent, nsaved;
};

static void spend(struct account *account, const struct value *value)
{
    account->spent += (double)shape_volume(value->shape);
    account->nspent++;
}

static void save(struct account *account, const struct value *value)
{
    account->saved += (double)shape_volume(value->shape);
    account->nsaved++;
}

/* Does nothing need the transpose once the region is in the other layout? */
static bool is_spared(const struct layout *layout, const struct node *entry)
{
    const struct value *value = &entry->out[0];

    for (const struct use *u = value->uses; u; u = u->next)
        if (!region_has(layout, u->node) && !layout_absorbs(u->node, &layout->order))
            return false;
    return !value_stays(layout->pass, value);
}

/* A transpose before the first use of the value in the region, or another instead of one. */
static void account_operand(const struct layout *layout, const struct value *value,
                            struct account *account)
{
    struct node *entry = layout_entry(layout, value);
    const struct node *other = made_by(value, OP_transpose);

    if (entry) {
        if (is_spared(layout, entry))
            save(account, value);
    } else if (!other || !value_is_inner(layout->pass, value)) {
        spend(account, value);
    }
}

/* Constants are transposed at once, unless there would be two large ones then. */
bool layout_is_folded(const struct layout *layout, const struct value *value)
{
    return value_items(value) && (value_is_inner(layout->pass, value) ||
                                  shape_volume(value->shape) <= layout->pass->options->growth);
}

/* A value that several nodes of the region read is transposed once. */
static bool is_counted(struct layout *layout, const struct value *value)
{
    if (value->id >= layout->values)
        return false;
    bool counted = layout->moved[value->id].counted == layout->number;
    layout->moved[value->id].counted = layout->number;
    return counted;
}

static void account_operands(struct layout *layout, const struct node *node,
                             struct account *account)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        bool inside = value->kind == VALUE_RESULT && region_has(layout, value->producer);
        if (!inside && !value_is_single(value) && !layout_is_folded(layout, value) &&
            !is_counted(layout, value))
            account_operand(layout, value, account);
    }
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

static void account_result(const struct layout *layout, const struct value *value,
                           struct account *account)
{
    bool needed = value_stays(layout->pass, value);

    for (const struct use *u = value->uses; u; u = u->next) {
        if (region_has(layout, u->node))
            continue;
        bool again = enters(layout, u->node);
        if (!again && layout_is_exit(layout, u->node))
            save(account, value);
        else if (again || !layout_absorbs(u->node, &layout->order))
            needed = true;
    }
    if (needed)
        spend(account, value);
}

bool region_pays(struct layout *layout)
{
    struct account account = {0};

    for (int i = 0; i < layout->count; i++) {
        account_operands(layout, layout->node[i], &account);
        for (uint32_t k = 0; k < layout->node[i]->nout; k++)
            account_result(layout, &layout->node[i]->out[k], &account);
    }
    return account.spent < account.saved ||
           (account.spent <= account.saved && account.nspent < account.nsaved);
}
