/*
 * alter.c - changes of a graph that change its results (alter.h)
 *
 * Nodes are made again in their order: those with new attributes, and those that read a value whose
 * shape has changed.
 */
#include "pass/alter.h"

#include "base/arena.h"
#include "diag/context.h"
#include "ir/graph_edit.h"
#include "pass/edit.h"

#include <assert.h>

struct altering {
    struct graph *graph;
    const struct alteration *list;
    int count;
    bool *altered;  /* by id of a node, of those that were there */
    bool *reshaped; /* by id of a value, with room for one more of each */
};

/* --- one node --------------------------------------------------------------------------------- */

static bool is_to_be_made(const struct altering *a, const struct node *node)
{
    bool found = a->altered[node->id];

    for (uint32_t i = 0; i < node->nin && !found; i++)
        found = a->reshaped[node->in[i].value->id];
    return found;
}

/* All attributes of the node, with their new values. */
static struct op_argument *new_arguments(const struct altering *a, const struct node *node,
                                         int *count)
{
    const struct op_attr *attrs = node->op->attrs;

    for (*count = 0; attrs && attrs[*count].name;)
        ++*count;
    struct op_argument *args = arena_array_of(a->graph->context->arena, struct op_argument, *count);
    for (int i = 0; i < *count; i++) {
        args[i] = (struct op_argument){.attr = &attrs[i],
                                       .value = op_attr_datum(a->graph, node, &attrs[i])};
        for (int k = 0; k < a->count; k++)
            if (a->list[k].node == node && a->list[k].argument.attr == &attrs[i])
                args[i] = a->list[k].argument;
    }
    return args;
}

/* The node once more, in front of it; NULL after a report. */
static struct node *make_again(const struct altering *a, struct node *node)
{
    const struct diag *diag = a->graph->context->diag;
    const int before = diag_error_count(diag);
    struct op_call call = op_call_of(a->graph, node);

    if (node->op->traits & OP_CUSTOM)
        call.nout = (int)node->nout;
    call.args = new_arguments(a, node, &call.nargs);
    a->graph->before = node;
    struct node *made = op_build(a->graph, &call);
    a->graph->before = NULL;
    return diag_error_count(diag) == before ? made : NULL;
}

/* False after a report. */
static bool replace_node(const struct altering *a, struct node *node)
{
    struct node *made = make_again(a, node);

    if (!made)
        return false;
    if (made->nout != node->nout)
        return diag_file_error(a->graph->context->diag, NULL, DIAG_EDIT,
                               "'%s' of '%s' would have %u results instead of %u", node->op->name,
                               VALUE_TEXT(&node->out[0]), made->nout, node->nout);
    for (uint32_t i = 0; i < node->nout; i++) {
        struct value *from = &node->out[i], *to = &made->out[i];
        to->dtype = from->dtype;
        to->name = from->name;
        from->name = NULL;
        a->reshaped[to->id] = !shape_equal(from->shape, to->shape);
        graph_replace_operands(from, to);
        graph_replace_outputs(a->graph, from, to);
    }
    graph_erase_node(a->graph, node);
    return true;
}

/* --- the graph -------------------------------------------------------------------------------- */

bool graph_alter(struct graph *graph, const struct alteration *list, int count,
                 const struct reshaping *shapes, int shape_count)
{
    struct arena *arena = graph->context->arena;
    struct altering a = {.graph = graph, .list = list, .count = count};
    bool ok = true;

    assert(count >= 0 && shape_count >= 0 && !graph->before);
    a.altered = arena_array_of(arena, bool, graph->node_count);
    a.reshaped = arena_array_of(arena, bool, 2 * (int64_t)graph->value_count);
    for (int i = 0; i < count; i++)
        a.altered[list[i].node->id] = true;
    for (int i = 0; i < shape_count; i++) {
        struct value *value = shapes[i].value;
        assert(value->kind != VALUE_RESULT);
        a.reshaped[value->id] = value->shape != shapes[i].shape;
        value->shape = shapes[i].shape;
    }
    for (struct node *n = graph->first, *next; n && ok && count + shape_count > 0; n = next) {
        next = n->next;
        ok = !is_to_be_made(&a, n) || replace_node(&a, n);
    }
    return ok;
}

struct value *bridge_of(const struct node *node)
{
    for (uint32_t i = 0; i < node->nin && node->nout == 1; i++)
        if (value_may_replace(node->in[i].value, &node->out[0]))
            return node->in[i].value;
    return NULL;
}

void graph_bridge(struct graph *graph, struct node *node)
{
    struct value *operand = bridge_of(node);

    assert(operand && !(node->op->traits & OP_EFFECT));
    graph_replace_operands(&node->out[0], operand);
    graph_erase_node(graph, node);
}
