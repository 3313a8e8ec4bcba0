/* declared.c - what the file of a model says at its beginning, as lists: extensions, sets of operators,
 *              and of ONNX inputs and outputs */
#include "api/api_priv.h"
#include "api/kinds.h"
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

struct declarations {
    const char **extension;
    struct nnefc_opset *opset;
    struct nnefc_declared *input, *output;
    int nextension, nopset, ninput, noutput;
    struct kinds nodes;
};

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

static struct nnefc_declared declared(const struct nnefc_model *model,
                                      const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = info->type ? info->type->tensor_type : NULL;
    struct text text = {0};

    text_add(&text, "%s", type ? onnx_type_name(type->elem_type) : "?");
    add_shape(&text, type ? type->shape : NULL);
    const char *kept = arena_strndup(model->context->arena, text.data, text.size);
    text_free(&text);
    return (struct nnefc_declared){info->name, kept};
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

static void list_ports(const struct nnefc_model *model, struct declarations *d)
{
    const struct onnx_graph *graph = model->from_onnx->graph;
    struct arena *arena = model->context->arena;
    struct map known = initialized(model);

    d->input = arena_array_of(arena, struct nnefc_declared, graph->input.count);
    d->output = arena_array_of(arena, struct nnefc_declared, graph->output.count);
    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        if (!map_get(&known, key_of(model, i->name)))
            d->input[d->ninput++] = declared(model, i);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next)
        d->output[d->noutput++] = declared(model, o);
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

static void count_nodes(const struct nnefc_model *model, struct declarations *d)
{
    const struct onnx_node_list *nodes = &model->from_onnx->graph->node;

    d->nodes = kinds_begin(model->context->arena, (size_t)nodes->count);
    for (const struct onnx_node *n = nodes->first; n; n = n->next) {
        const char *type = type_of_node(model, n);
        kinds_add(&d->nodes, type, type);
    }
    kinds_end(&d->nodes);
}

static void list_onnx(const struct nnefc_model *model, struct declarations *d)
{
    const struct onnx_opset_list *opsets = &model->from_onnx->opset_import;

    d->opset = arena_array_of(model->context->arena, struct nnefc_opset, opsets->count);
    for (const struct onnx_opset *o = opsets->first; o; o = o->next)
        d->opset[d->nopset++] =
            (struct nnefc_opset){*o->domain ? o->domain : "ai.onnx", o->version};
    list_ports(model, d);
    count_nodes(model, d);
}

/* --- PNNX ------------------------------------------------------------------------------------- */

/* "f32[1,3,?,%height]" */
static struct nnefc_declared declared_operand(const struct nnefc_model *model, const char *name,
                                              const struct pnnx_operand *operand)
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
    const char *type = key_of(model, text.data);
    text_free(&text);
    return (struct nnefc_declared){name, type};
}

static int count_pnnx_ports(const struct pnnx_document *document)
{
    int count = 0;

    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next)
        count += o->nin + o->nout;
    return count;
}

static void list_pnnx(const struct nnefc_model *model, struct declarations *d)
{
    const struct pnnx_document *document = model->pnnx.document;
    int most = count_pnnx_ports(document);

    d->input = arena_array_of(model->context->arena, struct nnefc_declared, most);
    d->output = arena_array_of(model->context->arena, struct nnefc_declared, most);
    d->nodes = kinds_begin(model->context->arena, (size_t)document->operators.count);
    for (const struct pnnx_operator *o = document->operators.first; o; o = o->next) {
        kinds_add(&d->nodes, o->type, o->type);
        for (int i = 0; i < o->nout && strcmp(o->type, "pnnx.Input") == 0; i++)
            d->input[d->ninput++] = declared_operand(model, o->name, o->out[i]);
        for (int i = 0; i < o->nin && strcmp(o->type, "pnnx.Output") == 0; i++)
            d->output[d->noutput++] = declared_operand(model, o->name, o->in[i]);
    }
    kinds_end(&d->nodes);
}

/* --- NNEF ------------------------------------------------------------------------------------- */

static void list_nnef(const struct nnefc_model *model, struct declarations *d)
{
    const struct extension_list *extensions = &model->document->extensions;

    d->extension = arena_array_of(model->context->arena, const char *, extensions->count);
    for (const struct extension *e = extensions->first; e; e = e->next)
        d->extension[d->nextension++] = e->name;
}

/* NULL until something was read. */
static const struct declarations *declarations_of(struct nnefc_model *model)
{
    if (!model || (!model->from_onnx && !model->pnnx.document && !model->document))
        return NULL;
    if (model->declarations)
        return model->declarations;
    model->declarations = arena_new_of(model->context->arena, struct declarations);
    if (model->from_onnx)
        list_onnx(model, model->declarations);
    else if (model->pnnx.document)
        list_pnnx(model, model->declarations);
    else
        list_nnef(model, model->declarations);
    return model->declarations;
}

/* --- for clients ------------------------------------------------------------------------------ */

static bool is_index(int index, int count)
{
    return index >= 0 && index < count;
}

int nnefc_model_extension_count(struct nnefc_model *model)
{
    const struct declarations *d = declarations_of(model);

    return d ? d->nextension : 0;
}

const char *nnefc_model_extension(struct nnefc_model *model, int index)
{
    const struct declarations *d = declarations_of(model);

    return d && is_index(index, d->nextension) ? d->extension[index] : NULL;
}

int nnefc_model_opset_count(struct nnefc_model *model)
{
    const struct declarations *d = declarations_of(model);

    return d ? d->nopset : 0;
}

struct nnefc_opset nnefc_model_opset(struct nnefc_model *model, int index)
{
    const struct declarations *d = declarations_of(model);

    return d && is_index(index, d->nopset) ? d->opset[index] : (struct nnefc_opset){0};
}

int nnefc_model_declared_input_count(struct nnefc_model *model)
{
    const struct declarations *d = declarations_of(model);

    return d ? d->ninput : 0;
}

int nnefc_model_declared_output_count(struct nnefc_model *model)
{
    const struct declarations *d = declarations_of(model);

    return d ? d->noutput : 0;
}

struct nnefc_declared nnefc_model_declared_input(struct nnefc_model *model, int index)
{
    const struct declarations *d = declarations_of(model);

    return d && is_index(index, d->ninput) ? d->input[index] : (struct nnefc_declared){0};
}

struct nnefc_declared nnefc_model_declared_output(struct nnefc_model *model, int index)
{
    const struct declarations *d = declarations_of(model);

    return d && is_index(index, d->noutput) ? d->output[index] : (struct nnefc_declared){0};
}

int nnefc_model_node_type_count(struct nnefc_model *model)
{
    const struct declarations *d = declarations_of(model);

    return d ? d->nodes.count : 0;
}

struct nnefc_operator nnefc_model_node_type(struct nnefc_model *model, int index)
{
    const struct declarations *d = declarations_of(model);

    return d ? kinds_at(&d->nodes, index) : (struct nnefc_operator){0};
}
