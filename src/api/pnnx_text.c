/* pnnx_text.c - what the text of a model of PNNX says, one by one */
#include "api/api_priv.h"
#include "base/arena.h"
#include "convert/pnnx/document.h"
#include "diag/source.h"

struct pnnx_listing {
    const struct pnnx_document *document;
    const struct pnnx_operator **operator_at;
    const struct pnnx_operand **operand_at;
    struct nnefc_pnnx_use *use; /* of all operands, one after the other */
    int *first_use;             /* of each operand; one more than there are */
    const struct pnnx_param **param;
    int *first_param; /* of each operator; likewise */
    const struct pnnx_attribute **attribute;
    int *first_attribute;
};

/* --- lists --------------------------------------------------------------------------------- */

static void list_operators(struct arena *arena, struct pnnx_listing *list)
{
    const struct pnnx_document *document = list->document;
    int count = document->operators.count, params = 0, attributes = 0;

    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        params += o->params.count;
    list->operator_at = arena_array_of(arena, const struct pnnx_operator *, count + 1);
    list->first_param = arena_array_of(arena, int, count + 1);
    list->first_attribute = arena_array_of(arena, int, count + 1);
    list->param = arena_array_of(arena, const struct pnnx_param *, params + 1);
    list->attribute =
        arena_array_of(arena, const struct pnnx_attribute *, document->nattribute + 1);
    params = 0;
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next) {
        list->operator_at[o->index] = o;
        list->first_param[o->index] = params;
        list->first_attribute[o->index] = attributes;
        for (const struct pnnx_param *p = o->params.first; p; p = p->next)
            list->param[params++] = p;
        for (const struct pnnx_attribute *a = o->attributes.first; a; a = a->next)
            list->attribute[attributes++] = a;
    }
}

/* Inputs are met in the order of the file, and each goes behind those of its operand so far. */
static void list_uses(const struct pnnx_listing *list, int *filled)
{
    for (const struct pnnx_operator *o = list->document->operators.first; o; o = o->next)
        for (int i = 0; i < o->nin; i++) {
            int operand = o->in[i]->index;
            int at = list->first_use[operand] + filled[operand]++;
            list->use[at] = (struct nnefc_pnnx_use){o->index, i};
        }
}

static void list_operands(struct arena *arena, struct pnnx_listing *list)
{
    const struct pnnx_document *document = list->document;
    int count = document->operands.count, uses = 0;

    list->operand_at = arena_array_of(arena, const struct pnnx_operand *, count + 1);
    list->first_use = arena_array_of(arena, int, count + 1);
    for (const struct pnnx_operand *o = document->operands.first; o; o = o->next) {
        list->operand_at[o->index] = o;
        list->first_use[o->index] = uses;
        uses += o->uses;
    }
    list->use = arena_array_of(arena, struct nnefc_pnnx_use, uses + 1);
    list_uses(list, arena_array_of(arena, int, count + 1));
}

/* NULL until the text was read. */
static const struct pnnx_listing *listing(struct nnefc_model *model)
{
    if (!model || !model->pnnx.document)
        return NULL;
    if (!model->pnnx.listing) {
        struct arena *arena = model->context->arena;
        struct pnnx_listing *list = arena_new_of(arena, struct pnnx_listing);
        list->document = model->pnnx.document;
        list_operators(arena, list);
        list_operands(arena, list);
        model->pnnx.listing = list;
    }
    return model->pnnx.listing;
}

static const struct pnnx_operator *operator_at(struct nnefc_model *model, int index)
{
    const struct pnnx_listing *list = listing(model);
    bool is_there = list && index >= 0 && index < list->document->operators.count;

    return is_there ? list->operator_at[index] : NULL;
}

static const struct pnnx_operand *operand_at(struct nnefc_model *model, int index)
{
    const struct pnnx_listing *list = listing(model);
    bool is_there = list && index >= 0 && index < list->document->operands.count;

    return is_there ? list->operand_at[index] : NULL;
}

static const struct nnefc_pnnx_shape *shape_handle(const struct pnnx_shape *shape)
{
    return (const struct nnefc_pnnx_shape *)shape;
}

static const struct pnnx_shape *handle_shape(const struct nnefc_pnnx_shape *handle)
{
    return (const struct pnnx_shape *)handle;
}

static const struct nnefc_pnnx_value *value_handle(const struct pnnx_value *value)
{
    return (const struct nnefc_pnnx_value *)value;
}

static const struct pnnx_value *handle_value(const struct nnefc_pnnx_value *handle)
{
    return (const struct pnnx_value *)handle;
}

/* --- operators ----------------------------------------------------------------------------- */

int nnefc_pnnx_operator_count(struct nnefc_model *model)
{
    const struct pnnx_listing *list = listing(model);

    return list ? list->document->operators.count : 0;
}

struct nnefc_pnnx_operator nnefc_pnnx_operator(struct nnefc_model *model, int index)
{
    const struct pnnx_operator *op = operator_at(model, index);
    struct location where = {0};

    if (!op)
        return (struct nnefc_pnnx_operator){0};
    sources_locate(model->context->sources, op->span.begin, &where);
    return (struct nnefc_pnnx_operator){.type = op->type,
                                        .name = op->name,
                                        .input_count = op->nin,
                                        .output_count = op->nout,
                                        .parameter_count = op->params.count,
                                        .attribute_count = op->attributes.count,
                                        .line = where.line};
}

struct nnefc_pnnx_port nnefc_pnnx_input(struct nnefc_model *model, int index, int i)
{
    const struct pnnx_operator *op = operator_at(model, index);

    if (!op || i < 0 || i >= op->nin)
        return (struct nnefc_pnnx_port){-1, NULL};
    return (struct nnefc_pnnx_port){op->in[i]->index, op->key[i]};
}

struct nnefc_pnnx_port nnefc_pnnx_output(struct nnefc_model *model, int index, int i)
{
    const struct pnnx_operator *op = operator_at(model, index);
    bool is_there = op && i >= 0 && i < op->nout;

    return (struct nnefc_pnnx_port){is_there ? op->out[i]->index : -1, NULL};
}

struct nnefc_pnnx_parameter nnefc_pnnx_parameter(struct nnefc_model *model, int index, int i)
{
    const struct pnnx_operator *op = operator_at(model, index);

    if (!op || i < 0 || i >= op->params.count)
        return (struct nnefc_pnnx_parameter){0};
    const struct pnnx_listing *list = model->pnnx.listing;
    const struct pnnx_param *param = list->param[list->first_param[index] + i];
    return (struct nnefc_pnnx_parameter){param->key, value_handle(param->value)};
}

struct nnefc_pnnx_attribute nnefc_pnnx_attribute(struct nnefc_model *model, int index, int i)
{
    const struct pnnx_operator *op = operator_at(model, index);

    if (!op || i < 0 || i >= op->attributes.count)
        return (struct nnefc_pnnx_attribute){0};
    const struct pnnx_listing *list = model->pnnx.listing;
    const struct pnnx_attribute *attribute = list->attribute[list->first_attribute[index] + i];
    return (struct nnefc_pnnx_attribute){attribute->name, shape_handle(attribute->shape)};
}

/* --- operands ------------------------------------------------------------------------------ */

int nnefc_pnnx_operand_count(struct nnefc_model *model)
{
    const struct pnnx_listing *list = listing(model);

    return list ? list->document->operands.count : 0;
}

struct nnefc_pnnx_operand nnefc_pnnx_operand(struct nnefc_model *model, int index)
{
    const struct pnnx_operand *operand = operand_at(model, index);

    if (!operand)
        return (struct nnefc_pnnx_operand){0};
    return (struct nnefc_pnnx_operand){operand->name, operand->producer->index, operand->port,
                                       operand->uses, shape_handle(operand->shape)};
}

struct nnefc_pnnx_use nnefc_pnnx_use(struct nnefc_model *model, int index, int i)
{
    const struct pnnx_operand *operand = operand_at(model, index);

    if (!operand || i < 0 || i >= operand->uses)
        return (struct nnefc_pnnx_use){0};
    const struct pnnx_listing *list = model->pnnx.listing;
    return list->use[list->first_use[index] + i];
}

const char *nnefc_pnnx_shape_type(const struct nnefc_pnnx_shape *shape)
{
    bool known = shape && handle_shape(shape)->type != PNNX_NULL;

    return known ? pnnx_type_name(handle_shape(shape)->type) : NULL;
}

int nnefc_pnnx_shape_rank(const struct nnefc_pnnx_shape *shape)
{
    return shape ? handle_shape(shape)->rank : NNEFC_UNKNOWN;
}

struct nnefc_pnnx_extent nnefc_pnnx_shape_extent(const struct nnefc_pnnx_shape *shape, int i)
{
    if (i < 0 || i >= nnefc_pnnx_shape_rank(shape))
        return (struct nnefc_pnnx_extent){0};
    const struct pnnx_dim *dim = &handle_shape(shape)->dim[i];
    return (struct nnefc_pnnx_extent){dim->extent == PNNX_ANY ? NNEFC_UNKNOWN : dim->extent,
                                      dim->symbol};
}

/* --- values of parameters ------------------------------------------------------------------ */

enum nnefc_pnnx_kind nnefc_pnnx_value_kind(const struct nnefc_pnnx_value *value)
{
    if (!value)
        return NNEFC_PNNX_NONE;
    switch (handle_value(value)->kind) {
    case PNNX_NONE:
        return NNEFC_PNNX_NONE;
    case PNNX_LOGICAL:
        return NNEFC_PNNX_LOGICAL;
    case PNNX_INTEGER:
        return NNEFC_PNNX_INTEGER;
    case PNNX_REAL:
        return NNEFC_PNNX_REAL;
    case PNNX_COMPLEX:
        return NNEFC_PNNX_COMPLEX;
    case PNNX_TEXT:
        return NNEFC_PNNX_TEXT;
    case PNNX_LIST:
        return NNEFC_PNNX_LIST;
    }
    return NNEFC_PNNX_NONE;
}

const char *nnefc_pnnx_value_text(const struct nnefc_pnnx_value *value)
{
    return value ? handle_value(value)->text : NULL;
}

int64_t nnefc_pnnx_value_integer(const struct nnefc_pnnx_value *value)
{
    return value ? handle_value(value)->integer : 0;
}

double nnefc_pnnx_value_real(const struct nnefc_pnnx_value *value)
{
    return value ? handle_value(value)->real : 0;
}

double nnefc_pnnx_value_imaginary(const struct nnefc_pnnx_value *value)
{
    return value ? handle_value(value)->imaginary : 0;
}

const struct nnefc_pnnx_value *nnefc_pnnx_value_first(const struct nnefc_pnnx_value *list)
{
    return list ? value_handle(handle_value(list)->first) : NULL;
}

/* Lists are no items. */
const struct nnefc_pnnx_value *nnefc_pnnx_value_next(const struct nnefc_pnnx_value *item)
{
    bool is_item = item && handle_value(item)->kind != PNNX_LIST;

    return is_item ? value_handle(handle_value(item)->next) : NULL;
}
