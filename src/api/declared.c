/* declared.c - inputs and outputs of an ONNX model as its file has them */
#include "api/api_priv.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "proto/onnx.h"
#include "proto/onnx_data.h"

#include <inttypes.h>
#include <string.h>

/* --- which -------------------------------------------------------------------------------- */

static const struct onnx_graph *graph_of(const struct nnefc_model *model)
{
    return model && model->from_onnx ? model->from_onnx->graph : NULL;
}

static const char *key_of(const struct nnefc_model *model, const char *name)
{
    return intern(model->context->names, name, strlen(name));
}

/* Names of initializers; the caller's to free. */
static struct map initialized(const struct nnefc_model *model)
{
    const struct onnx_graph *graph = graph_of(model);
    struct map names = {0};

    for (const struct onnx_tensor *t = graph->initializer.first; t; t = t->next)
        map_set(&names, key_of(model, t->name), t);
    for (const struct onnx_sparse_tensor *t = graph->sparse_initializer.first; t; t = t->next)
        if (t->values)
            map_set(&names, key_of(model, t->values->name), t);
    return names;
}

/* Input `index`, and how many there are. */
static const struct onnx_value_info *find_input(const struct nnefc_model *model, int index,
                                                int *count)
{
    const struct onnx_value_info *found = NULL;
    struct map names = initialized(model);

    *count = 0;
    for (const struct onnx_value_info *i = graph_of(model)->input.first; i; i = i->next)
        if (!map_get(&names, key_of(model, i->name)) && (*count)++ == index)
            found = i;
    map_free(&names);
    return found;
}

/* --- types -------------------------------------------------------------------------------- */

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

static struct nnefc_declared declared(struct nnefc_model *model, const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = info && info->type ? info->type->tensor_type : NULL;
    struct text text = {0};

    if (!info)
        return (struct nnefc_declared){0};
    text_add(&text, "%s", type ? onnx_type_name(type->elem_type) : "?");
    add_shape(&text, type ? type->shape : NULL);
    const char *kept = arena_strndup(model->context->arena, text.data, text.size);
    text_free(&text);
    return (struct nnefc_declared){info->name, kept};
}

/* --- for clients -------------------------------------------------------------------------- */

int nnefc_model_declared_input_count(const struct nnefc_model *model)
{
    int count = 0;

    if (graph_of(model))
        find_input(model, -1, &count);
    return count;
}

int nnefc_model_declared_output_count(const struct nnefc_model *model)
{
    return graph_of(model) ? graph_of(model)->output.count : 0;
}

struct nnefc_declared nnefc_model_declared_input(struct nnefc_model *model, int index)
{
    int count;

    return declared(model, graph_of(model) && index >= 0 ? find_input(model, index, &count) : NULL);
}

struct nnefc_declared nnefc_model_declared_output(struct nnefc_model *model, int index)
{
    const struct onnx_value_info *info = NULL;

    if (index >= 0 && index < nnefc_model_declared_output_count(model))
        for (info = graph_of(model)->output.first; index > 0; index--)
            info = info->next;
    return declared(model, info);
}
