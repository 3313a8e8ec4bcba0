/*
 * declared.c - what the file of a model declares, as lists: extensions of NNEF, operator sets of
 *              ONNX, and the inputs, outputs and operators of ONNX and PNNX
 *
 * Types are texts in the words of the format, for people: they may name extents that are not known.
 */
#include "api/api_priv.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "convert/pnnx/document.h"
#include "convert/proto/onnx.h"
#include "convert/proto/onnx_data.h"
#include "parser/ast.h"

#include <inttypes.h>
#include <string.h>

static const char *key_of(const struct nnefc_model *model, const char *name)
{
    return intern(model->context->names, name, strlen(name));
}

/* --- ONNX --------------------------------------------------------------------------------- */

/* "float[1,3,?,height]"; "[...]" if not even the rank is known */
static void add_onnx_port(struct list *list, const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = info->type ? info->type->tensor_type : NULL;
    const struct onnx_shape *shape = type ? type->shape : NULL;
    struct text text = {0};

    text_add(&text, "%s[%s", type ? onnx_type_name(type->elem_type) : "?", shape ? "" : "...");
    for (const struct onnx_dim *d = shape ? shape->dim.first : NULL; d; d = d->next) {
        text_add(&text, "%s", d == shape->dim.first ? "" : ",");
        if (d->has & ONNX_DIM_VALUE)
            text_add(&text, "%" PRId64, d->dim_value);
        else
            text_add(&text, "%s", *d->dim_param ? d->dim_param : "?");
    }
    text_add(&text, "]");
    LIST_ADD(list, (struct nnefc_declared){info->name, text_keep(&text, list->arena)});
}

/* --- PNNX ------------------------------------------------------------------------------------- */

/* "f32[1,3,?,%height]" */
static void add_pnnx_port(struct list *list, const char *name, const struct pnnx_operand *operand)
{
    const struct pnnx_shape *shape = operand->shape;
    struct text text = {0};

    text_add(&text, "%s[", shape ? pnnx_type_name(shape->type) : "?");
    for (int i = 0; shape && i < shape->rank; i++) {
        const struct pnnx_dim *dim = &shape->dim[i];
        text_add(&text, "%s", i ? "," : "");
        if (dim->extent == PNNX_ANY)
            text_add(&text, "%s%s", dim->symbol ? "%" : "?", dim->symbol ? dim->symbol : "");
        else
            text_add(&text, "%" PRId64, dim->extent);
    }
    text_add(&text, "]");
    LIST_ADD(list, (struct nnefc_declared){name, text_keep(&text, list->arena)});
}

/* --- lists for clients ---------------------------------------------------------------------- */

/* Of NNEF, whether they are known or not. */
void list_extensions(const struct nnefc_model *model, struct list *list)
{
    const struct extension *e = model->document ? model->document->extensions.first : NULL;

    for (; e; e = e->next)
        LIST_ADD(list, (struct nnefc_extension){e->name});
}

/* Of ONNX; the empty domain is that of the standard. */
void list_opsets(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_opset *o = model->onnx.file ? model->onnx.file->opset_import.first : NULL;

    for (; o; o = o->next)
        LIST_ADD(list, (struct nnefc_opset){*o->domain ? o->domain : "ai.onnx", o->version});
}

/* Inputs or outputs.  Before version 4 of ONNX each initializer is an input, too, which nobody has
 * to feed.  Operators stand for those of PNNX, and the operands of these have their types. */
void list_declared(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_graph *graph = model->onnx.file ? model->onnx.file->graph : NULL;
    const struct pnnx_document *document = graph ? NULL : model->pnnx.document;
    const struct onnx_value_info *i = NULL;
    bool inputs = list->kind == LIST_DECLARED_INPUTS;
    struct map stored = {0}; /* initializers, by name */

    if (graph)
        i = inputs ? graph->input.first : graph->output.first;
    for (const struct onnx_tensor *t = i && inputs ? graph->initializer.first : NULL; t;
         t = t->next)
        map_set(&stored, key_of(model, t->name), t);
    for (const struct onnx_sparse_tensor *t = i && inputs ? graph->sparse_initializer.first : NULL;
         t; t = t->next)
        if (t->values)
            map_set(&stored, key_of(model, t->values->name), t);
    for (; i; i = i->next)
        if (!inputs || !map_get(&stored, key_of(model, i->name)))
            add_onnx_port(list, i);
    map_free(&stored);
    for (const struct pnnx_operator *o = document ? document->operators.first : NULL; o;
         o = o->next) {
        if (strcmp(o->type, inputs ? "pnnx.Input" : "pnnx.Output") != 0)
            continue;
        for (int k = 0; k < o->nout; k++)
            add_pnnx_port(list, o->name, o->out[k]);
        for (int k = 0; k < o->nin; k++)
            add_pnnx_port(list, o->name, o->in[k]);
    }
}

/* By the name in the standard set of ONNX, "Conv", else with its domain: "com.microsoft.Gelu". */
void list_node_types(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_node *n = model->onnx.file ? model->onnx.file->graph->node.first : NULL;
    const struct pnnx_operator *o =
        model->pnnx.document ? model->pnnx.document->operators.first : NULL;
    struct tally tally = {.list = list};

    for (; n; n = n->next) {
        struct text text = {0};
        bool standard = !*n->domain || strcmp(n->domain, "ai.onnx") == 0;
        text_add(&text, "%s%s%s", standard ? "" : n->domain, standard ? "" : ".", n->op_type);
        const char *type = key_of(model, text.data);
        text_free(&text);
        tally_add(&tally, type, type);
    }
    for (; o; o = o->next)
        tally_add(&tally, o->type, o->type);
    tally_end(&tally);
}
