/* edit.c - questions to a graph, and changes that keep it sound */
#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "diag/context.h"
#include "ir/graph_edit.h"
#include "pass/pass_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void *pass_room(struct pass *pass, int64_t count, size_t size)
{
    assert(count >= 0);
    return arena_array(pass->graph->context->arena, (size_t)count, size);
}

void *pass_scratch(struct pass *pass, int64_t count, size_t size)
{
    assert(count >= 0);
    return arena_array(pass->all->scratch, (size_t)count, size);
}

void *pass_list(struct pass *pass, void *items, int64_t count, size_t size)
{
    return arena_list(pass->graph->context->arena, items, count, size);
}

/* --- what stays --------------------------------------------------------------------------- */

/* The entry of a value; there is room for all values of the graph, and as many again. */
static unsigned char *stays_at(struct passes *passes, uint32_t id)
{
    if (id >= passes->known) {
        uint32_t count = 2 * passes->graph->value_count + 64;
        unsigned char *stays = realloc(passes->stays, count);
        if (!stays)
            arena_out_of_memory();
        memset(stays + passes->known, 0, count - passes->known);
        passes->stays = stays;
        passes->known = count;
    }
    assert(id < passes->known);
    return &passes->stays[id];
}

static void note_pinned(struct passes *passes)
{
    const struct pass_options *options = passes->options;
    struct graph *graph = passes->graph;
    const struct arena_mark before = arena_mark(graph->context->arena);

    if (!options->pinned)
        return;
    for (struct value *const *v = graph_values(graph); *v; v++)
        if (options->pinned(options->pin_data, *v))
            *stays_at(passes, (*v)->id) |= STAYS_PINNED;
    arena_rewind(graph->context->arena, before);
}

void passes_begin(struct passes *passes)
{
    struct graph *graph = passes->graph;
    struct map updated = {0};

    passes->scratch = arena_new_beside(graph->context->arena);
    (void)arena_alloc(passes->scratch, 1); /* so that a sweep does not give back its only block */
    passes->unmerged = true;
    graph_note_names(graph);
    passes->labels.context = graph->context;
    for (const struct source *s = graph->variables.first; s; s = s->next)
        labels_reserve(&passes->labels, s->label);
    for (int i = 0; i < graph->noutput; i++)
        *stays_at(passes, graph->outputs[i].value->id) |= STAYS_OUTPUT;
    note_pinned(passes);
    for (const struct node *n = graph->first; n; n = n->next)
        if (n->op->traits & OP_EFFECT)
            map_set(&updated, label_key(graph->context, n->in[0].value->source->label, false), n);
    /* An update changes all variables of its label. */
    for (struct source *s = graph->variables.first; s; s = s->next)
        s->updated = updated.count && map_get(&updated, label_key(graph->context, s->label, false));
    map_free(&updated);
}

void passes_end(struct passes *passes)
{
    labels_free(&passes->labels);
    arena_free(passes->scratch);
    free(passes->unneeded.node);
    free(passes->stays);
}

bool value_stays(const struct pass *pass, const struct value *value)
{
    return value->id < pass->all->known && pass->all->stays[value->id];
}

bool value_is_pinned(const struct pass *pass, const struct value *value)
{
    return value->id < pass->all->known && (pass->all->stays[value->id] & STAYS_PINNED);
}

bool value_is_inner(const struct pass *pass, const struct value *value)
{
    return value->uses && !value->uses->next && !value_stays(pass, value);
}

bool node_is_pinned(const struct pass *pass, const struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (value_is_pinned(pass, &node->out[i]))
            return true;
    return false;
}

/* --- items that are known ------------------------------------------------------------------ */

const struct tensor *source_items(const struct value *value)
{
    const struct source *source = value->source;

    assert(value->kind != VALUE_RESULT);
    if (!shape_known(value->shape) || value->dtype == DTYPE_STRING)
        return NULL;
    /* An update changes its variable from run to run.  If the quantization file describes the
     * integers of a variable of scalars, a constant would lose that description. */
    bool described = source->quant && value->dtype == DTYPE_SCALAR;
    bool fixed = value->kind == VALUE_CONSTANT ||
                 (value->kind == VALUE_VARIABLE && !described && !source->updated);
    return fixed ? source->tensor : NULL;
}

double value_item(const struct value *value, int64_t index)
{
    const struct tensor *tensor = value->source->tensor;

    assert(index >= 0 && value->kind != VALUE_RESULT && tensor);
    return tensor_item(tensor, tensor->shape.rank == 0 ? 0 : index);
}

bool value_is_all(const struct value *value, double number)
{
    const struct tensor *tensor = value_items(value);
    int64_t volume = tensor ? shape_volume(&tensor->shape) : 0;

    for (int64_t i = 0; i < volume; i++) {
        double item = tensor_item(tensor, i);
        if (item < number || item > number || item != item)
            return false;
    }
    return volume > 0;
}

/* --- changes ------------------------------------------------------------------------------ */

bool value_may_replace(const struct value *to, const struct value *from)
{
    return to->dtype == from->dtype && shape_equal(to->shape, from->shape);
}

bool node_is_needed(const struct pass *pass, const struct node *node)
{
    bool needed = node->op->traits & OP_EFFECT;

    for (uint32_t i = 0; i < node->nout; i++)
        needed = needed || node->out[i].uses || value_stays(pass, &node->out[i]);
    return needed;
}

static void push(struct worklist *list, struct node *node)
{
    if (list->count == list->room) {
        list->node = heap_list(list->node, list->count, sizeof(struct node *));
        list->room = list->count == 0 ? 1 : 2 * list->count;
    }
    list->node[list->count++] = node;
}

int pass_sweep(struct pass *pass, struct node *node)
{
    struct worklist *list = &pass->all->unneeded;
    int count = 0;

    assert(list->count == 0);
    if (!node_is_needed(pass, node))
        push(list, node);
    for (; list->count > 0; count++) {
        struct node *erased = list->node[--list->count];
        graph_erase_node(pass->graph, erased);
        /* Its producers may be unneeded now: one is pushed when its last use goes, and once
         * even if it makes several of the operands. */
        for (uint32_t i = 0; i < erased->nin; i++) {
            const struct value *value = erased->in[i].value;
            bool last = value->kind == VALUE_RESULT;
            for (uint32_t k = 0; last && k < i; k++)
                last = erased->in[k].value->kind != VALUE_RESULT ||
                       erased->in[k].value->producer != value->producer;
            if (last && !node_is_needed(pass, value->producer))
                push(list, value->producer);
        }
    }
    return count;
}

bool pass_replace(struct pass *pass, struct value *from, struct value *to)
{
    if (!to || value_is_pinned(pass, from))
        return false;
    assert(from != to && value_may_replace(to, from));
    graph_replace_operands(from, to);
    if (value_stays(pass, from)) {
        graph_replace_outputs(pass->graph, from, to);
        *stays_at(pass->all, from->id) = 0;
        *stays_at(pass->all, to->id) |= STAYS_OUTPUT;
    }
    if (!to->name && !value_is_literal(to)) {
        to->name = from->name;
        from->name = NULL;
    }
    if (from->kind == VALUE_RESULT)
        pass_sweep(pass, from->producer);
    pass->changes++;
    return true;
}

void pass_replace_node(struct pass *pass, struct node *node, struct node *to)
{
    assert(node != to && node->nout == to->nout);
    for (uint32_t i = 0; i < node->nout; i++)
        if (node->out[i].uses || value_stays(pass, &node->out[i]))
            pass_replace(pass, &node->out[i], &to->out[i]);
}

void pass_set_operand(struct pass *pass, struct use *use, struct value *to)
{
    struct value *from = use->value;

    graph_set_operand(use, to);
    if (from->kind == VALUE_RESULT)
        pass_sweep(pass, from->producer);
    pass->changes++;
}

static bool is_unneeded(const struct value *value, void *data)
{
    struct pass *pass = data;
    bool unneeded = !value_stays(pass, value);

    pass->changes += unneeded;
    return unneeded;
}

void pass_drop_unused(struct pass *pass, enum value_kind kind)
{
    graph_erase_sources(pass->graph, kind, is_unneeded, pass);
}

/* --- remarks ------------------------------------------------------------------------------ */

void pass_left(struct pass *pass, const struct node *node, const char *why)
{
    struct pass_report *report = pass->all->report;
    const char *name = VALUE_TEXT(&node->out[0]);

    assert(why && report);
    if (!pass->options->remarks)
        return;
    report->remarks = pass_list(pass, report->remarks, report->nremark, sizeof *report->remarks);
    report->remarks[report->nremark++] =
        (struct pass_remark){.pass = pass->index,
                             .operation = node->op->name,
                             .name = pass_because(pass, "%s", name),
                             .reason = why};
}

const char *pass_because(struct pass *pass, const char *fmt, ...)
{
    va_list args;

    if (!pass->options->remarks)
        return "";
    va_start(args, fmt);
    const char *reason = text_format_v(pass->graph->context->arena, fmt, args);
    va_end(args);
    return reason;
}

const char *pass_unfused(struct pass *pass, const struct node *with, const char *why)
{
    return pass_because(pass, "not fused with '%s' of '%s': %s", with->op->name,
                        VALUE_TEXT(&with->out[0]), why);
}
