/* operations.c - the operations of a graph, one by one and by their kinds */
#include "api/operations.h"
#include "api/api_priv.h"
#include "api/kinds.h"
#include "base/arena.h"
#include "diag/source.h"
#include "ir/graph.h"
#include "ir/site.h"
#include "op/op.h"
#include "op/op_build.h"

#include <string.h>

struct operations {
    const struct node **node;
    int count;
    int *place;        /* in this list, by node id */
    const char **name; /* by value id: of those that have no identifier, once asked for */
    struct nnefc_attribute **attribute; /* of each, once asked for */
    struct kinds kinds;
};

/* --- lists --------------------------------------------------------------------------------- */

static struct operations *list_operations(const struct nnefc_model *model)
{
    struct arena *arena = model->context->arena;
    struct operations *operations = arena_new_of(arena, struct operations);
    const struct graph *graph = model->graph;

    operations->node = arena_array_of(arena, const struct node *, graph->node_count);
    operations->name = arena_array_of(arena, const char *, graph->value_count);
    operations->attribute = arena_array_of(arena, struct nnefc_attribute *, graph->node_count);
    operations->kinds = kinds_begin(arena, graph->node_count);
    operations->place = arena_array_of(arena, int, graph->node_count);
    for (const struct node *n = graph->first; n; n = n->next) {
        operations->place[n->id] = operations->count;
        operations->node[operations->count++] = n;
        kinds_add(&operations->kinds, n->op, n->op->name);
    }
    kinds_end(&operations->kinds);
    return operations;
}

/* NULL until a model is loaded. */
static struct operations *operations_of(struct nnefc_model *model)
{
    if (!model || !model->graph)
        return NULL;
    if (!model->operations)
        model->operations = list_operations(model);
    return model->operations;
}

static const struct node *node_at(struct nnefc_model *model, int index)
{
    const struct operations *operations = operations_of(model);

    return operations && index >= 0 && index < operations->count ? operations->node[index] : NULL;
}

int nnefc_model_operation_count(struct nnefc_model *model)
{
    const struct operations *operations = operations_of(model);

    return operations ? operations->count : 0;
}

int nnefc_model_operator_count(struct nnefc_model *model)
{
    const struct operations *operations = operations_of(model);

    return operations ? operations->kinds.count : 0;
}

struct nnefc_operator nnefc_model_operator(struct nnefc_model *model, int index)
{
    const struct operations *operations = operations_of(model);

    return operations ? kinds_at(&operations->kinds, index) : (struct nnefc_operator){0};
}

/* --- one operation ------------------------------------------------------------------------- */

struct node_place node_place(const struct nnefc_model *model, const struct node *node)
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

static int attribute_count(const struct node *node)
{
    int count = 0;

    for (const struct op_attr *a = node->op->attrs; a && a->name; a++)
        count++;
    return count;
}

struct nnefc_operation nnefc_model_operation(struct nnefc_model *model, int index)
{
    const struct node *node = node_at(model, index);

    if (!node)
        return (struct nnefc_operation){0};
    struct node_place place = node_place(model, node);
    return (struct nnefc_operation){.operation = node->op->name,
                                    .result_count = (int)node->nout,
                                    .operand_count = (int)node->nin,
                                    .attribute_count = attribute_count(node),
                                    .macs = macs_of(node),
                                    .fragment = place.fragment,
                                    .node = place.node,
                                    .file = place.file,
                                    .line = place.line,
                                    .column = place.column};
}

/* --- its results and operands -------------------------------------------------------------- */

static const char *name_of(struct nnefc_model *model, const struct value *value)
{
    const char **name = &model->operations->name[value->id];

    if (value->name)
        return value->name;
    if (!*name) {
        const char *text = VALUE_TEXT(value);
        *name = arena_strndup(model->context->arena, text, strlen(text));
    }
    return *name;
}

static enum nnefc_value_kind kind_of(const struct value *value)
{
    switch ((enum value_kind)value->kind) {
    case VALUE_RESULT:
        return NNEFC_VALUE_RESULT;
    case VALUE_EXTERNAL:
        return NNEFC_VALUE_EXTERNAL;
    case VALUE_VARIABLE:
        return NNEFC_VALUE_VARIABLE;
    case VALUE_CONSTANT:
        return NNEFC_VALUE_CONSTANT;
    }
    return NNEFC_VALUE_RESULT;
}

static struct nnefc_value public_value(struct nnefc_model *model, const struct value *value)
{
    bool made = value->kind == VALUE_RESULT;

    return (struct nnefc_value){.name = name_of(model, value),
                                .type = type_of((enum dtype)value->dtype, value->shape),
                                .kind = kind_of(value),
                                .producer =
                                    made ? model->operations->place[value->producer->id] : -1,
                                .port = made ? (int)value->port : -1};
}

struct nnefc_value nnefc_model_result(struct nnefc_model *model, int operation, int index)
{
    const struct node *node = node_at(model, operation);

    if (!node || index < 0 || index >= (int)node->nout)
        return (struct nnefc_value){0};
    return public_value(model, &node->out[index]);
}

/* The number of the array-valued parameter that operand `index` belongs to; 0: none. */
static int array_of(const struct node *node, int index)
{
    int arrays = 0, end = 0;

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

struct nnefc_value nnefc_model_operand(struct nnefc_model *model, int operation, int index)
{
    const struct node *node = node_at(model, operation);

    if (!node || index < 0 || index >= (int)node->nin)
        return (struct nnefc_value){0};
    struct nnefc_value value = public_value(model, node->in[index].value);
    value.array = array_of(node, index);
    return value;
}

/* --- its attributes ------------------------------------------------------------------------ */

static struct nnefc_attribute *list_attributes(const struct nnefc_model *model,
                                               const struct node *node)
{
    struct arena *arena = model->context->arena;
    int count = attribute_count(node);
    struct nnefc_attribute *list = arena_array_of(arena, struct nnefc_attribute, count + 1);
    struct datum *values = arena_array_of(arena, struct datum, count + 1);

    for (int i = 0; i < count; i++) {
        values[i] = op_attr_datum(model->graph, node, &node->op->attrs[i]);
        list[i].name = node->op->attrs[i].name;
        list[i].value = datum_handle(&values[i]);
    }
    return list;
}

struct nnefc_attribute nnefc_model_attribute(struct nnefc_model *model, int operation, int index)
{
    const struct node *node = node_at(model, operation);

    if (!node || index < 0 || index >= attribute_count(node))
        return (struct nnefc_attribute){0};
    struct nnefc_attribute **list = &model->operations->attribute[operation];
    if (!*list)
        *list = list_attributes(model, node);
    return (*list)[index];
}
