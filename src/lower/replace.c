/* replace.c - a node of a graph that is there gives way to what computes the same */
#include "base/arena.h"
#include "ir/graph_edit.h"
#include "lower/lower_priv.h"
#include "op/op_build.h"

#include <assert.h>

/* --- the invocation that a node came from, or might have -------------------------------------- */

/* Operands are taken one parameter after the other. */
struct replaced_operands {
    struct call_frame *frame;
    const struct node *node;
    uint32_t next;
};

static struct datum tensor_datum(struct value *value)
{
    return (struct datum){.kind = DATUM_TENSOR, .tensor = value};
}

static bool next_operand(struct replaced_operands *from, int param, struct datum *to)
{
    const struct node *node = from->node;
    int count = node->op->traits & OP_VARIADIC ? (int)node->nin
                : node->group                  ? node->group[param]
                                               : -1;

    if (count < 0) {
        *to = tensor_datum(node->in[from->next++].value);
        return true;
    }
    struct datum *items = new_items(from->frame, node->span, count);
    for (int i = 0; items && i < count; i++)
        items[i] = tensor_datum(node->in[from->next++].value);
    *to = (struct datum){.kind = DATUM_ARRAY, .count = count, .items = items};
    return items;
}

/* Invoke the fragment of the operation on the operands and attributes of the node. */
static bool expand_node(struct call_frame *frame, const struct node *node,
                        const struct signature *sig, struct value **results)
{
    struct lowering *l = frame->lowering;
    struct bound *args = arena_array_of(l->scratch, struct bound, sig->nparam);
    struct invocation call = {sig, args, node->generic, node->span};
    struct replaced_operands operands = {.frame = frame, .node = node};
    struct datum made = {0};

    assert(node->op);
    for (int i = 0; i < sig->nparam; i++) {
        const struct sig_param *param = &sig->params[i];
        if (!param->type->has_tensor)
            args[i].value = op_attr_datum(l->graph, node, param->attr);
        else if (!next_operand(&operands, i, &args[i].value))
            return false;
    }
    if (!invoke(frame, &call, &made))
        return false;
    if (made.kind == DATUM_TENSOR) {
        results[0] = made.tensor;
        return true;
    }
    for (uint32_t i = 0; i < node->nout; i++)
        results[i] = made.items[i].tensor;
    return true;
}

/* The node's own fragment is expanded, whatever else stays whole. */
static bool expand(struct graph *graph, const struct library *library, const struct node *node,
                   const struct signature *sig, struct value **results)
{
    struct signature opened = *sig;
    const struct checked checked = {.sound = true, .context = graph->context, .library = library};
    const struct lower_options options = {.keep = lower_keep_standard};
    struct lowering l = lowering_begin(&checked, &options, graph);
    struct call_frame frame = {.lowering = &l, .site = node->site};

    opened.op = NULL;
    frame.depth = node->site ? node->site->depth : 0;
    bool ok = expand_node(&frame, node, &opened, results) && !has_faults(&l);
    lowering_end(&l);
    return ok;
}

/* --- taking its place ------------------------------------------------------------------------- */

static bool is_output(const struct graph *graph, const struct value *value)
{
    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value == value)
            return true;
    return false;
}

/* The value that is to be called like `from`. */
static struct value *named_like(struct graph *graph, const struct value *from, struct value *to)
{
    const struct op_origin origin = {.span = from->producer->span, .site = from->producer->site};

    if (!from->name || (to->kind == VALUE_RESULT && !to->name)) {
        to->name = from->name ? from->name : to->name;
        return to;
    }
    struct node *copy = op_append(graph, op_plain(OP_copy), &to, 1, &origin);
    if (!copy)
        return NULL;
    copy->out[0].name = from->name;
    return &copy->out[0];
}

static bool is_dead(const struct graph *graph, const struct node *node)
{
    bool live = node->op->traits & OP_EFFECT;

    for (uint32_t i = 0; i < node->nout; i++)
        live |= node->out[i].uses || node->out[i].name || is_output(graph, &node->out[i]);
    return !live;
}

/* Users, names and outputs of the old results pass to the new ones. */
static bool take_place(struct graph *graph, struct node *node, struct value *const *results,
                       uint32_t first_id)
{
    for (uint32_t i = 0; i < node->nout; i++) {
        struct value *from = &node->out[i];
        if (!from->uses && !from->name && !is_output(graph, from))
            continue;
        struct value *to = named_like(graph, from, results[i]);
        if (!to)
            return false;
        graph_replace_operands(from, to);
        graph_replace_outputs(graph, from, to);
    }
    struct node *last = node->prev;
    graph_erase_node(graph, node);
    /* Of the nodes that were made for it: back from `last` to those that were there. */
    for (struct node *n = last, *prev; n && n->id >= first_id; n = prev) {
        prev = n->prev;
        if (is_dead(graph, n))
            graph_erase_node(graph, n);
    }
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

const struct signature *lower_signature(const struct graph *graph, const struct library *library,
                                        const struct op_desc *op)
{
    if (op->traits & OP_EXTENSION)
        library = library_extensions(graph->context, library);
    return library ? library_find(library, op->name) : NULL;
}

bool lower_can_replace(const struct graph *graph, const struct library *library,
                       const struct op_desc *op)
{
    const struct signature *sig = lower_signature(graph, library, op);

    return op->unroll || (sig && sig->op == op && sig->fragment->has_body);
}

bool lower_replace(struct graph *graph, const struct library *library, struct node *node)
{
    struct arena *arena = graph->context->arena;
    struct value **results = arena_array_of(arena, struct value *, node->nout);
    uint32_t first_id = graph->node_count;
    struct node *before = graph->before;

    graph->before = node;
    bool ok = node->op->unroll ? node->op->unroll(graph, node, results)
                               : expand(graph, library, node,
                                        lower_signature(graph, library, node->op), results);
    ok = ok && take_place(graph, node, results, first_id);
    graph->before = before;
    return ok;
}
