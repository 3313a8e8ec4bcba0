/* declared.c - what the file of a model says at its beginning, as lists: extensions, sets of
 * operators, and of ONNX inputs and outputs */
#include "api/api_priv.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "convert/pnnx/document.h"
#include "convert/proto/onnx.h"
#include "convert/proto/onnx_data.h"
#include "parser/ast.h"

#include <inttypes.h>
#include <string.h>

/* --- types of inputs and outputs ------------------------------------------------------------ */

static void add_shape(struct text *text, const struct onnx_shape *shape)
{
    text_add(text, "[%s", shape ? "" : "...");
    for (const struct onnx_dim *d = shape ? shape->dim.first : NULL; d; d = d->next) {
        text_add(text, "%s", d == shape->dim.first ? "" : ",");
        if (d->has & ONNX_DIM_VALUE)
            text_add(text, "%" PRId64, d->dim_value);
        else
            text_add(text, "%s", *d->dim_param ? d->dim_param : "?");
    }
    text_add(text, "]");
}

static void add_declared(struct list *list, const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = info->type ? info->type->tensor_type : NULL;
    struct text text = {0};

    text_add(&text, "%s", type ? onnx_type_name(type->elem_type) : "?");
    add_shape(&text, type ? type->shape : NULL);
    const char *written = arena_strndup(list->arena, text.data, text.size);
    text_free(&text);
    LIST_ADD(list, (struct nnefc_declared){info->name, written});
}

/* --- lists ------------------------------------------------------------------------------------ */

static const char *key_of(const struct nnefc_model *model, const char *name)
{
    return intern(model->context->names, name, strlen(name));
}

/* Names of initializers; the caller's to free. */
static struct map initialized(const struct nnefc_model *model)
{
    const struct onnx_graph *graph = model->from_onnx->graph;
    struct map names = {0};

    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        map_set(&names, key_of(model, t->name), t);
    for (const struct onnx_sparse_tensor *t = graph->sparse_initializer.first; t; t = t->next)
        if (t->values)
            map_set(&names, key_of(model, t->values->name), t);
    return names;
}

static void list_onnx_inputs(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_graph *graph = model->from_onnx->graph;
    struct map known = initialized(model);

    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        if (!map_get(&known, key_of(model, i->name)))
            add_declared(list, i);
    map_free(&known);
}

/* "Conv", "com.microsoft.Gelu" */
static const char *type_of_node(const struct nnefc_model *model, const struct onnx_node *node)
{
    struct text text = {0};

    if (!*node->domain || strcmp(node->domain, "ai.onnx") == 0)
        return key_of(model, node->op_type);
    text_add(&text, "%s.%s", node->domain, node->op_type);
    const char *type = key_of(model, text.data);
    text_free(&text);
    return type;
}

/* --- PNNX ------------------------------------------------------------------------------------- */

/* "f32[1,3,?,%height]" */
static void add_operand(struct list *list, const char *name, const struct pnnx_operand *operand)
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
    const char *type = arena_strndup(list->arena, text.data, text.size);
    text_free(&text);
    LIST_ADD(list, (struct nnefc_declared){name, type});
}

/* The operand of each input, or the results of the model, by the operators that stand for them. */
static void list_pnnx_ports(const struct pnnx_document *document, const char *type,
                            struct list *list)
{
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next) {
        if (strcmp(o->type, type) != 0)
            continue;
        for (int i = 0; i < o->nout; i++)
            add_operand(list, o->name, o->out[i]);
        for (int i = 0; i < o->nin; i++)
            add_operand(list, o->name, o->in[i]);
    }
}

/* --- for clients ------------------------------------------------------------------------------ */

static void list_extensions(const struct nnefc_model *model, struct list *list)
{
    const struct extension *e = model->document ? model->document->extensions.first : NULL;

    for (; e; e = e->next)
        LIST_ADD(list, (struct nnefc_extension){e->name});
}

static void list_opsets(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_opset *o = model->from_onnx ? model->from_onnx->opset_import.first : NULL;

    for (; o; o = o->next)
        LIST_ADD(list, (struct nnefc_opset){*o->domain ? o->domain : "ai.onnx", o->version});
}

static void list_declared_inputs(const struct nnefc_model *model, struct list *list)
{
    if (model->from_onnx)
        list_onnx_inputs(model, list);
    else if (model->pnnx.document)
        list_pnnx_ports(model->pnnx.document, "pnnx.Input", list);
}

static void list_declared_outputs(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_model *onnx = model->from_onnx;

    for (const struct onnx_value_info *o = onnx ? onnx->graph->output.first : NULL; o; o = o->next)
        add_declared(list, o);
    if (!onnx && model->pnnx.document)
        list_pnnx_ports(model->pnnx.document, "pnnx.Output", list);
}

static void list_node_types(const struct nnefc_model *model, struct list *list)
{
    const struct onnx_node *n = model->from_onnx ? model->from_onnx->graph->node.first : NULL;
    const struct pnnx_operator *o =
        model->pnnx.document ? model->pnnx.document->operators.first : NULL;
    struct tally tally = {.list = list};

    for (; n; n = n->next) {
        const char *type = type_of_node(model, n);
        tally_add(&tally, type, type);
    }
    for (; o; o = o->next)
        tally_add(&tally, o->type, o->type);
    tally_end(&tally);
}

const struct nnefc_extension_list *nnefc_model_extensions(const struct nnefc_model *model)
{
    return model_list(model, LIST_EXTENSIONS, list_extensions);
}

const struct nnefc_opset_list *nnefc_model_opsets(const struct nnefc_model *model)
{
    return model_list(model, LIST_OPSETS, list_opsets);
}

const struct nnefc_declared_list *nnefc_model_declared_inputs(const struct nnefc_model *model)
{
    return model_list(model, LIST_DECLARED_INPUTS, list_declared_inputs);
}

const struct nnefc_declared_list *nnefc_model_declared_outputs(const struct nnefc_model *model)
{
    return model_list(model, LIST_DECLARED_OUTPUTS, list_declared_outputs);
}

const struct nnefc_operator_list *nnefc_model_node_types(const struct nnefc_model *model)
{
    return model_list(model, LIST_NODE_TYPES, list_node_types);
}
