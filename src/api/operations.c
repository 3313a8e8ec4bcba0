/*
 * operations.c - the operations of a graph, one by one and by their kinds (inspect.h), and what
 *                they compute, in the order of execution
 */
#include "api/api_priv.h"
#include "base/map.h"
#include "diag/source.h"
#include "ir/graph.h"
#include "ir/site.h"
#include "op/op.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* --- one operation ------------------------------------------------------------------------- */

/* Where a node comes from, as struct nnefc_operation has it. */
struct node_place {
    const char *fragment; /* the innermost that it was expanded of; NULL: none */
    const char *node;     /* of a foreign file, the name of the node that it was made of */
    const char *file;     /* NULL: no text */
    int line, column;     /* from 1 */
};

/* The place in the document, behind all fragments that the node was expanded of. */
static struct node_place node_place(const struct nnefc_model *model, const struct node *node)
{
    const struct place place = {model->context->diag, node->site, node->span};
    struct span shown;
    const struct call_site *site = place_in_text(&place, &shown);
    struct node_place result = {0};
    struct location where;

    if (site && site->file)
        result.node = site->fragment;
    else if (site)
        result.fragment = site->fragment;
    if (!shown.begin || !sources_locate(model->context->sources, shown.begin, &where))
        return result;
    result.file = where.file;
    result.line = where.line;
    result.column = where.column;
    return result;
}

/* --- results and operands ------------------------------------------------------------------ */

/* Kinds of values have the same numbers on both sides of the interface. */
static_assert((int)VALUE_RESULT == (int)NNEFC_VALUE_RESULT, "kinds are cast");
static_assert((int)VALUE_EXTERNAL == (int)NNEFC_VALUE_EXTERNAL, "kinds are cast");
static_assert((int)VALUE_VARIABLE == (int)NNEFC_VALUE_VARIABLE, "kinds are cast");
static_assert((int)VALUE_CONSTANT == (int)NNEFC_VALUE_CONSTANT, "kinds are cast");

/* What a list of operations needs to know of the operations before. */
struct operation_index {
    int *place;            /* in the list, by node id */
    const char **name;     /* made for values without an identifier, by value id; NULL: not yet */
    struct map expansions; /* records by struct call_site */
};

/* Where a fragment is invoked, if a text of the model does so. */
static void place_invocation(const struct nnefc_model *model, const struct call_site *site,
                             struct nnefc_expansion *record)
{
    struct location where;

    if ((site->caller && site->caller->standard) || !site->invocation.begin ||
        !sources_locate(model->context->sources, site->invocation.begin, &where))
        return;
    record->file = where.file;
    record->line = where.line;
    record->column = where.column;
}

/* The records of a site and of those around it, up to one that was made before.  A node of a file
 * is no fragment. */
static const struct nnefc_expansion *expansion_of(const struct nnefc_model *model,
                                                  struct operation_index *index,
                                                  struct arena *arena, const struct call_site *site)
{
    const struct nnefc_expansion *first = NULL, **link = &first;

    for (; site && !site->file; site = site->caller) {
        struct nnefc_expansion *record = map_get(&index->expansions, site);
        *link = record;
        if (record)
            break;
        record = arena_new_of(arena, struct nnefc_expansion);
        record->fragment = site->fragment;
        record->standard = site->standard;
        place_invocation(model, site, record);
        map_set(&index->expansions, site, record);
        *link = record;
        link = &record->caller;
    }
    return first;
}

/* The name of a value is made once, for results and all operands that refer to it. */
static void add_value(struct list *list, const struct operation_index *index,
                      const struct value *value, int array)
{
    bool made = value->kind == VALUE_RESULT;
    const char **name = &index->name[value->id];

    if (!value->name && !*name) {
        const char *text = VALUE_TEXT(value);
        *name = arena_strndup(list->arena, text, strlen(text));
    }
    LIST_ADD(list, (struct nnefc_value){
                       .name = value->name ? value->name : *name,
                       .type = type_of((enum dtype)value->dtype, value->shape),
                       .kind = (enum nnefc_value_kind)value->kind,
                       .producer = made ? index->place[value->producer->id] : -1,
                       .port = made ? (int)value->port : -1,
                       .array = array,
                       .id = (int)value->id,
                       .label = value->kind == VALUE_VARIABLE ? value->source->label : NULL});
}

/* The number of the array-valued parameter that operand `index` belongs to, from 1; 0: none.  A
 * group is the count of items of an array, or negative for a single tensor. */
static int array_of(const struct node *node, int index)
{
    int arrays = 0, end = 0;

    assert(index >= 0 && index < (int)node->nin);
    if (!node->group)
        return node->op->traits & OP_VARIADIC ? 1 : 0;
    for (const int *group = node->group; end <= index; group++) {
        arrays += *group >= 0;
        end += *group < 0 ? 1 : *group;
        if (end > index)
            return *group < 0 ? 0 : arrays;
    }
    return 0;
}

/* --- lists --------------------------------------------------------------------------------- */

/* Nodes stand in an order in which they can run, so that producers are listed before their
 * users. */
void list_operations(const struct nnefc_model *model, struct list *list)
{
    const struct graph *graph = model->graph;
    struct arena *arena = list->arena;

    if (!graph)
        return;
    struct operation_index index = {arena_array_of(arena, int, graph->node_count),
                                    arena_array_of(arena, const char *, graph->value_count),
                                    {0}};
    for (const struct node *n = graph->first; n; n = n->next) {
        const struct node_place place = node_place(model, n);
        struct list *results = list_new(arena), *operands = list_new(arena);
        struct list *attributes = list_new(arena);
        assert(n->id < graph->node_count);
        index.place[n->id] = list->count; /* the nodes of its operands stand before it */
        for (uint32_t i = 0; i < n->nout; i++)
            add_value(results, &index, &n->out[i], 0);
        for (uint32_t i = 0; i < n->nin; i++)
            add_value(operands, &index, n->in[i].value, array_of(n, (int)i));
        for (const struct op_attr *a = n->op->attrs; a && a->name; a++) {
            struct datum *value = arena_new_of(arena, struct datum);
            *value = op_attr_datum(graph, n, a);
            LIST_ADD(attributes, (struct nnefc_attribute){a->name, datum_handle(value)});
        }
        LIST_ADD(list, (struct nnefc_operation){.operation = n->op->name,
                                                .results = (const void *)results,
                                                .operands = (const void *)operands,
                                                .attributes = (const void *)attributes,
                                                .macs = macs_of(n),
                                                .fragment = place.fragment,
                                                .node = place.node,
                                                .file = place.file,
                                                .line = place.line,
                                                .column = place.column,
                                                .expansion =
                                                    expansion_of(model, &index, arena, n->site)});
    }
    map_free(&index.expansions);
}

/* Counted by descriptor, of which each operation has one. */
void list_operators(const struct nnefc_model *model, struct list *list)
{
    struct tally tally = {.list = list};

    for (const struct node *n = model->graph ? model->graph->first : NULL; n; n = n->next)
        tally_add(&tally, n->op, n->op->name);
    tally_end(&tally);
}

/* In the same order as computed_at() counts them. */
void list_computed(const struct nnefc_model *model, struct list *list)
{
    for (const struct node *n = model->graph ? model->graph->first : NULL; n; n = n->next) {
        const struct node_place place = node_place(model, n);
        for (uint32_t i = 0; i < n->nout; i++)
            LIST_ADD(list, (struct nnefc_computed){
                               .name = n->out[i].name,
                               .type = type_of((enum dtype)n->out[i].dtype, n->out[i].shape),
                               .operation = n->op->name,
                               .fragment = place.node ? place.node : place.fragment,
                               .file = place.file,
                               .line = place.line,
                               .column = place.column});
    }
}
