/*
 * lower.c - the graph body becomes a graph (NNEF 1.0.5, section 3.3)
 *
 * Every identifier of the graph body names a tensor of its own: where a result is another
 * identifier's tensor, or a literal, a copy is made.
 */
#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "ir/graph_edit.h"
#include "lower/lower_priv.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* --- assignments --------------------------------------------------------------------------- */

struct value *value_of_its_own(struct lowering *l, struct value *value, struct span span)
{
    struct op_operand in = {"x", value, span};
    struct op_call call = {.op = library_unary(l->checked->library, UNARY_PLUS)->op,
                           .in = &in,
                           .nin = 1,
                           .generic = (enum dtype)value->dtype,
                           .span = span};

    if (!value->name && (value->kind != VALUE_CONSTANT || value->source->span.end > 0))
        return value;
    struct node *copy = op_build(l->graph, &call);
    return copy ? &copy->out[0] : NULL;
}

/* Distribute a value over a target: a name, or an array or tuple of targets. */
static bool assign(struct call_frame *frame, const struct expr *target, struct datum datum)
{
    struct lowering *l = frame->lowering;
    bool ok = true;
    int i = 0;

    if (target->kind != EXPR_NAME) {
        if (target->items.count != datum.count)
            return fault(frame, target->span, DIAG_UNPACK_COUNT, "%d result%s for %d identifier%s",
                         datum.count, datum.count == 1 ? "" : "s", target->items.count,
                         target->items.count == 1 ? "" : "s");
        for (const struct expr *t = target->items.first; t; t = t->next)
            ok &= assign(frame, t, datum.items[i++]);
        return ok;
    }
    /* Names of the graph are names of values; those in fragments are of no further use. */
    struct datum *named = &frame->env[target->slot];
    if (frame->invocation) {
        *named = datum;
        return true;
    }
    struct value *value =
        datum.kind == DATUM_TENSOR ? datum.tensor : graph_literal(l->graph, &datum);
    value = value_of_its_own(l, value, target->span);
    if (!value)
        return false;
    assert(!value->name);
    value->name = target->name;
    note_entry(l, value);
    *named = (struct datum){.kind = DATUM_TENSOR, .tensor = value};
    return true;
}

/* A statement that the check found faulty is poison, like what is assigned from it. */
static bool run_statement(struct call_frame *frame, const struct stmt *stmt)
{
    struct datum datum = {0};

    if (stmt->faulty && !frame->lowering->checked->sound)
        return false;
    frame->target = stmt->target;
    return evaluate(frame, stmt->value, &datum) && assign(frame, stmt->target, datum);
}

bool run_body(struct call_frame *frame, const struct stmt_list *body)
{
    for (const struct stmt *s = body->first; s; s = s->next)
        if (!run_statement(frame, s))
            return false;
    return true;
}

/* --- the graph ------------------------------------------------------------------------------ */

/* Inputs or outputs in the order in which the graph declares them. */
static struct port *make_ports(const struct call_frame *frame, const struct expr_list *names)
{
    struct lowering *l = frame->lowering;
    struct port *ports = arena_array_of(l->context->arena, struct port, names->count);
    int i = 0;

    for (const struct expr *e = names->first; e; e = e->next)
        ports[i++] =
            (struct port){.name = e->name, .value = frame->env[e->slot].tensor, .span = e->span};
    return ports;
}

/* For diag_help_names(): NULL behind the last. */
static const char *param_at(int index, const void *data)
{
    const struct expr *param = data;

    while (param && index-- > 0)
        param = param->next;
    return param ? param->name : NULL;
}

/* A shape for a name that is no parameter is most likely misspelled. */
static bool override_names_exist(const struct lowering *l, const struct graph_decl *decl)
{
    bool ok = true;

    for (int i = 0; i < l->options->noverride; i++) {
        const char *name = l->options->overrides[i].name;
        bool found = false;
        for (const struct expr *e = decl->params.first; e; e = e->next)
            found |= strcmp(e->name, name) == 0;
        if (found)
            continue;
        ok = diag_error(l->context->diag, decl->span, DIAG_INPUT_UNKNOWN,
                        "graph '%s' has no parameter '%s' to give a shape", decl->name, name);
        diag_help_names(l->context->diag, name, param_at, decl->params.first);
    }
    return ok;
}

struct lowering lowering_begin(const struct checked *checked, const struct lower_options *options,
                               struct graph *graph)
{
    struct context *context = checked->context;
    struct lowering l = {
        .context = context, .checked = checked, .options = options, .graph = graph};

    assert(checked && graph);
    l.scratch = arena_new();
    arena_alloc(l.scratch, 1); /* a first block, that every statement finds there */
    context->scratch = l.scratch;
    /* A graph is larger than its document, but not much unless fragments and arrays make it so. */
    enum { RATIO = 4 };
    int64_t used = (int64_t)arena_used(context->arena), most = INT64_MAX - context->limits.growth;
    context->may_grow = context->limits.growth + (used > most / RATIO ? most : used * RATIO);
    l.errors = diag_error_count(context->diag);
    struct quant_entry *entry = options->quant ? options->quant->first : NULL;
    for (; entry; entry = entry->next)
        if (!entry->faulty)
            map_set(&l.entries, entry->name, entry);
    return l;
}

void lowering_end(struct lowering *l)
{
    l->context->scratch = NULL;
    arena_free(l->scratch);
    map_free(&l->customs);
    map_free(&l->labels);
    map_free(&l->shared);
    map_free(&l->updated);
    map_free(&l->entries);
    map_free(&l->noted);
}

/* With a new graph, named like that of the document. */
static struct lowering begin(const struct checked *checked, const struct lower_options *options)
{
    const struct document *document = checked->document;
    struct graph *graph = graph_new(checked->context, document->graph->name);

    graph->provisional = document->dialect == DIALECT_PROVISIONAL;
    return lowering_begin(checked, options, graph);
}

void lower_erase_dead(struct graph *graph, struct node *last, uint32_t first_id)
{
    for (struct node *n = last, *prev; n && n->id >= first_id; n = prev) {
        prev = n->prev;
        bool live = n->op->traits & OP_EFFECT;
        for (uint32_t i = 0; i < n->nout && !live; i++) {
            live = n->out[i].uses || n->out[i].name;
            for (int k = 0; k < graph->noutput && !live; k++)
                live = graph->outputs[k].value == &n->out[i];
        }
        if (!live)
            graph_erase_node(graph, n);
    }
}

struct graph *lower(const struct checked *checked, const struct lower_options *options)
{
    const struct graph_decl *decl = checked->document->graph;
    struct context *context = checked->context;
    struct lowering l = begin(checked, options);
    struct graph *graph = l.graph;
    struct call_frame frame = {.lowering = &l};
    bool begun = override_names_exist(&l, decl);

    frame.env = arena_array_of(context->arena, struct datum, checked->graph_slots);
    for (const struct stmt *s = begun ? decl->body.first : NULL; s; s = s->next) {
        struct arena_mark mark = arena_mark(l.scratch);
        run_statement(&frame, s);
        arena_rewind(l.scratch, mark); /* nothing in it outlives a statement */
        if (diag_full(context->diag))
            break;
    }
    bool ok = !has_faults(&l) && !diag_full(context->diag);
    if (ok) {
        graph->ninput = decl->params.count;
        graph->noutput = decl->results.count;
        graph->inputs = make_ports(&frame, &decl->params);
        graph->outputs = make_ports(&frame, &decl->results);
        ok = quantize_tensors(&l);
        /* Nodes that an expansion made and nothing reads; identifiers of the graph body stay. */
        lower_erase_dead(graph, graph->last, 0);
    }
    lowering_end(&l);
    return ok ? graph : NULL;
}

bool lower_quant(const struct checked *checked, const struct quant_entry *entry,
                 const struct value *tensor, const struct node **node)
{
    const struct lower_options options = {0};
    struct lowering l = begin(checked, &options);
    bool ok = quant_try(&l, entry, tensor, node);

    lowering_end(&l);
    return ok;
}
