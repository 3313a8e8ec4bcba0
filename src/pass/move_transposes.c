/*
 * move_transposes.c - transposes that meet and cancel
 *
 * Models that were made for another order of dimensions than NNEF has, with the channels behind,
 * come with a transpose before each convolution and one behind it.  The operations
 * between these work item by item, or along some axes, in any order of dimensions.  A region of
 * such operations is computed in the order that its operands are transposed from, if there is less
 * to be transposed at its borders then: new nodes are made for its own; a result that is needed
 * outside in its old order is transposed there.
 */
#include "pass/layout.h"

#include <assert.h>
#include <string.h>

/* --- values in the other layout ----------------------------------------------------------- */

/* The constant with as many dimensions as the layout, in the other order. */
static struct value *moved_constant(struct layout *layout, const struct value *value)
{
    const struct tensor *from = value_items(value);
    struct dim_list inverse = order_inverse(&layout->order);
    struct shape old = *value->shape;
    size_t size = dtype_size(from->dtype);
    int64_t stride[MAX_RANK], at[MAX_RANK] = {0};
    struct tensor to;

    while (old.rank < layout->order.count)
        old.extent[old.rank++] = 1;
    struct shape new = order_apply(&inverse, &old);
    shape_strides(&old, stride);
    struct shared_key key = pass_key(layout->pass, "moved");
    pass_key_value(&key, value);
    for (int i = 0; i < inverse.count; i++)
        shared_key_number(&key, inverse.item[i]);
    struct value *moved = pass_found(layout->pass, &key, &new, value);
    if (moved || !pass_tensor(layout->pass, &to, from->dtype, &new)) {
        shared_key_free(&key);
        return moved;
    }
    for (int64_t i = 0, volume = shape_volume(&new); i < volume; i++) {
        int64_t index = 0;
        for (int k = 0; k < new.rank; k++)
            index += at[k] * stride[inverse.item[k]];
        index = from->shape.rank == 0 ? 0 : index;
        if (from->bytes)
            ((int64_t *)to.data)[i] = tensor_integer(from, index);
        else
            memcpy((char *)to.data + (size_t)i * size, (char *)from->data + (size_t)index * size,
                   size);
        for (int k = new.rank - 1; k >= 0 && ++at[k] == new.extent[k]; k--)
            at[k] = 0;
    }
    moved = pass_fixed(layout->pass, &key, &to, value);
    shared_key_free(&key);
    return moved;
}

static struct value *moved_value(struct layout *layout, struct value *value)
{
    bool known = value->id < layout->values;
    struct moved *moved = known ? &layout->moved[value->id] : NULL;
    const struct node *other = made_by(value, OP_transpose);
    struct dim_list order = order_inverse(&layout->order);
    struct value *to;

    if (value_is_single(value))
        return value;
    if (known && moved->number == layout->number)
        return moved->to;
    if (layout_is_folded(layout, value)) {
        to = moved_constant(layout, value);
    } else if (other) { /* one transpose of what that is made of, or none */
        struct dim_list first = order_of(other);
        order = order_chain(&first, &order);
        to = pass_transpose(layout->pass, other->in[0].value, &order);
    } else {
        to = pass_transpose(layout->pass, value, &order);
    }
    if (known)
        *moved = (struct moved){.number = layout->number, .to = to};
    return to;
}

/* --- the region in the other layout ------------------------------------------------------- */

static void stand_before(struct pass *pass, struct node *node)
{
    pass->at = pass->graph->before = node;
}

/* The node of the region once more, in the other layout. */
static bool make_node(struct layout *layout, struct node *node)
{
    struct pass *pass = layout->pass;
    struct value **in = pass_room(pass, node->nin, sizeof(struct value *));

    assert(layout_may_move(node));
    stand_before(pass, node);
    for (uint32_t i = 0; i < node->nin; i++)
        if (!(in[i] = moved_value(layout, node->in[i].value)))
            return false;
    const void *attrs = layout_attrs(pass, node, &layout->order);
    struct value *made = pass_remake(pass, node, in, attrs);
    for (uint32_t i = 0; made && i < node->nout; i++)
        layout->moved[node->out[i].id] =
            (struct moved){.number = layout->number, .to = &made->producer->out[i]};
    return made;
}

/* A transpose of the value to the other layout, outside of the region. */
static struct node *exit_of(const struct layout *layout, const struct value *value)
{
    for (const struct use *u = value->uses; u; u = u->next)
        if (layout_is_exit(layout, u->node) && !node_is_pinned(layout->pass, u->node))
            return u->node;
    return NULL;
}

static bool is_needed_outside(const struct layout *layout, const struct value *value)
{
    for (const struct use *u = value->uses; u; u = u->next)
        if (!region_has(layout, u->node))
            return true;
    return value_stays(layout->pass, value);
}

/* Let the result in the other layout stand for that of the region: at once where it is transposed
 * back, and elsewhere transposed. */
static void replace_result(struct layout *layout, struct value *value)
{
    struct pass *pass = layout->pass;
    struct value *to = layout->moved[value->id].to;

    if (!is_needed_outside(layout, value))
        return;
    for (struct node *n = exit_of(layout, value); n; n = exit_of(layout, value))
        pass_replace(pass, &n->out[0], to);
    if (!is_needed_outside(layout, value))
        return;
    stand_before(pass, value->producer);
    pass_replace(pass, value, pass_transpose(pass, to, &layout->order));
}

/* --- the pass ----------------------------------------------------------------------------- */

static bool region_gains(struct layout *layout, struct node *start)
{
    if (!region_find(layout, start))
        return false;
    if (!layout->moved)
        layout->moved = pass_scratch(layout->pass, layout->values, sizeof(struct moved));
    return region_pays(layout);
}

/* As large a region as there is first, and then one that begins at transposes only.  False if
 * neither pays. */
static bool move_behind(struct layout *layout, struct node *start)
{
    bool pays = false, made = true;

    assert(is_op(start, OP_transpose));
    for (int upward = 1; upward >= 0 && layout->work > 0 && !pays; upward--) {
        layout->upward = upward;
        pays = region_gains(layout, start);
    }
    if (!pays)
        return false;
    for (int i = 0; made && i < layout->count; i++)
        made = make_node(layout, layout->node[i]);
    /* Backwards, so that those go that only the ones behind them need. */
    for (int i = layout->count - 1; made && i >= 0; i--)
        for (uint32_t k = 0; k < layout->node[i]->nout; k++)
            replace_result(layout, &layout->node[i]->out[k]);
    return true;
}

/* Transposes that were removed meanwhile have no uses any more. */
static void end(struct pass *pass)
{
    const struct graph *graph = pass->graph;
    struct node **start = pass->data;
    uint32_t place = 0;

    if (!start)
        return;
    struct layout layout = {.pass = pass, .nodes = graph->node_count, .values = graph->value_count};
    layout.place = pass_scratch(pass, layout.nodes, sizeof(uint32_t));
    layout.region = pass_scratch(pass, layout.nodes, sizeof(uint32_t));
    for (const struct node *n = graph->first; n; n = n->next)
        layout.place[n->id] = place++;
    layout.work = 64 * (int64_t)place;
    for (; *start && !pass->failed; start++)
        if ((*start)->out[0].uses && !move_behind(&layout, *start) && layout.count > 0)
            pass_left(pass, *start, "what stands behind it needs as many in another order");
    pass->at = pass->graph->before = NULL;
}

/* The transposes of the graph, up to a NULL, or no list if there are none. */
static void begin(struct pass *pass)
{
    size_t count = 0;

    for (const struct node *n = pass->graph->first; n; n = n->next)
        count += is_op(n, OP_transpose) && shape_known(n->out[0].shape);
    if (count == 0)
        return;
    struct node **start = pass->data = pass_scratch(pass, (int64_t)count + 1, sizeof *start);
    for (struct node *n = pass->graph->first; n; n = n->next)
        if (is_op(n, OP_transpose) && shape_known(n->out[0].shape))
            *start++ = n;
}

const struct pass_desc pass_move_transposes = {
    .purpose = "move transposes through what works in any order of dimensions until they cancel",
    .begin = begin,
    .end = end,
};
