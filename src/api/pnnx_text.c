/*
 * pnnx_text.c - what the text of a model of PNNX says, as lists (pnnx.h)
 *
 * Operators and operands go by their numbers, in the order of the file.
 */
#include "api/api_priv.h"
#include "convert/pnnx/document.h"
#include "diag/source.h"

#include <assert.h>

/* --- shapes and values --------------------------------------------------------------------- */

/* Kinds of values have the same numbers on both sides of the interface. */
static_assert((int)PNNX_NONE == (int)NNEFC_PNNX_NONE, "kinds are cast");
static_assert((int)PNNX_LOGICAL == (int)NNEFC_PNNX_LOGICAL, "kinds are cast");
static_assert((int)PNNX_INTEGER == (int)NNEFC_PNNX_INTEGER, "kinds are cast");
static_assert((int)PNNX_REAL == (int)NNEFC_PNNX_REAL, "kinds are cast");
static_assert((int)PNNX_COMPLEX == (int)NNEFC_PNNX_COMPLEX, "kinds are cast");
static_assert((int)PNNX_TEXT == (int)NNEFC_PNNX_TEXT, "kinds are cast");
static_assert((int)PNNX_LIST == (int)NNEFC_PNNX_LIST, "kinds are cast");

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

/* A value without its items, which the caller adds to a list. */
static struct nnefc_pnnx_value plain_value(const struct pnnx_value *value)
{
    return (struct nnefc_pnnx_value){.kind = (enum nnefc_pnnx_kind)value->kind,
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
static const struct nnefc_pnnx_port_list *port_list(struct arena *arena,
                                                    struct pnnx_operand *const *operands,
                                                    const char *const *keys, int count)
{
    struct list *list = list_new(arena);

    for (int i = 0; i < count; i++)
        LIST_ADD(list, (struct nnefc_pnnx_port){operands[i]->index, keys ? keys[i] : NULL});
    return (const void *)list;
}

/* Lines are those of the text, from 1. */
void list_pnnx_operators(const struct nnefc_model *model, struct list *list)
{
    const struct pnnx_document *document = model->pnnx.document;
    struct arena *arena = list->arena;
    struct location where = {0};

    for (const struct pnnx_operator *o = document ? document->operators.first : NULL; o;
         o = o->next) {
        struct list *params = list_new(arena), *attributes = list_new(arena);
        for (const struct pnnx_pair *p = o->pairs.of[PNNX_PARAM].first; p; p = p->next)
            LIST_ADD(params, (struct nnefc_pnnx_parameter){p->name, public_value(arena, p->value)});
        for (const struct pnnx_pair *a = o->pairs.of[PNNX_ATTRIBUTE].first; a; a = a->next)
            LIST_ADD(attributes,
                     (struct nnefc_pnnx_attribute){a->name, public_shape(arena, a->shape)});
        sources_locate(model->context->sources, o->span.begin, &where);
        LIST_ADD(list,
                 (struct nnefc_pnnx_operator){.type = o->type,
                                              .name = o->name,
                                              .inputs = port_list(arena, o->in, o->key, o->nin),
                                              .outputs = port_list(arena, o->out, NULL, o->nout),
                                              .parameters = (const void *)params,
                                              .attributes = (const void *)attributes,
                                              .line = where.line});
    }
}

/* --- operands ------------------------------------------------------------------------------ */

/* Uses tell which operators read an operand, and as which input. */
void list_pnnx_operands(const struct nnefc_model *model, struct list *list)
{
    const struct pnnx_document *document = model->pnnx.document;

    if (!document)
        return;
    struct list **uses = arena_array_of(list->arena, struct list *, document->operands.count);
    for (int i = 0; i < document->operands.count; i++)
        uses[i] = list_new(list->arena);
    /* Inputs come in the order of the file, and so do the uses of each operand. */
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        for (int i = 0; i < o->nin; i++)
            LIST_ADD(uses[o->in[i]->index], (struct nnefc_pnnx_use){o->index, i});
    for (const struct pnnx_operand *o = document->operands.first; o; o = o->next)
        LIST_ADD(list, (struct nnefc_pnnx_operand){.name = o->name,
                                                   .producer = o->producer->index,
                                                   .port = o->port,
                                                   .uses = (const void *)uses[o->index],
                                                   .shape = public_shape(list->arena, o->shape)});
}
