/* replace.c - a node of a graph that is there gives way to what computes the same */
#include "base/arena.h"
#include "ir/graph_edit.h"
#include "lower/lower_priv.h"
#include "op/op_build.h"

#include <assert.h>

/* Invoke the fragment of the operation on the operands and attributes of the node: the node's own
 * fragment is expanded, whatever else stays whole. */
static bool invoke_node(struct call_frame *frame, const struct node *node,
                        const struct signature *sig, struct datum *made)
{
    struct lowering *l = frame->lowering;
    struct signature opened = *sig;
    struct bound *args = arena_array_of(l->scratch, struct bound, sig->nparam);
    const struct invocation call = {&opened, args, node->generic, node->span};
    uint32_t next = 0; /* operands are taken one parameter after the other */

    opened.op = NULL;
    for (int i = 0; i < sig->nparam; i++) {
        struct datum *to = &args[i].value;
        int count = node->op->traits & OP_VARIADIC ? (int)node->nin
                    : node->group                  ? node->group[i]
                                                   : -1;
        if (!sig->params[i].type->has_tensor) {
            *to = op_attr_datum(l->graph, node, sig->params[i].attr);
            continue;
        }
        if (count < 0) {
            *to = (struct datum){.kind = DATUM_TENSOR, .tensor = node->in[next++].value};
            continue;
        }
        struct datum *items = new_items(frame, node->span, count);
        if (!items)
            return false;
        for (int k = 0; k < count; k++)
            items[k] = (struct datum){.kind = DATUM_TENSOR, .tensor = node->in[next++].value};
        *to = (struct datum){.kind = DATUM_ARRAY, .count = count, .items = items};
    }
    assert(next <= node->nin);
    return invoke(frame, &call, made);
}

static bool expand(struct graph *graph, const struct library *library, const struct node *node,
                   struct value **results)
{
    const struct signature *sig = lower_signature(graph, library, node->op);
    const struct checked checked = {.sound = true, .context = graph->context, .library = library};
    const struct lower_options options = {.keep = lower_keep_standard};
    struct lowering l = lowering_begin(&checked, &options, graph);
    struct call_frame frame = {.lowering = &l, .site = node->site};
    struct datum made = {0};

    assert(sig && sig->op == node->op);
    frame.depth = node->site ? node->site->depth : 0;
    bool ok = invoke_node(&frame, node, sig, &made);
    for (uint32_t i = 0; ok && i < node->nout; i++)
        results[i] = made.kind == DATUM_TENSOR ? made.tensor : made.items[i].tensor;
    ok = ok && !has_faults(&l);
    lowering_end(&l);
    return ok;
}

/* --- taking its place ------------------------------------------------------------------------- */

bool lower_take_place(struct graph *graph, struct node *node, struct value *const *results,
                      uint32_t first_id)
{
    const struct op_origin origin = {.span = node->span, .site = node->site};

    for (uint32_t i = 0; i < node->nout; i++) {
        struct value *from = &node->out[i], *to = results[i];
        bool output = false;
        for (int k = 0; k < graph->noutput; k++)
            output = output || graph->outputs[k].value == from;
        if (!from->uses && !from->name && !output)
            continue;
        /* A copy takes the name of `from` if `to` has one already, or is no result of a node.
         */
        if (from->name && (to->name || to->kind != VALUE_RESULT)) {
            const struct node *copy = op_append(graph, op_plain(OP_copy), &to, 1, &origin);
            if (!copy)
                return false;
            to = &copy->out[0];
        }
        if (from->name)
            to->name = from->name;
        graph_replace_operands(from, to);
        graph_replace_outputs(graph, from, to);
    }
    struct node *last = node->prev;
    graph_erase_node(graph, node);
    lower_erase_dead(graph, last, first_id);
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

const struct signature *lower_signature(const struct graph *graph, const struct library *library,
                                        const struct op_desc *op)
{
    if (op->traits & OP_EXTENSION)
        library = library_above(graph->context, library, LIBRARY_EXTENSIONS);
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
                               : expand(graph, library, node, results);
    ok = ok && lower_take_place(graph, node, results, first_id);
    graph->before = before;
    return ok;
}
