/* quantize_find.c - which values of a graph are quantized, and which of them alike */
#include "pass/quantize_graph.h"

#include "base/arena.h"
#include "diag/context.h"
#include "pass/edit.h"
#include "pass/identity.h"

#include <assert.h>

enum { LEFT, RIGHT, SHARED_MOST = 8 /* operands that a byte has bits for */ };
enum { LEAST_BLOCK = 16, LARGE_WEIGHTS = (64 << 10) / 4 /* 64 KiB of floats */ };

/* What is known while values are looked for. */
struct finder {
    struct quantize_plan *plan;
    int *readers; /* by value id: those that want it quantized */
    int *parent;  /* by group: itself, or one that it is part of */
};

/* --- layers ---------------------------------------------------------------------------------- */

static bool is_scalar(const struct value *value)
{
    return value->dtype == DTYPE_SCALAR && shape_known(value->shape);
}

/* A layer whose weights are known and whose input is not. */
static bool layer_fits(const struct node *node, const struct quantize_wish *wish)
{
    const bool conv = is_op(node, OP_conv);

    if (!conv && !is_op(node, OP_linear) && !is_op(node, OP_matmul))
        return false;
    const struct value *x = node->in[LEFT].value, *weights = node->in[RIGHT].value;
    const bool shaped = wish->numbers || (node_is_known(node) && is_scalar(x));
    return shaped && is_scalar(weights) && !value_items(x) && value_items(weights) &&
           shape_volume(weights->shape) > 0 && node->out[0].shape->rank >= 2 &&
           (wish->block == 0 || (!conv && weights->shape->rank == 2)) &&
           tensor_is_finite(value_items(weights));
}

/* The longest blocks that products read and that have no rest, up to the one asked for; 0: all have
 * a rest. */
static int64_t block_for(int64_t columns, int64_t most)
{
    int64_t block = most;

    while (block >= LEAST_BLOCK && columns % block != 0)
        block -= BLOCK_UNIT;
    return block >= LEAST_BLOCK ? block : 0;
}

static struct quantize_layer layer_of(const struct node *node, const struct quantize_wish *wish)
{
    const struct shape *weights = node->in[RIGHT].value->shape;
    const bool product = is_op(node, OP_matmul);
    struct quantize_layer layer = {.node = node};

    layer.axis = !product ? 0 : attr_transpose_b(node) ? weights->rank - 2 : weights->rank - 1;
    layer.channels = weights->extent[layer.axis];
    if (wish->block > 0)
        layer.block = block_for(shape_volume(weights) / layer.channels, wish->block);
    layer.bits = layer.block > 0 ? wish->bits : 8;
    return layer;
}

/* Small products are not worth it, unless all are small. */
static bool takes_small(const struct graph *graph, const struct quantize_wish *wish)
{
    bool large = false;

    for (const struct node *n = graph->first; n && !large; n = n->next)
        large = layer_fits(n, wish) && !wish->keeps(wish->data, n) &&
                shape_volume(n->in[RIGHT].value->shape) >= LARGE_WEIGHTS;
    return wish->block == 0 || wish->small || !large;
}

/* --- readers --------------------------------------------------------------------------------- */

static void want(struct finder *f, const struct node *node, uint32_t operand)
{
    f->readers[node->in[operand].value->id]++;
    f->plan->reads[node->id] |= (unsigned char)(1U << operand);
}

/* Reads integers as well as numbers: their order is all that matters. */
static bool is_move(const struct node *node)
{
    return node_moves_one(node) ||
           (is_op(node, OP_max_pool) &&
            (attr_border(node) == BORDER_IGNORE ||
             (attr_padding(node)->count > 0 && pads_nothing(attr_padding(node)))));
}

/* The result of a layer that nothing else reads. */
static bool is_end_of_layer(const struct finder *f, const struct value *value)
{
    return value->kind == VALUE_RESULT && f->plan->layer_of[value->producer->id] >= 0 &&
           value->uses && !value->uses->next && f->readers[value->id] == 0;
}

/* An add ends one layer; what comes from elsewhere is quantized if layers read it in any case, or
 * if it ends another layer. */
static void want_of_add(struct finder *f, const struct node *node)
{
    const struct value *x = node->in[LEFT].value, *y = node->in[RIGHT].value;
    const bool x_ends = is_end_of_layer(f, x), y_ends = is_end_of_layer(f, y);
    const int inner = x_ends && y_ends ? x->producer->id > y->producer->id ? LEFT : RIGHT
                      : x_ends         ? LEFT
                      : y_ends         ? RIGHT
                                       : -1;

    for (int i = LEFT; i <= RIGHT; i++) {
        const struct value *value = node->in[i].value;
        if (i != inner && x != y && is_scalar(value) && !value_items(value) &&
            (f->readers[value->id] > 0 || (inner >= 0 && x_ends && y_ends))) {
            want(f, node, (uint32_t)i);
            f->plan->direct[value->id] = 1;
        }
    }
}

/* From the last node on, so that all readers of a result are known. */
static void find_readers(struct finder *f)
{
    for (const struct node *n = f->plan->graph->last; n; n = n->prev) {
        if (n->nout != 1 || f->readers[n->out[0].id] == 0 || !is_scalar(&n->out[0]))
            continue;
        if (is_move(n) && is_scalar(n->in[0].value)) {
            want(f, n, 0);
        } else if (node_joins(n) && n->nin <= SHARED_MOST) {
            bool all = true;
            for (uint32_t i = 0; i < n->nin; i++)
                all &= is_scalar(n->in[i].value) && !value_items(n->in[i].value);
            for (uint32_t i = 0; i < n->nin && all; i++)
                want(f, n, i);
        } else if (is_op(n, OP_add)) {
            want_of_add(f, n);
        }
    }
}

/* --- groups ---------------------------------------------------------------------------------- */

static int root_of(const struct finder *f, int group)
{
    while (f->parent[group] != group) {
        f->parent[group] = f->parent[f->parent[group]];
        group = f->parent[group];
    }
    return group;
}

static int new_group(struct finder *f)
{
    f->parent[f->plan->groups] = f->plan->groups;
    return f->plan->groups++;
}

/* A part that only the concat reads has the quantization of the whole. */
static void join(struct finder *f, const struct node *node)
{
    const int whole = f->plan->group_of[node->out[0].id];

    for (uint32_t i = 0; i < node->nin && f->plan->reads[node->id]; i++) {
        const struct value *part = node->in[i].value;
        const bool moved = part->kind == VALUE_RESULT && is_move(part->producer);
        if (f->readers[part->id] == 1 && !moved)
            f->parent[root_of(f, f->plan->group_of[part->id])] = root_of(f, whole);
        else
            f->plan->direct[part->id] = 1;
    }
}

static void group_value(struct finder *f, const struct value *value)
{
    const struct node *maker = value->kind == VALUE_RESULT ? value->producer : NULL;
    const bool moved = maker && is_move(maker) && (f->plan->reads[maker->id] & 1);

    if (f->readers[value->id] == 0)
        return;
    f->plan->group_of[value->id] = moved ? f->plan->group_of[maker->in[0].value->id] : new_group(f);
    if (maker && node_joins(maker))
        join(f, maker);
}

/* Number the groups that are left. */
static void number_groups(struct finder *f, uint32_t values)
{
    int *number = arena_array_of(f->plan->graph->context->arena, int, f->plan->groups + 1);
    int count = 0;

    for (int i = 0; i < f->plan->groups; i++)
        number[i] = root_of(f, i) == i ? count++ : -1;
    for (uint32_t i = 0; i < values; i++)
        if (f->plan->group_of[i] >= 0)
            f->plan->group_of[i] = number[root_of(f, f->plan->group_of[i])];
    f->plan->groups = count;
}

/* --- all of it ------------------------------------------------------------------------------- */

static void find_layers(struct finder *f, const struct quantize_wish *wish)
{
    struct quantize_plan *plan = f->plan;
    const bool small = takes_small(plan->graph, wish);

    for (const struct node *n = plan->graph->first; n; n = n->next) {
        if (!layer_fits(n, wish))
            continue;
        plan->layer =
            arena_list(plan->graph->context->arena, plan->layer, plan->layers, sizeof *plan->layer);
        plan->layer[plan->layers] = layer_of(n, wish);
        plan->layer_of[n->id] = plan->layers;
        if (wish->keeps(wish->data, n) ||
            (!small && shape_volume(n->in[RIGHT].value->shape) < LARGE_WEIGHTS)) {
            plan->layer[plan->layers].kept = true;
        } else if (!wish->numbers) {
            want(f, n, LEFT);
            plan->direct[n->in[LEFT].value->id] = 1;
        }
        plan->layers++;
    }
}

struct quantize_plan *quantize_find(struct graph *graph, const struct quantize_wish *wish)
{
    struct arena *arena = graph->context->arena;
    struct quantize_plan *plan = arena_array_of(arena, struct quantize_plan, 1);
    const uint32_t values = graph->value_count;
    struct finder f = {plan, arena_array_of(arena, int, values),
                       arena_array_of(arena, int, values)};

    *plan = (struct quantize_plan){.graph = graph,
                                   .group_of = arena_array_of(arena, int, values),
                                   .layer_of = arena_array_of(arena, int, graph->node_count),
                                   .reads = arena_array_of(arena, unsigned char, graph->node_count),
                                   .direct = arena_array_of(arena, unsigned char, values),
                                   .numbers = wish->numbers};
    for (uint32_t i = 0; i < values; i++)
        plan->group_of[i] = -1;
    for (uint32_t i = 0; i < graph->node_count; i++)
        plan->layer_of[i] = -1;
    find_layers(&f, wish);
    find_readers(&f);
    for (struct value *const *v = graph_values(graph); *v; v++)
        group_value(&f, *v);
    number_groups(&f, values);
    plan->group = arena_array_of(arena, struct quantize_group, plan->groups + 1);
    return plan;
}
