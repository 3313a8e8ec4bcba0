/*
 * order.c - the nodes of an ONNX model are looked up and sorted before any is imported
 *
 * A node is imported behind the makers of what it reads.  Most files have that order, which is kept
 * then; some writers leave it to the reader.  A graph in an attribute sees the names around it, so
 * that its node reads what is read anywhere within.
 */
#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_priv.h"
#include "diag/context.h"

#include <assert.h>
#include <string.h>

/* Interned. */
struct name_list {
    const char **item;
    int count;
};

/* A function of the model that a node calls. */
struct called {
    const struct onnx_function *function;
    const char *where; /* in front of the places of its nodes */
    struct called *next;
};

struct order_walk {
    struct import *import;
    struct map functions; /* of the model, by operator_key() */
    struct called *called, **last;
};

/* The nodes of one graph or function. */
struct order_listing {
    struct order_walk *walk;
    struct node_order *order;
    const char *where;
    struct map given;  /* names of inputs and initializers */
    struct map makers; /* the node that makes each other name */
    struct map inner;  /* what graphs in attributes of a node read (struct name_list) */
};

static struct arena *arena_of(const struct order_walk *walk)
{
    return walk->import->builder.context->arena;
}

const char *operator_key(const struct import *import, const char *domain, const char *type,
                         const char *overload)
{
    struct text key = {0};

    text_add_bytes(&key, domain, is_standard_domain(domain) ? 0 : strlen(domain));
    text_add_bytes(&key, "", 1); /* which no name has */
    text_add_bytes(&key, type, strlen(type) + 1);
    text_add_bytes(&key, overload, strlen(overload));
    return intern_text(import->builder.context->names, &key);
}

/* --- what a node reads ------------------------------------------------------------------------ */

static void add_name(const struct order_walk *walk, struct name_list *list, const char *name)
{
    list->item = arena_list(arena_of(walk), list->item, list->count, sizeof *list->item);
    list->item[list->count++] = name;
}

/* Name number `index` of those that a node reads; "": it is left out; NULL: there are no more. */
static const char *name_read(const struct order_listing *l, const struct onnx_node *node, int index)
{
    const struct name_list *inner = map_get(&l->inner, node);

    if (index < node->input.count)
        return builder_key(&l->walk->import->builder, node->input.item[index]);
    index -= node->input.count;
    return inner && index < inner->count ? inner->item[index] : NULL;
}

/* A name goes to the list unless the graph has it. */
static void take_free(const struct order_listing *l, const char *name, struct map *seen,
                      struct name_list *list)
{
    if (!*name || map_get(&l->given, name) || map_get(&l->makers, name) || map_get(seen, name))
        return;
    map_set(seen, name, l);
    add_name(l->walk, list, name);
}

/* What a graph reads of those around it, each name once. */
static void add_free(const struct order_listing *l, const struct onnx_graph *graph,
                     struct name_list *list)
{
    const struct import_builder *builder = &l->walk->import->builder;
    struct map seen = {0};
    const char *name;

    for (int i = 0; i < l->order->count; i++)
        for (int k = 0; (name = name_read(l, l->order->nodes[i].node, k)); k++)
            take_free(l, name, &seen, list);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next)
        take_free(l, builder_key(builder, o->name), &seen, list);
    map_free(&seen);
}

/* --- sorting ---------------------------------------------------------------------------------- */

/* Depth first, so that a cycle is a part of the path. */
struct sorting {
    const struct order_listing *l;
    struct resolved_node *sorted;
    int count;
    int *path; /* numbers of nodes; each reads what the next one makes */
    int depth;
    int *read; /* how many names of a node were looked at; 0: it is not on the path so far */
};

enum { SORTED = -1 }; /* in `read` */

/* The nodes from `first` on read one another. */
static bool report_cycle(const struct sorting *s, int first)
{
    enum { SHOWN = 8 };
    const struct order_listing *l = s->l;
    const struct import *import = l->walk->import;
    const struct resolved_node *nodes = l->order->nodes;
    int length = s->depth - first;
    struct text text = {0};

    for (int i = first; i < s->depth && i < first + SHOWN; i++) {
        const struct resolved_node *from = &nodes[s->path[i]];
        text_add(&text, "%s'%s' of ", i > first ? ", which reads " : "",
                 name_read(l, from->node, s->read[from->index] - 1));
        node_title(&text, &nodes[s->path[i + 1 < s->depth ? i + 1 : first]]);
    }
    const struct resolved_node *node = &nodes[s->path[first]];
    const char *place = node_place(import, l->where, node);
    if (length == 1)
        import_fault(import, DIAG_ONNX_GRAPH, "%s: reads '%s', which it makes itself: a cycle",
                     place, name_read(l, node->node, s->read[node->index] - 1));
    else
        import_fault(import, DIAG_ONNX_GRAPH, "%s: is in a cycle of %d nodes: it reads %s%s", place,
                     length, text.data, length > SHOWN ? ", and so on" : "");
    text_free(&text);
    return false;
}

static void enter_node(struct sorting *s, int index)
{
    s->path[s->depth++] = index;
}

/* Sort in a node behind all that it needs; false after a report. */
static bool sort_in(struct sorting *s, int index)
{
    const struct order_listing *l = s->l;

    enter_node(s, index);
    while (s->depth > 0) {
        const struct resolved_node *node = &l->order->nodes[s->path[s->depth - 1]];
        const char *name = name_read(l, node->node, s->read[node->index]++);
        const struct resolved_node *maker = name ? map_get(&l->makers, name) : NULL;
        if (!name) {
            s->sorted[s->count++] = *node;
            s->read[node->index] = SORTED;
            s->depth--;
        } else if (maker && s->read[maker->index] > 0) {
            int first = s->depth - 1;
            while (s->path[first] != maker->index)
                first--;
            return report_cycle(s, first);
        } else if (maker && s->read[maker->index] == 0) {
            enter_node(s, maker->index);
        }
    }
    return true;
}

/* Does each node follow the makers of what it reads? */
static bool is_sorted(const struct order_listing *l)
{
    const struct resolved_node *nodes = l->order->nodes;
    const char *name;

    for (int i = 0; i < l->order->count; i++)
        for (int k = 0; (name = name_read(l, nodes[i].node, k)); k++) {
            const struct resolved_node *maker = map_get(&l->makers, name);
            if (maker && maker->index >= i)
                return false;
        }
    return true;
}

/* False after a report. */
static bool sort_nodes(const struct order_listing *l)
{
    struct arena *arena = arena_of(l->walk);
    int count = l->order->count;
    struct sorting s = {.l = l};
    bool ok = true;

    if (is_sorted(l))
        return true;
    s.sorted = arena_array_of(arena, struct resolved_node, count);
    s.path = arena_array_of(arena, int, count);
    s.read = arena_array_of(arena, int, count);
    for (int i = 0; ok && i < count; i++)
        ok = s.read[i] == SORTED || sort_in(&s, i);
    assert(!ok || s.count == count);
    l->order->nodes = s.sorted;
    return ok;
}

/* --- the walk --------------------------------------------------------------------------------- */

static bool walk_graph(struct order_walk *walk, const struct onnx_graph *graph, const char *where,
                       struct name_list *reads);

/*
 * What is in attributes of a node.  A graph that is handed to a function of the model sees the
 * names of the function instead of those around the call.
 */
static bool walk_attributes(struct order_listing *l, const struct resolved_node *node)
{
    struct import *import = l->walk->import;
    struct name_list *reads = NULL;
    bool ok = true;

    for (const struct onnx_attribute *a = node->node->attribute.first; a; a = a->next) {
        if (!a->g)
            continue;
        const char *place = node_place(import, l->where, node);
        reads = reads ? reads : arena_new_of(arena_of(l->walk), struct name_list);
        ok &= walk_graph(l->walk, a->g, places_within(import, place), reads);
    }
    if (reads && !node->function)
        map_set(&l->inner, node->node, reads);
    return ok;
}

/* The body of a function is walked once, after the graph, so that no calls nest here. */
static void note_call(struct order_listing *l, const struct resolved_node *node)
{
    struct order_walk *walk = l->walk;
    struct import *import = walk->import;

    if (map_get(&import->orders, node->function))
        return;
    struct called *called = arena_new_of(arena_of(walk), struct called);
    const char *place = node_place(import, l->where, node);
    *called = (struct called){node->function, places_within(import, place), NULL};
    map_set(&import->orders, node->function, arena_new_of(arena_of(walk), struct node_order));
    *walk->last = called;
    walk->last = &called->next;
}

static void note_other(const struct order_walk *walk, const char *name)
{
    name = builder_key(&walk->import->builder, name);
    map_set(&walk->import->others, name, name);
}

/* All that a node reads but its weights. */
static void note_others(const struct order_listing *l, const struct resolved_node *node)
{
    const int weights = node->row ? node->row->weights - 1 : -1;

    for (int i = 0; i < node->node->input.count; i++)
        if (i != weights)
            note_other(l->walk, node->node->input.item[i]);
}

/* Each name is made once, whether or not the nodes are in one part.  False after a report. */
static bool note_results(struct order_listing *l, struct resolved_node *node)
{
    const struct import *import = l->walk->import;
    bool ok = true;

    for (int i = 0; i < node->node->output.count; i++) {
        const char *name = builder_key(&import->builder, node->node->output.item[i]);
        if (!*name)
            continue;
        if (map_get(&l->given, name) || map_get(&l->makers, name))
            ok = import_fault(import, DIAG_ONNX_GRAPH, "%s: makes '%s', which is there already",
                              node_place(import, l->where, node), name);
        else
            map_set(&l->makers, name, node);
    }
    return ok;
}

/*
 * Look up and list the nodes from `first` on.  The functions of the model go before operators of
 * the same name.  False after a report.
 */
static bool list_nodes(struct order_listing *l, const struct onnx_node *first)
{
    struct order_walk *walk = l->walk;
    struct import_builder *builder = &walk->import->builder;
    struct node_order *order = l->order;
    bool ok = true;

    for (const struct onnx_node *n = first; n; n = n->next)
        order->count++;
    order->nodes = arena_array_of(arena_of(walk), struct resolved_node, order->count);
    int index = 0;
    for (const struct onnx_node *n = first; n; n = n->next, index++) {
        struct resolved_node *node = &order->nodes[index];
        *node = (struct resolved_node){.node = n, .index = index};
        if (walk->functions.count > 0)
            node->function = map_get(
                &walk->functions, operator_key(walk->import, n->domain, n->op_type, n->overload));
        if (!node->function)
            node->row = import_find_operator(builder, n);
        note_others(l, node);
        ok &= note_results(l, node);
        if (is_missing(node))
            missing_note(walk->import, l->where, node);
        if (node->function)
            note_call(l, node);
        ok &= walk_attributes(l, node);
    }
    return ok;
}

static bool end_listing(struct order_listing *l, bool ok)
{
    ok = ok && sort_nodes(l);
    map_free(&l->given);
    map_free(&l->makers);
    map_free(&l->inner);
    return ok;
}

/* `reads` receives the names that the graph does not have; it may be NULL.  False after a report.
 */
static bool walk_graph(struct order_walk *walk, const struct onnx_graph *graph, const char *where,
                       struct name_list *reads)
{
    const struct import_builder *builder = &walk->import->builder;
    struct node_order *order = arena_new_of(arena_of(walk), struct node_order);
    struct order_listing l = {.walk = walk, .order = order, .where = where};

    map_set(&walk->import->orders, graph, order);
    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        map_set(&l.given, builder_key(builder, i->name), graph);
    for (const struct onnx_tensor *i = graph->initializer.first; i; i = i->next)
        map_set(&l.given, builder_key(builder, i->name), graph);
    for (const struct onnx_sparse_tensor *i = graph->sparse_initializer.first; i; i = i->next)
        if (i->values)
            map_set(&l.given, builder_key(builder, i->values->name), graph);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next)
        note_other(walk, o->name);
    bool ok = list_nodes(&l, graph->node.first);
    if (reads)
        add_free(&l, graph, reads);
    return end_listing(&l, ok);
}

static bool walk_function(struct order_walk *walk, const struct called *called)
{
    const struct onnx_function *function = called->function;
    struct node_order *order = map_get(&walk->import->orders, function);
    struct order_listing l = {.walk = walk, .order = order, .where = called->where};

    for (int i = 0; i < function->input.count; i++)
        map_set(&l.given, builder_key(&walk->import->builder, function->input.item[i]), function);
    bool ok = list_nodes(&l, function->node.first);
    for (const struct onnx_attribute *a = function->attribute_proto.first; a; a = a->next)
        if (a->g)
            ok &= walk_graph(walk, a->g, called->where, NULL);
    return end_listing(&l, ok);
}

bool import_order(struct import *import)
{
    struct order_walk walk = {.import = import};

    walk.last = &walk.called;
    for (const struct onnx_function *f = import->model->functions.first; f; f = f->next) {
        const char *key = operator_key(import, f->domain, f->name, f->overload);
        if (!map_get(&walk.functions, key))
            map_set(&walk.functions, key, f);
    }
    bool ok = walk_graph(&walk, import->model->graph, "", NULL);
    for (const struct called *c = walk.called; c; c = c->next)
        ok &= walk_function(&walk, c);
    map_free(&walk.functions);
    return ok;
}
