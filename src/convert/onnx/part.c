/*
 * part.c - parts of an ONNX graph: what they read and make, and where they end
 *
 * A graph is made for extents that are known.  Where a node has to know what is computed, a part
 * ends: the next one begins with that node, once what it has to know is there.
 */
#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_make.h"
#include "convert/onnx/import_priv.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"

#include <assert.h>
#include <string.h>

enum { KNOWN_MAX = 64 /* items of a result that is known; others are computed */ };

static const char *intern_name(const struct context *context, const char *name)
{
    return intern_string(context->names, name);
}

/* --- cuts ----------------------------------------------------------------------------------- */

/* The part ends before the node of its own graph, within which a node fails.  If it is the first of
 * the part, ending there does not help, unless a graph within it can be computed by itself. */
bool import_cut(struct translation *t, bool within, const char *why)
{
    struct onnx_part *part = t->import ? t->import->options->part : NULL;
    struct import *import = t->import;

    if (!part || import->cut || part->single)
        return part && import->cut;
    within |= import->depth > 0;
    part->end = import->at;
    part->within = within && part->end == part->first;
    part->place = t->site->fragment;
    part->why = why;
    import->cut = t->failed = true;
    return true;
}

/* --- functions ------------------------------------------------------------------------------ */

static struct onnx_value_info_list infos_of(const struct context *context,
                                            const struct onnx_texts *names)
{
    struct onnx_value_info_list list = {0};

    for (int i = 0; i < names->count; i++)
        list = onnx_value_info_append(
            list, onnx_value_info_new(context->arena, intern_name(context, names->item[i]),
                                      ONNX_UNDEFINED, NULL, -1));
    return list;
}

struct onnx_graph *onnx_function_graph(const struct context *context,
                                       const struct onnx_function *function)
{
    struct onnx_graph *graph = onnx_graph_new(context->arena, function->name);

    graph->of = function;
    graph->node = function->node;
    graph->input = infos_of(context, &function->input);
    graph->output = infos_of(context, &function->output);
    return graph;
}

/* The key of a graph in tables: the function whose body it is, or itself. */
static const void *owner(const struct onnx_graph *graph)
{
    return graph->of ? (const void *)graph->of : graph;
}

static const struct node_order *order_of(const struct onnx_order *order,
                                         const struct onnx_graph *graph)
{
    return map_get(&order->orders, owner(graph));
}

struct body import_part_body(const struct import *import, const struct onnx_graph *graph)
{
    const struct onnx_call *caller = import->options->part->caller;

    return (struct body){.order = map_get(&import->orders, owner(graph)),
                         .opsets = caller ? caller->function->opset_import.first
                                          : import->model->opset_import.first,
                         .caller = caller,
                         .where = caller ? text_format(import->builder.context->arena,
                                                       "function '%s', ", caller->function->name)
                                         : ""};
}

const struct onnx_function *onnx_order_function(const struct onnx_order *order,
                                                const struct onnx_graph *graph, int index)
{
    return order_of(order, graph)->nodes[index].function;
}

/* --- names ---------------------------------------------------------------------------------- */

/* A tensor that nodes of a graph read, in them or in graphs within. */
struct read_name {
    const char *name;
    int maker; /* the node of the graph that makes it; NOT_MADE: it is of others, or an input */
    int last;  /* the last node that reads it; NODES_MAX: it is an output of the graph */
};

enum { NOT_MADE = -1, NODES_MAX = INT32_MAX };

/* All of a graph but its initializers, in the order in which they are read first. */
struct reads {
    struct read_name **item;
    int count;
};

/* Names that graphs around a node have themselves, which it does not read of others. */
struct around {
    const struct around *outer; /* NULL: none */
    struct map own;
};

struct reading {
    struct context *context;
    const struct onnx_order *order;
    const struct resolved_node *nodes; /* of the graph */
    struct map own;                    /* the node that makes a name; &no_node: none does */
    struct map found;                  /* struct read_name, by name */
    struct reads reads;
    int at; /* the node whose names are read */
};

static const struct resolved_node no_node;

static void read_name(struct reading *r, const struct around *around, const char *name)
{
    const char *key = intern_name(r->context, name);
    const struct resolved_node *maker = map_get(&r->own, key);
    struct read_name *found = map_get(&r->found, key);

    for (; around; around = around->outer)
        if (map_get(&around->own, key))
            return;
    if (!*name || maker == &no_node)
        return;
    if (!found) {
        struct arena *arena = r->context->arena;
        found = arena_new_of(arena, struct read_name);
        *found = (struct read_name){key, maker ? (int)(maker - r->nodes) : NOT_MADE, 0};
        map_set(&r->found, key, found);
        r->reads.item =
            arena_list(arena, (void *)r->reads.item, r->reads.count, sizeof *r->reads.item);
        r->reads.item[r->reads.count++] = found;
    }
    found->last = r->at;
}

static void own_constants(const struct context *context, struct map *own,
                          const struct onnx_graph *graph)
{
    for (const struct onnx_tensor *i = graph->initializer.first; i; i = i->next)
        map_set(own, intern_name(context, i->name), &no_node);
    for (const struct onnx_sparse_tensor *i = graph->sparse_initializer.first; i; i = i->next)
        if (i->values)
            map_set(own, intern_name(context, i->values->name), &no_node);
}

static void own_results(const struct context *context, struct map *own,
                        const struct node_order *order)
{
    for (int i = 0; i < order->count; i++)
        for (int k = 0; k < order->nodes[i].node->output.count; k++)
            map_set(own, intern_name(context, order->nodes[i].node->output.item[k]),
                    &order->nodes[i]);
}

static void read_inner(struct reading *r, const struct onnx_graph *graph,
                       const struct around *outer);

/* A graph that is handed to a function sees the names of the function. */
static void read_node(struct reading *r, const struct resolved_node *resolved,
                      const struct around *around)
{
    const struct onnx_node *node = resolved->node;

    for (int k = 0; k < node->input.count; k++)
        read_name(r, around, node->input.item[k]);
    for (const struct onnx_attribute *a = node->attribute.first; a; a = a->next)
        if (a->g && !resolved->function)
            read_inner(r, a->g, around);
}

/* A graph in an attribute. */
static void read_inner(struct reading *r, const struct onnx_graph *graph,
                       const struct around *outer)
{
    const struct node_order *order = order_of(r->order, graph);
    struct around around = {.outer = outer};

    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        map_set(&around.own, intern_name(r->context, i->name), graph);
    own_constants(r->context, &around.own, graph);
    own_results(r->context, &around.own, order);
    for (int i = 0; i < order->count; i++)
        read_node(r, &order->nodes[i], &around);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next)
        read_name(r, &around, o->name);
    map_free(&around.own);
}

/* What nodes of the graph read from `first` up to `end`, and outputs of the graph with the last. */
static struct reads *find_reads(struct context *context, const struct onnx_order *order,
                                const struct onnx_graph *graph, int first, int end)
{
    const struct node_order *nodes = order_of(order, graph);
    struct reading r = {.context = context, .order = order, .nodes = nodes->nodes};
    struct reads *reads = arena_new_of(context->arena, struct reads);

    own_constants(context, &r.own, graph);
    own_results(context, &r.own, nodes);
    for (r.at = first; r.at < end; r.at++)
        read_node(&r, &nodes->nodes[r.at], NULL);
    r.at = NODES_MAX;
    for (const struct onnx_value_info *o = end == nodes->count ? graph->output.first : NULL; o;
         o = o->next)
        read_name(&r, NULL, o->name);
    map_free(&r.own);
    map_free(&r.found);
    *reads = r.reads;
    return reads;
}

void import_find_reads(struct context *context, struct onnx_order *order,
                       const struct onnx_graph *graph)
{
    const struct node_order *nodes = order_of(order, graph);

    map_set(&order->reads, owner(graph), find_reads(context, order, graph, 0, nodes->count));
    for (int i = 0; i < nodes->count; i++)
        for (const struct onnx_attribute *a = nodes->nodes[i].node->attribute.first; a; a = a->next)
            if (a->g)
                import_find_reads(context, order, a->g);
}

bool import_check_reads(struct import *import, const struct onnx_order *order)
{
    const struct onnx_graph *graph = import->model->graph;
    const struct reads *reads = map_get(&order->reads, owner(graph));
    const struct node_order *nodes = order_of(order, graph);
    bool ok = true;

    for (int i = 0; i < reads->count; i++) {
        const struct read_name *read = reads->item[i];
        const struct onnx_value_info *input = graph->input.first;
        while (input && strcmp(input->name, read->name) != 0)
            input = input->next;
        if (read->maker != NOT_MADE || input)
            continue;
        if (read->last == NODES_MAX)
            ok = import_fault(import, DIAG_ONNX_GRAPH, "output '%s' is not made by any node",
                              read->name);
        else
            ok = import_fault(import, DIAG_ONNX_GRAPH,
                              "%s: reads '%s', which is neither an input nor made by a node before",
                              node_place(import, "", &nodes->nodes[read->last]), read->name);
    }
    return ok;
}

const char **onnx_part_reads(struct context *context, const struct onnx_order *order,
                             const struct onnx_part *part)
{
    const struct reads *reads =
        part->single ? find_reads(context, order, part->graph, part->first, part->first + 1)
                     : map_get(&order->reads, owner(part->graph));
    const char **names = arena_array_of(context->arena, const char *, reads->count + 1);
    int count = 0;

    for (int i = 0; i < reads->count; i++)
        if (reads->item[i]->maker < part->first && reads->item[i]->last >= part->first)
            names[count++] = reads->item[i]->name;
    return names;
}

const struct onnx_node *onnx_order_node(const struct onnx_order *order,
                                        const struct onnx_graph *graph, int index)
{
    const struct node_order *nodes = order_of(order, graph);

    return index < nodes->count ? nodes->nodes[index].node : NULL;
}

bool onnx_order_reads(const struct onnx_order *order, const struct onnx_graph *graph,
                      const char *input)
{
    const struct reads *reads = map_get(&order->reads, owner(graph));

    for (int i = 0; i < reads->count; i++)
        if (reads->item[i]->name == input)
            return true;
    return false;
}

void onnx_order_title(const struct onnx_order *order, const struct onnx_graph *graph, int index,
                      struct text *title)
{
    const struct node_order *nodes = order_of(order, graph);

    node_title(title, &nodes->nodes[index]);
}

static void intern_texts(const struct context *context, struct onnx_texts *texts)
{
    for (int i = 0; i < texts->count; i++)
        texts->item[i] = intern_name(context, texts->item[i]);
}

static void intern_infos(const struct context *context, struct onnx_value_info *info)
{
    for (; info; info = info->next)
        info->name = intern_name(context, info->name);
}

static void intern_graph(const struct context *context, struct onnx_graph *graph);

static void intern_nodes(const struct context *context, struct onnx_node *node)
{
    for (; node; node = node->next) {
        intern_texts(context, &node->input);
        intern_texts(context, &node->output);
        for (struct onnx_attribute *a = node->attribute.first; a; a = a->next) {
            a->name = intern_name(context, a->name);
            if (a->g)
                intern_graph(context, a->g);
        }
    }
}

static void intern_graph(const struct context *context, struct onnx_graph *graph)
{
    intern_infos(context, graph->input.first);
    intern_infos(context, graph->output.first);
    intern_infos(context, graph->value_info.first);
    for (struct onnx_tensor *i = graph->initializer.first; i; i = i->next)
        i->name = intern_name(context, i->name);
    for (struct onnx_sparse_tensor *i = graph->sparse_initializer.first; i; i = i->next)
        if (i->values)
            i->values->name = intern_name(context, i->values->name);
    intern_nodes(context, graph->node.first);
}

void onnx_intern_names(const struct context *context, struct onnx_model *model)
{
    intern_graph(context, model->graph);
    for (struct onnx_function *f = model->functions.first; f; f = f->next) {
        intern_texts(context, &f->input);
        intern_texts(context, &f->output);
        intern_infos(context, f->value_info.first);
        intern_nodes(context, f->node.first);
        for (struct onnx_attribute *a = f->attribute_proto.first; a; a = a->next)
            if (a->g)
                intern_graph(context, a->g);
    }
}

/* --- what a part reads ------------------------------------------------------------------------ */

/* A parameter of the graph, or a constant. */
static struct imported *slot_tensor(struct import *import, const struct onnx_slot *slot, int at)
{
    struct import_builder *builder = &import->builder;
    struct graph *graph = builder->graph;
    struct onnx_part *part = import->options->part;

    if (slot->known)
        return imported_known(builder, slot->name, slot->type, slot->known);
    struct value *value = graph_add_source(graph, VALUE_EXTERNAL, dtype_of(slot->type),
                                           &slot->shape, (struct span){0});
    value->name = at < 0 ? builder_claim(builder, slot->name, false) : NULL;
    graph->inputs =
        arena_list(builder->context->arena, graph->inputs, graph->ninput, sizeof *graph->inputs);
    part->inputs =
        arena_list(builder->context->arena, part->inputs, graph->ninput, sizeof *part->inputs);
    part->inputs[graph->ninput] = (struct onnx_place){slot->name, at, slot->type};
    graph->inputs[graph->ninput++] =
        (struct port){slot->name, value, {0}, onnx_type_items(slot->type)};
    struct imported *imported = imported_of_value(builder, slot->name, slot->type, value);
    imported->input = true;
    return imported;
}

static void bind_slot(struct import *import, struct scope *scope, const struct onnx_slot *slot)
{
    struct arena *arena = import->builder.scratch;

    if (!slot->list) {
        import_bind(scope, slot->name, slot_tensor(import, slot, -1));
        return;
    }
    struct imported *sequence = arena_new_of(arena, struct imported);
    struct imported_list *list = arena_new_of(arena, struct imported_list);
    *sequence = (struct imported){.list = list, .name = slot->name};
    *list = (struct imported_list){arena_array_of(arena, struct imported *, slot->count + 1),
                                   slot->count, slot->type};
    for (int i = 0; i < slot->count; i++)
        list->item[i] = slot_tensor(import, &slot->list[i], i);
    import_bind(scope, slot->name, sequence);
}

/* Numbers that are drawn once are the same for all who read them. */
static bool draws(const struct import_row *row)
{
    return row->import == import_random || row->import == import_random_like ||
           row->import == import_bernoulli || row->import == import_multinomial ||
           row->import == import_dropout;
}

/* Are all operands of the node constants of the model?  Graphs within may read anything. */
static bool is_constant(const struct scope *scope, const struct resolved_node *node)
{
    if (!node->row || draws(node->row))
        return false;
    for (const struct onnx_attribute *a = node->node->attribute.first; a; a = a->next)
        if (a->g)
            return false;
    for (int i = 0; i < node->node->input.count; i++) {
        const char *name = node->node->input.item[i];
        const struct imported *imported = *name ? import_find(scope, name) : NULL;
        if (*name && (!imported || !imported->known || imported->input))
            return false;
    }
    return node->node->input.count > 0 || strcmp(node->node->op_type, "Constant") == 0;
}

/* Constants that nodes before `end` make of initializers. */
static bool bind_constants(struct import *import, struct scope *scope,
                           const struct onnx_graph *graph, int end)
{
    const struct body body = import_part_body(import, graph);
    bool ok = import_initializers(import, scope, graph);

    for (int i = 0; i < end && i < body.order->count && ok; i++)
        if (is_constant(scope, &body.order->nodes[i]))
            ok = import_node_at(import, scope, &body, i);
    return ok;
}

/* Names of all tensors of the graph itself, which no other gets. */
static void reserve(struct import *import, const struct onnx_part *part)
{
    const struct node_order *order = map_get(&import->orders, owner(part->graph));

    for (int i = 0; i < part->nslot; i++)
        builder_reserve(&import->builder, part->slots[i].name);
    for (int i = part->first; i < order->count; i++)
        for (int k = 0; k < order->nodes[i].node->output.count; k++)
            builder_reserve(&import->builder, order->nodes[i].node->output.item[k]);
}

/* Constants of the graphs around, the outermost first, for what is within hides their names; and
 * those of the graph itself that nodes before `end` make. */
static bool bind_all_constants(struct import *import, struct scope *scope, int end)
{
    const struct onnx_part *part = import->options->part;
    bool ok = true;
    int depth = 0;

    while (part->around && part->around[depth])
        depth++;
    while (depth-- > 0 && ok)
        ok = bind_constants(import, scope, part->around[depth], INT32_MAX);
    return ok && bind_constants(import, scope, part->graph, end);
}

bool import_part_inputs(struct import *import, struct scope *scope)
{
    struct onnx_part *part = import->options->part;

    import->builder.reshaped = true; /* extents of slots are those of the inputs */
    reserve(import, part);
    bool ok = bind_all_constants(import, scope, part->first);
    for (int i = 0; i < part->nslot && ok; i++)
        bind_slot(import, scope, &part->slots[i]);
    return ok;
}

/* --- what it makes ---------------------------------------------------------------------------- */

/* A tensor that other parts read: known, or a result of the graph.  False after a report. */
static bool show_tensor(struct import *import, struct onnx_part *part, struct imported *imported,
                        struct onnx_place place)
{
    struct arena *arena = import->builder.context->arena;
    struct graph *graph = import->builder.graph;

    place.type = imported->type;
    if (imported->known && shape_volume(&imported->shape) <= KNOWN_MAX) {
        part->known = arena_list(arena, part->known, part->nknown, sizeof *part->known);
        part->known[part->nknown++] = (struct known_result){place, imported->known};
        return true;
    }
    struct translation t = import_place(import, text_format(arena, "output '%s'", place.name));
    struct value *value = imported_shown(&t, imported, place.name);
    graph->outputs = arena_list(arena, graph->outputs, graph->noutput, sizeof *graph->outputs);
    part->results = arena_list(arena, part->results, graph->noutput, sizeof *part->results);
    part->results[graph->noutput] = place;
    graph->outputs[graph->noutput++] =
        (struct port){place.name, value, {0}, onnx_type_items(imported->type)};
    return value;
}

/* What other parts read; false after a report. */
static bool show(struct import *import, const struct scope *scope, struct onnx_part *part,
                 const char *name)
{
    struct imported *imported = import_find(scope, name);
    bool ok = true;

    if (!imported)
        return import_fault(import, DIAG_ONNX_GRAPH, "output '%s' is not made by any node", name);
    if (imported == &import->faulty)
        return false;
    if (!imported->list)
        return show_tensor(import, part, imported, (struct onnx_place){name, -1, ONNX_UNDEFINED});
    const struct imported_list *list = imported->list;
    part->lists =
        arena_list(import->builder.context->arena, part->lists, part->nlist, sizeof *part->lists);
    part->lists[part->nlist++] =
        (struct onnx_slot){.name = name, .type = list->type, .count = list->count};
    for (int i = 0; i < list->count && ok; i++)
        ok = show_tensor(import, part, list->item[i], (struct onnx_place){name, i, ONNX_UNDEFINED});
    return ok;
}

static bool is_shown(const struct import *import, const char *name)
{
    const struct onnx_part *part = import->options->part;
    const struct graph *graph = import->builder.graph;

    for (int i = 0; i < graph->noutput; i++)
        if (strcmp(graph->outputs[i].name, name) == 0)
            return true;
    for (int i = 0; i < part->nknown; i++)
        if (strcmp(part->known[i].place.name, name) == 0)
            return true;
    for (int i = 0; i < part->nlist; i++)
        if (strcmp(part->lists[i].name, name) == 0)
            return true;
    return false;
}

/* The names that others read of what the part makes, or can tell: those that nodes behind it read,
 * outputs of the graph, and constants that a node reads which is done trip by trip. */
static bool is_wanted(const struct import *import, const struct map *made,
                      const struct scope *constants, const char *name)
{
    const struct onnx_part *part = import->options->part;
    const struct node_order *order = map_get(&import->orders, owner(part->graph));
    bool constant = import_find(constants, name) != NULL, last = part->end == order->count;

    if (map_get(made, name))
        return !constant || last;
    if (!constant || !(last || part->within))
        return false;
    for (const struct onnx_value_info *o = part->graph->output.first; last && o; o = o->next)
        if (strcmp(o->name, name) == 0)
            return true;
    const struct onnx_node *node = last ? NULL : order->nodes[part->end].node;
    for (int i = 0; node && i < node->input.count; i++)
        if (strcmp(node->input.item[i], name) == 0)
            return true;
    return false;
}

/* Everything that nodes read which the part does not have comes from slots. */
bool import_part_outputs(struct import *import, const struct scope *scope, const struct body *body)
{
    struct onnx_part *part = import->options->part;
    const struct onnx_graph *graph = part->graph;
    const struct onnx_order *order = import->options->order;
    struct onnx_part rest = {.graph = graph, .first = part->end};
    struct scope constants = {.outer = NULL};
    struct map made = {0};
    bool ok = bind_all_constants(import, &constants, part->end);
    const struct onnx_node *next = onnx_order_node(order, graph, part->end);

    for (int i = part->first; i < part->end; i++)
        for (int k = 0; k < body->order->nodes[i].node->output.count; k++)
            map_set(&made,
                    builder_key(&import->builder, body->order->nodes[i].node->output.item[k]),
                    body);
    const char **reads = onnx_part_reads(import->builder.context, order, &rest);
    for (int i = 0; reads[i] && ok; i++)
        if (is_wanted(import, &made, &constants, reads[i]))
            ok = show(import, scope, part, reads[i]);
    /* Constants of the graph itself are none that it reads of others. */
    for (int i = 0; next && part->within && i < next->input.count && ok; i++) {
        const char *name = builder_key(&import->builder, next->input.item[i]);
        if (*name && !map_get(&made, name) && is_wanted(import, &made, &constants, name))
            ok = show(import, scope, part, name);
    }
    for (int i = 0; i < import->options->nkept && ok; i++) {
        const char *name = builder_key(&import->builder, import->options->kept[i]);
        if (map_get(&made, name) && !is_shown(import, name))
            ok = show(import, scope, part, name);
    }
    map_free(&made);
    map_free(&constants.entries);
    map_free(&constants.declared);
    return ok;
}
