/*
 * cut.c - a part of a graph (cut.h)
 *
 * A breadth-first search back from the results finds the values that they need.  For each value, it
 * remembers the one that it was found from.  So a message can show a shortest path from an input to
 * a result.
 */
#include "pass/cut.h"

#include "base/arena.h"
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "file/label.h"
#include "ir/graph_edit.h"
#include "op/op_build.h"

#include <assert.h>

enum { NAMES_SHOWN = 8 }; /* most names of a path in a message */

/* Tables by ids of values or nodes, as many as there are before the cut. */
struct cutting {
    struct graph *graph;
    const struct cut *cut;
    struct arena *arena;
    uint32_t count;              /* of values */
    const struct value **toward; /* the value that was found before, which it is an operand for */
    bool *seen, *from, *kept;    /* values; values; nodes */
    struct value **found;        /* in the order in which they were found */
    uint32_t nfound;
};

/* --- what is needed --------------------------------------------------------------------------- */

static void find(struct cutting *c, struct value *value, const struct value *toward)
{
    if (c->seen[value->id])
        return;
    c->seen[value->id] = true;
    c->toward[value->id] = toward;
    c->found[c->nfound++] = value;
}

/* An update of a variable that becomes an input sets nothing: its result is the new value. */
static bool sets_input(const struct cutting *c, const struct node *node)
{
    return (node->op->traits & OP_EFFECT) && c->from[node->in[0].value->id];
}

static void find_all(struct cutting *c)
{
    for (int i = 0; i < c->cut->nfrom && !c->cut->inputs; i++)
        c->from[c->cut->from[i].value->id] = true;
    for (int i = 0; i < c->cut->nto; i++)
        find(c, c->cut->to[i].value, NULL);
    for (uint32_t i = 0; i < c->nfound; i++) {
        const struct value *value = c->found[i];
        if (value->kind != VALUE_RESULT || c->from[value->id])
            continue;
        struct node *node = value->producer;
        c->kept[node->id] = true;
        for (uint32_t k = sets_input(c, node) ? 1 : 0; k < node->nin; k++)
            find(c, node->in[k].value, value);
    }
}

/* A variable that the part reads and keeps: this one, or another of its label; NULL: there is none.
 */
static struct value *state_of(const struct cutting *c, struct value *variable)
{
    if (c->seen[variable->id] && !c->from[variable->id])
        return variable;
    for (const struct source *s = c->graph->variables.first; s; s = s->next)
        if (c->seen[s->value->id] && !c->from[s->value->id] &&
            label_compare(s->label, variable->source->label, c->graph->provisional) == 0)
            return s->value;
    return NULL;
}

/* Updates of variables that the part reads, to values that it computes anyway. */
static void keep_updates(struct cutting *c)
{
    for (struct node *n = c->graph->first; n; n = n->next) {
        struct value *state = n->op->traits & OP_EFFECT ? state_of(c, n->in[0].value) : NULL;
        if (!state || !c->seen[n->in[1].value->id])
            continue;
        c->kept[n->id] = true;
        graph_set_operand(&n->in[0], state);
    }
}

/* --- faults ----------------------------------------------------------------------------------- */

/* "'y' also depends on 'mask', by 'add7', 'softmax2'". */
static bool report_way(const struct cutting *c, const struct value *input)
{
    struct diag *diag = c->graph->context->diag;
    const struct value *last = input;
    struct text way = {0};
    int more = 0, shown = 0;

    for (const struct value *v = c->toward[input->id]; v; v = c->toward[v->id]) {
        last = v;
        if (!c->toward[v->id])
            continue;
        if (shown == NAMES_SHOWN)
            more++;
        else
            text_add(&way, "%s'%s'", shown++ ? ", " : ", by ", VALUE_TEXT(v));
    }
    if (more > 0)
        text_add(&way, " and %d more", more);
    diag_file_error(diag, NULL, DIAG_CUT_AROUND, "'%s' also depends on '%s'%s", VALUE_TEXT(last),
                    VALUE_TEXT(input), way.data ? way.data : "");
    text_free(&way);
    return diag_help(diag, "add '%s' to the tensors to begin from, or one on the way.",
                     VALUE_TEXT(input));
}

static bool is_whole(const struct cutting *c)
{
    struct diag *diag = c->graph->context->diag;
    bool ok = true;

    for (int i = 0; i < c->cut->nfrom && !c->cut->inputs; i++) {
        const struct cut_port *from = &c->cut->from[i];
        if (!c->seen[from->value->id])
            ok = diag_file_error(diag, NULL, DIAG_CUT_NAME,
                                 "no result that is asked for depends on '%s'", from->name);
        else if (!shape_known(from->value->shape))
            ok = diag_file_error(diag, NULL, DIAG_CUT_NAME,
                                 "a model cannot begin from '%s', whose shape is not known",
                                 from->name);
    }
    for (uint32_t i = 0; i < c->nfound && !c->cut->inputs; i++)
        if (c->found[i]->kind == VALUE_EXTERNAL && !c->from[c->found[i]->id])
            ok = report_way(c, c->found[i]);
    return ok;
}

/* --- the cut ---------------------------------------------------------------------------------- */

/* The port that the value had before, or else a new one. */
static struct port port_of(const struct cut_port *from, const struct port *ports, int count)
{
    for (int i = 0; i < count; i++)
        if (ports[i].value == from->value)
            return (struct port){from->name, from->value, ports[i].span, ports[i].items};
    return (struct port){.name = from->name, .value = from->value, .span = value_span(from->value)};
}

/* The value of an input: an external takes the place of any other. */
static struct value *begin_from(struct graph *graph, const struct cut_port *from)
{
    struct value *old = from->value;

    if (old->kind == VALUE_EXTERNAL)
        return old;
    struct value *value = graph_add_source(graph, VALUE_EXTERNAL, (enum dtype)old->dtype,
                                           old->shape, value_span(old));
    graph_replace_operands(old, value);
    graph_replace_outputs(graph, old, value);
    old->name = NULL;
    value->name = from->name;
    return value;
}

static void set_outputs(struct cutting *c)
{
    struct graph *graph = c->graph;
    struct port *outputs = arena_array_of(c->arena, struct port, c->cut->nto);

    for (int i = 0; i < c->cut->nto; i++) {
        outputs[i] = port_of(&c->cut->to[i], graph->outputs, graph->noutput);
        if (!outputs[i].value->name)
            outputs[i].value->name = c->cut->to[i].name;
    }
    graph->outputs = outputs;
    graph->noutput = c->cut->nto;
}

/* Called after set_outputs(), because values that become inputs may be outputs, too. */
static void set_inputs(struct cutting *c)
{
    struct graph *graph = c->graph;
    int count = c->cut->inputs ? graph->ninput : c->cut->nfrom, kept = 0;
    struct port *inputs = arena_array_of(c->arena, struct port, count);

    for (int i = 0; i < count; i++)
        if (!c->cut->inputs)
            inputs[kept++] = port_of(&c->cut->from[i], graph->inputs, graph->ninput);
        else if (c->seen[graph->inputs[i].value->id])
            inputs[kept++] = graph->inputs[i];
    for (int i = 0; i < kept && !c->cut->inputs; i++)
        inputs[i].value = begin_from(graph, &c->cut->from[i]);
    graph->inputs = inputs;
    graph->ninput = kept;
}

/* An external of `from` stays; a new external replaces any other value of `from`. */
static bool is_unneeded(const struct value *value, void *data)
{
    const struct cutting *c = data;

    return value->id < c->count &&
           (!c->seen[value->id] || (c->from[value->id] && value->kind != VALUE_EXTERNAL));
}

static void drop_rest(struct cutting *c)
{
    for (struct node *n = c->graph->last, *prev; n; n = prev) {
        prev = n->prev;
        if (!c->kept[n->id])
            graph_erase_node(c->graph, n);
    }
    graph_erase_sources(c->graph, VALUE_EXTERNAL, is_unneeded, c);
    graph_erase_sources(c->graph, VALUE_VARIABLE, is_unneeded, c);
    graph_erase_sources(c->graph, VALUE_CONSTANT, is_unneeded, c);
}

/* A copy of what an input would be set to; provisional NNEF has trailing axes of one item added. */
static bool replace_update(struct graph *graph, struct node *update)
{
    struct value *old = &update->out[0], *set_to = update->in[1].value;
    const struct op_spec spec =
        old->shape == set_to->shape
            ? op_plain(OP_copy)
            : OP_SPEC(reshape, .shape = {old->shape->rank, old->shape->extent}, .axis_count = -1);
    const struct op_origin origin = {update->span, update->site, DTYPE_UNKNOWN};

    graph->before = update;
    struct node *copy = op_append(graph, spec, &set_to, 1, &origin);
    graph->before = NULL;
    if (!copy)
        return false;
    copy->out[0].name = old->name;
    old->name = NULL;
    graph_replace_operands(old, &copy->out[0]);
    graph_replace_outputs(graph, old, &copy->out[0]);
    graph_erase_node(graph, update);
    return true;
}

static bool replace_updates(struct graph *graph)
{
    bool ok = true;

    for (struct node *n = graph->first, *next; n && ok; n = next) {
        next = n->next;
        if ((n->op->traits & OP_EFFECT) && n->in[0].value->kind != VALUE_VARIABLE)
            ok = replace_update(graph, n);
    }
    return ok;
}

bool graph_cut(struct graph *graph, const struct cut *cut)
{
    struct arena *arena = graph->context->arena;
    struct cutting c = {.graph = graph, .cut = cut, .arena = arena, .count = graph->value_count};

    c.toward = arena_array_of(arena, const struct value *, c.count);
    c.seen = arena_array_of(arena, bool, c.count);
    c.from = arena_array_of(arena, bool, c.count);
    c.kept = arena_array_of(arena, bool, graph->node_count);
    c.found = arena_array_of(arena, struct value *, c.count);
    find_all(&c);
    if (!is_whole(&c))
        return false;
    keep_updates(&c);
    graph_note_names(graph);
    set_outputs(&c);
    set_inputs(&c);
    drop_rest(&c);
    return replace_updates(graph);
}
