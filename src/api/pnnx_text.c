/* pnnx_text.c - what the text of a model of PNNX says, as lists */
#include "api/api_priv.h"
#include "base/arena.h"
#include "convert/pnnx/document.h"
#include "diag/source.h"

/* --- shapes and values --------------------------------------------------------------------- */

/* NULL of no shape. */
static const struct nnefc_pnnx_shape *public_shape(struct arena *arena,
                                                   const struct pnnx_shape *shape)
{
    if (!shape)
        return NULL;
    struct nnefc_pnnx_shape *result = arena_new_of(arena, struct nnefc_pnnx_shape);
    struct list *extents = list_new(arena);

    for (int i = 0; i < shape->rank; i++) {
        const struct pnnx_dim *dim = &shape->dim[i];
        int64_t extent = dim->extent == PNNX_ANY ? NNEFC_UNKNOWN : dim->extent;
        LIST_ADD(extents, (struct nnefc_pnnx_extent){extent, dim->symbol});
    }
    result->type = shape->type == PNNX_NULL ? NULL : pnnx_type_name(shape->type);
    result->extents = (const void *)extents;
    return result;
}

static enum nnefc_pnnx_kind public_kind(enum pnnx_kind kind)
{
    switch (kind) {
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

static struct nnefc_pnnx_value plain_value(const struct pnnx_value *value)
{
    return (struct nnefc_pnnx_value){.kind = public_kind(value->kind),
                                     .text = value->text,
                                     .integer = value->integer,
                                     .real = value->real,
                                     .imaginary = value->imaginary,
                                     .items = list_nothing()};
}

/* Items of a list are no lists themselves. */
static const struct nnefc_pnnx_value *public_value(struct arena *arena,
                                                   const struct pnnx_value *value)
{
    struct nnefc_pnnx_value *result = arena_new_of(arena, struct nnefc_pnnx_value);
    struct list *items = list_new(arena);

    *result = plain_value(value);
    for (const struct pnnx_value *v = value->first; v; v = v->next) {
        const struct nnefc_pnnx_value item = plain_value(v);
        list_append(items, &item, sizeof item);
    }
    result->items = (const void *)items;
    return result;
}

/* --- operators ----------------------------------------------------------------------------- */

/* Inputs, which may be called something, or outputs (keys are NULL). */
static const struct nnefc_pnnx_port_list *list_ports(struct arena *arena,
                                                     struct pnnx_operand *const *operands,
                                                     const char *const *keys, int count)
{
    struct list *list = list_new(arena);

    for (int i = 0; i < count; i++)
        LIST_ADD(list, (struct nnefc_pnnx_port){operands[i]->index, keys ? keys[i] : NULL});
    return (const void *)list;
}

static const struct nnefc_pnnx_parameter_list *list_parameters(struct arena *arena,
                                                               const struct pnnx_operator *from)
{
    struct list *list = list_new(arena);

    for (const struct pnnx_param *p = from->params.first; p; p = p->next)
        LIST_ADD(list, (struct nnefc_pnnx_parameter){p->key, public_value(arena, p->value)});
    return (const void *)list;
}

static const struct nnefc_pnnx_attribute_list *list_attributes(struct arena *arena,
                                                               const struct pnnx_operator *from)
{
    struct list *list = list_new(arena);

    for (const struct pnnx_attribute *a = from->attributes.first; a; a = a->next)
        LIST_ADD(list, (struct nnefc_pnnx_attribute){a->name, public_shape(arena, a->shape)});
    return (const void *)list;
}

static void list_operators(const struct nnefc_model *model, struct list *list)
{
    const struct pnnx_document *document = model->pnnx.document;
    struct location where = {0};

    for (const struct pnnx_operator *o = document ? document->operators.first : NULL; o;
         o = o->next) {
        sources_locate(model->context->sources, o->span.begin, &where);
        LIST_ADD(list, (struct nnefc_pnnx_operator){
                           .type = o->type,
                           .name = o->name,
                           .inputs = list_ports(list->arena, o->in, o->key, o->nin),
                           .outputs = list_ports(list->arena, o->out, NULL, o->nout),
                           .parameters = list_parameters(list->arena, o),
                           .attributes = list_attributes(list->arena, o),
                           .line = where.line});
    }
}

const struct nnefc_pnnx_operator_list *nnefc_pnnx_operators(const struct nnefc_model *model)
{
    return model_list(model, LIST_PNNX_OPERATORS, list_operators);
}

/* --- operands ------------------------------------------------------------------------------ */

/* Each input is met in the order of the file, and goes behind the uses of its operand so far. */
static void add_uses(const struct pnnx_document *document, struct list *const *uses)
{
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (int i = 0; i < o->nin; i++)
            LIST_ADD(uses[o->in[i]->index], (struct nnefc_pnnx_use){o->index, i});
}

static void list_operands(const struct nnefc_model *model, struct list *list)
{
    const struct pnnx_document *document = model->pnnx.document;

    if (!document)
        return;
    struct list **uses = arena_array_of(list->arena, struct list *, document->operands.count);
    for (int i = 0; i < document->operands.count; i++)
        uses[i] = list_new(list->arena);
    add_uses(document, uses);
    for (const struct pnnx_operand *o = document->operands.first; o; o = o->next)
        LIST_ADD(list, (struct nnefc_pnnx_operand){.name = o->name,
                                                   .producer = o->producer->index,
                                                   .port = o->port,
                                                   .uses = (const void *)uses[o->index],
                                                   .shape = public_shape(list->arena, o->shape)});
}

const struct nnefc_pnnx_operand_list *nnefc_pnnx_operands(const struct nnefc_model *model)
{
    return model_list(model, LIST_PNNX_OPERANDS, list_operands);
}
