/* graph.c - making and editing a graph; see graph.h for its invariants */
#include "ir/graph_edit.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Buckets are never rehashed: a network has few different shapes and few different literals. */
enum { SHAPE_BUCKETS = 256, LITERAL_BUCKETS = 64 };

struct shape_entry {
    struct shape_entry *next;
    struct shape shape;
};

struct literal_entry {
    struct literal_entry *next;
    struct value *value;
};

struct graph *graph_new(struct context *context, const char *name)
{
    struct graph *g = arena_new_of(context->arena, struct graph);

    g->context = context;
    g->name = name;
    g->shapes = arena_array_of(context->arena, struct shape_entry *, SHAPE_BUCKETS);
    g->literals = arena_array_of(context->arena, struct literal_entry *, LITERAL_BUCKETS);
    return g;
}

const struct shape *graph_shape(struct graph *graph, const struct shape *shape)
{
    uint64_t hash = hash_mix(0, (uint64_t)shape->rank);

    assert(shape->rank >= RANK_UNKNOWN && shape->rank <= MAX_RANK);
    for (int i = 0; i < shape->rank; i++)
        hash = hash_mix(hash, (uint64_t)shape->extent[i]);
    struct shape_entry **bucket = &graph->shapes[hash % SHAPE_BUCKETS];
    for (struct shape_entry *e = *bucket; e; e = e->next)
        if (shape_equal(&e->shape, shape))
            return &e->shape;
    struct shape_entry *e = arena_new_of(graph->context->arena, struct shape_entry);
    e->shape = *shape;
    e->next = *bucket;
    graph->has_unknown |= !shape_known(shape);
    *bucket = e;
    return &e->shape;
}

static struct source_list *source_list(struct graph *graph, enum value_kind kind)
{
    switch (kind) {
    case VALUE_EXTERNAL:
        return &graph->externals;
    case VALUE_VARIABLE:
        return &graph->variables;
    case VALUE_CONSTANT:
        return &graph->constants;
    case VALUE_RESULT:
        break;
    }
    assert(kind != VALUE_RESULT); /* which a node makes, not a source */
    return NULL;
}

struct value *graph_add_source(struct graph *graph, enum value_kind kind, enum dtype dtype,
                               const struct shape *shape, struct span span)
{
    struct source_list *list = source_list(graph, kind);
    struct value *value = arena_new_of(graph->context->arena, struct value);
    struct source *source = arena_new_of(graph->context->arena, struct source);

    source->span = span;
    source->value = value;
    value->shape = graph_shape(graph, shape);
    value->source = source;
    value->id = graph->value_count++;
    value->kind = kind;
    value->dtype = dtype;
    if (list->last)
        list->last->next = source;
    else
        list->first = source;
    list->last = source;
    list->count++;
    return value;
}

struct tensor *source_room(struct context *context, const struct source *source, enum dtype dtype)
{
    const struct value *value = source->value;
    struct tensor *whole = arena_new_of(context->arena, struct tensor);

    *whole = (struct tensor){.shape = *value->shape, .dtype = dtype};
    if ((int64_t)tensor_bytes(whole) > context_budget(context)) {
        diag_error(context->diag, value_span(value), DIAG_MEMORY_LIMIT,
                   "all items of '%s' of shape %s take more memory than is left", VALUE_TEXT(value),
                   SHAPE_TEXT(value->shape));
        return NULL;
    }
    whole->data = arena_alloc(context->arena, tensor_bytes(whole));
    if (context->may_grow > 0) /* these are no work of the text */
        context->may_grow += (int64_t)tensor_bytes(whole);
    return whole;
}

bool source_fill(struct context *context, struct source *source)
{
    const struct value *value = source->value;
    const struct tensor *from = source->tensor;

    assert(value->kind == VALUE_VARIABLE || value->kind == VALUE_CONSTANT);
    if (!from || tensor_is_whole(from, value->shape))
        return true;
    struct tensor *whole = source_room(context, source, from->dtype);
    if (!whole)
        return false;
    tensor_fill(whole->data, from, shape_volume(&whole->shape));
    source->tensor = whole;
    return true;
}

bool graph_fill(struct graph *graph)
{
    bool ok = true;

    for (struct source *s = graph->variables.first; s && ok; s = s->next)
        ok = source_fill(graph->context, s);
    return ok;
}

static enum dtype literal_dtype(const struct datum *literal)
{
    switch (literal->kind) {
    case DATUM_INTEGER:
        return DTYPE_INTEGER;
    case DATUM_SCALAR:
        return DTYPE_SCALAR;
    case DATUM_LOGICAL:
        return DTYPE_LOGICAL;
    case DATUM_STRING:
        return DTYPE_STRING;
    case DATUM_NONE:
    case DATUM_ARRAY:
    case DATUM_TUPLE:
    case DATUM_TENSOR:
        break;
    }
    return DTYPE_UNKNOWN;
}

struct value *graph_literal(struct graph *graph, const struct datum *literal)
{
    enum dtype dtype = literal_dtype(literal);
    float scalar = (float)literal->scalar;
    unsigned char logical = literal->kind == DATUM_LOGICAL && literal->logical;
    uint64_t bits = 0; /* the item as it lies in memory; shorter ones are followed by zeros */

    if (literal->kind == DATUM_INTEGER)
        memcpy(&bits, &literal->integer, sizeof literal->integer);
    else if (literal->kind == DATUM_SCALAR)
        memcpy(&bits, &scalar, sizeof scalar);
    else
        memcpy(&bits, &logical, sizeof logical);
    struct literal_entry **bucket =
        &graph->literals[hash_mix(hash_mix(0, dtype), bits) % LITERAL_BUCKETS];
    for (struct literal_entry *e = *bucket; e; e = e->next)
        if (e->value->dtype == dtype &&
            memcmp(e->value->source->tensor->data, &bits, sizeof bits) == 0)
            return e->value;
    struct literal_entry *e = arena_new_of(graph->context->arena, struct literal_entry);
    struct tensor *tensor = arena_new_of(graph->context->arena, struct tensor);
    struct shape none = {0};
    tensor->dtype = dtype;
    tensor->data = arena_alloc(graph->context->arena, sizeof bits);
    memcpy(tensor->data, &bits, sizeof bits);
    e->value = graph_add_source(graph, VALUE_CONSTANT, dtype, &none, (struct span){0, 0});
    e->value->source->tensor = tensor;
    e->next = *bucket;
    *bucket = e;
    return e->value;
}

static void link_use(struct use *use, struct value *value)
{
    use->value = value;
    use->next = value->uses;
    use->link = &value->uses;
    if (use->next)
        use->next->link = &use->next;
    value->uses = use;
}

static void unlink_use(struct use *use)
{
    assert(use->link && *use->link == use);
    *use->link = use->next;
    if (use->next)
        use->next->link = use->link;
}

struct node *graph_add_node(struct graph *graph, const struct op_desc *op, struct value *const *in,
                            uint32_t nin, uint32_t nout)
{
    struct arena *arena = graph->context->arena;
    struct node *node = arena_alloc(arena, sizeof *node + nin * sizeof(struct use));

    assert(nout <= VALUE_PORTS);
    node->op = op;
    node->nin = nin;
    node->nout = nout;
    node->id = graph->node_count++;
    node->out = arena_array_of(arena, struct value, nout);
    for (uint32_t i = 0; i < nout; i++) {
        node->out[i].producer = node;
        node->out[i].id = graph->value_count++;
        node->out[i].port = i & 0xffffffu;
    }
    for (uint32_t i = 0; i < nin; i++) {
        node->in[i].node = node;
        link_use(&node->in[i], in[i]);
    }
    node->next = graph->before;
    node->prev = graph->before ? graph->before->prev : graph->last;
    if (node->prev)
        node->prev->next = node;
    else
        graph->first = node;
    if (node->next)
        node->next->prev = node;
    else
        graph->last = node;
    return node;
}

void graph_set_operand(struct use *use, struct value *value)
{
    unlink_use(use);
    link_use(use, value);
}

void graph_replace_operands(struct value *from, struct value *to)
{
    assert(from != to);
    while (from != to && from->uses)
        graph_set_operand(from->uses, to);
}

void graph_replace_outputs(struct graph *graph, const struct value *from, struct value *to)
{
    assert(from != to);
    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value == from)
            graph->outputs[i].value = to;
}

void graph_erase_node(struct graph *graph, struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        assert(!node->out[i].uses);
    for (uint32_t i = 0; i < node->nin; i++)
        unlink_use(&node->in[i]);
    if (node->prev)
        node->prev->next = node->next;
    else
        graph->first = node->next;
    if (node->next)
        node->next->prev = node->prev;
    else
        graph->last = node->prev;
}

void graph_erase_sources(struct graph *graph, enum value_kind kind,
                         bool (*unwanted)(const struct value *value, void *data), void *data)
{
    struct source_list *list = source_list(graph, kind);
    struct source **link = &list->first;

    assert(kind != VALUE_RESULT);
    list->last = NULL;
    while (*link)
        if (!(*link)->value->uses && !value_is_literal((*link)->value) &&
            unwanted((*link)->value, data)) {
            *link = (*link)->next;
            list->count--;
        } else {
            list->last = *link;
            link = &(*link)->next;
        }
}

struct value *const *graph_values(const struct graph *graph)
{
    const struct source_list *const lists[] = {&graph->externals, &graph->variables,
                                               &graph->constants};
    struct value **values =
        arena_array_of(graph->context->arena, struct value *, graph->value_count + 1);
    uint32_t count = 0;

    for (int i = 0; i < 3; i++)
        for (const struct source *s = lists[i]->first; s; s = s->next)
            values[count++] = s->value;
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            values[count++] = &n->out[i];
    assert(count <= graph->value_count);
    return values;
}

void graph_note_names(struct graph *graph)
{
    if (graph->source_names)
        return;
    graph->source_names = arena_array_of(graph->context->arena, const char *, graph->value_count);
    for (struct value *const *v = graph_values(graph); *v; v++)
        if ((*v)->name)
            graph->source_names[graph->nsource_name++] = (*v)->name;
}

struct span value_span(const struct value *value)
{
    return value->kind == VALUE_RESULT ? value->producer->span : value->source->span;
}

const char *value_text(const struct value *value, char text[VALUE_TEXT_SIZE])
{
    struct text literal = {0};

    if (value->name)
        return value->name;
    if (!value_is_literal(value)) {
        snprintf(text, VALUE_TEXT_SIZE, "%%%" PRIu32, value->id);
        return text;
    }
    struct datum datum = value_literal(value);
    datum_print(&datum, &literal);
    snprintf(text, VALUE_TEXT_SIZE, "%s", literal.data ? literal.data : "");
    text_free(&literal);
    return text;
}

bool node_is_known(const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++)
        if (!shape_known(node->in[i].value->shape))
            return false;
    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_known(node->out[i].shape))
            return false;
    return true;
}
