/* ports.c - inputs and outputs of an ONNX graph: their types, and sizes that have to be known */
#include "convert/onnx/import_priv.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/onnx/import_make.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"

#include <inttypes.h>
#include <string.h>

/* --- inputs ------------------------------------------------------------------------------ */

static const struct onnx_tensor_type *tensor_type_of(const struct onnx_value_info *info)
{
    return info->type ? info->type->tensor_type : NULL;
}

static bool known_extent(const struct import *import, const struct onnx_dim *dim, int64_t *extent)
{
    const struct onnx_import_options *options = import->options;

    *extent = dim->has & ONNX_DIM_VALUE ? dim->dim_value : EXTENT_UNKNOWN;
    for (int i = 0; i < options->nextent && *dim->dim_param; i++)
        if (strcmp(options->extents[i].name, dim->dim_param) == 0)
            *extent = options->extents[i].extent;
    return *extent >= 0;
}

/* As "[N,3,?,?]", and the same with 1 for what is open, as an option would have it. */
static void open_shape(const struct import *import, const struct onnx_shape *shape,
                       struct text *found, struct text *asked)
{
    int64_t extent;

    text_add(found, "[");
    for (const struct onnx_dim *d = shape->dim.first; d; d = d->next) {
        const char *comma = d == shape->dim.first ? "" : ",";
        if (known_extent(import, d, &extent)) {
            text_add(found, "%s%" PRId64, comma, extent);
            text_add(asked, "%s%" PRId64, comma, extent);
            continue;
        }
        text_add(found, "%s%s", comma, *d->dim_param ? d->dim_param : "?");
        text_add(asked, "%s1", comma);
    }
    text_add(found, "]");
}

static bool report_open(const struct import *import, const struct onnx_value_info *info,
                        const struct onnx_shape *shape)
{
    struct text found = {0}, asked = {0};

    if (!shape) {
        import_fault(import, DIAG_ONNX_UNKNOWN, "input '%s' has a shape of unknown rank",
                     info->name);
        diag_help(import->builder.context->diag, "give it with --shape '%s=...'.", info->name);
        return false;
    }
    open_shape(import, shape, &found, &asked);
    import_fault(import, DIAG_ONNX_UNKNOWN,
                 "input '%s' has shape %s, with extents that are not known", info->name,
                 found.data);
    const char *name = NULL;
    for (const struct onnx_dim *d = shape->dim.first; d; d = d->next)
        if (!(d->has & ONNX_DIM_VALUE) && *d->dim_param)
            name = d->dim_param;
    if (name)
        diag_help(import->builder.context->diag,
                  "give them with --shape '%s=%s', or each by its name: --dim '%s=1'.", info->name,
                  asked.data, name);
    else
        diag_help(import->builder.context->diag, "give them with --shape '%s=%s'.", info->name,
                  asked.data);
    text_free(&found);
    text_free(&asked);
    return false;
}

/* As asked, else as declared if all extents are known; false after a report. */
static bool input_shape(const struct import *import, const struct onnx_value_info *info,
                        struct shape *shape)
{
    const struct onnx_shape *declared = tensor_type_of(info)->shape;
    const struct onnx_import_options *options = import->options;
    const struct shape *asked = NULL;
    int64_t volume;
    bool open = !declared;

    for (int i = 0; i < options->nshape && !asked; i++)
        if (strcmp(options->shapes[i].input, info->name) == 0)
            asked = &options->shapes[i].shape;
    if (asked && declared && declared->dim.count != asked->rank)
        return import_fault(import, DIAG_SHAPE_ASKED,
                            "shape %s was asked for input '%s', expected rank %d as declared",
                            SHAPE_TEXT(asked), info->name, declared->dim.count);
    if (!asked && declared && declared->dim.count > MAX_RANK)
        return import_fault(import, DIAG_NOT_IN_NNEF,
                            "input '%s' has %d dimensions, expected at most %d", info->name,
                            declared->dim.count, MAX_RANK);
    *shape = asked ? *asked : (struct shape){0};
    if (!asked)
        for (const struct onnx_dim *d = declared ? declared->dim.first : NULL; d; d = d->next)
            open |= !known_extent(import, d, &shape->extent[shape->rank++]);
    if (!asked && open)
        return report_open(import, info, declared);
    if (!shape_volume_checked(shape, import->builder.context->limits.volume, &volume))
        return import_fault(import, DIAG_VOLUME_LIMIT,
                            "input '%s' has shape %s, more than the limit", info->name,
                            SHAPE_TEXT(shape));
    return volume > 0 ||
           import_fault(import, DIAG_NOT_IN_NNEF,
                        "input '%s' has shape %s without items, which NNEF does not have",
                        info->name, SHAPE_TEXT(shape));
}

/* An input that --bind makes a constant; NULL if none does, `faulty` after a report. */
static struct imported *bound_input(struct import *import, const struct onnx_value_info *info)
{
    const struct onnx_import_options *options = import->options;

    for (int i = 0; i < options->nbound; i++) {
        const struct tensor *tensor = &options->bounds[i].tensor;
        int32_t type = tensor_type_of(info)->elem_type;
        if (strcmp(options->bounds[i].input, info->name) != 0)
            continue;
        if (dtype_of(type) == tensor->dtype)
            return imported_known(&import->builder, info->name, type, tensor);
        import_fault(import, DIAG_DATA_TYPE,
                     "input '%s' is of type %s, but is bound to items of type %s", info->name,
                     onnx_type_name(type), dtype_name(tensor->dtype));
        return &import->faulty;
    }
    return NULL;
}

/* Reports an input of a type that NNEF does not have.  Returns false. */
static bool refuse_type(const struct import *import, const struct onnx_value_info *info)
{
    const struct onnx_type *type = info->type;
    const char *what = !type                      ? "no type"
                       : type->tensor_type        ? onnx_type_name(type->tensor_type->elem_type)
                       : type->sequence_type      ? "a sequence"
                       : type->map_type           ? "a map"
                       : type->optional_type      ? "an optional"
                       : type->sparse_tensor_type ? "a sparse tensor"
                                                  : "no type";

    return import_fault(import, DIAG_NOT_IN_NNEF,
                        "input '%s' is of type %s, which NNEF does not have", info->name, what);
}

/* An input of the graph; NULL after a report. */
static struct imported *external(struct import *import, const struct onnx_value_info *info)
{
    struct graph *graph = import->builder.graph;
    int32_t type = tensor_type_of(info)->elem_type;
    struct shape shape;

    if (!input_shape(import, info, &shape))
        return NULL;
    struct value *value =
        graph_add_source(graph, VALUE_EXTERNAL, dtype_of(type), &shape, (struct span){0});
    value->name = builder_claim(&import->builder, info->name, false);
    graph->inputs[graph->ninput++] = (struct port){info->name, value, {0}};
    struct imported *imported = imported_of_value(&import->builder, info->name, type, value);
    imported->input = true;
    return imported;
}

/* An input with an initializer has that value. */
static bool add_input(struct import *import, struct scope *scope,
                      const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = tensor_type_of(info);
    struct imported *imported;

    if (import_has(import, scope, info->name))
        return true;
    if (!type || dtype_of(type->elem_type) == DTYPE_UNKNOWN || type->elem_type == ONNX_UNDEFINED) {
        import_bind(import, scope, info->name, &import->faulty);
        return refuse_type(import, info);
    }
    imported = bound_input(import, info);
    if (!imported)
        imported = external(import, info);
    import_bind(import, scope, info->name, imported ? imported : &import->faulty);
    return imported && imported != &import->faulty;
}

static bool check_asked(const struct import *import, const char *name, const char *option)
{
    for (const struct onnx_value_info *i = import->model->graph->input.first; i; i = i->next)
        if (strcmp(i->name, name) == 0)
            return true;
    return import_fault(import, DIAG_INPUT_UNKNOWN, "the model has no input '%s', as %s wants it",
                        name, option);
}

/* Is there an extent of that name in an input?  *near is the most similar name, or NULL. */
static bool has_extent(const struct import *import, const char *name, const char **near)
{
    struct nearest search = nearest_to(name);

    for (const struct onnx_value_info *i = import->model->graph->input.first; i; i = i->next) {
        const struct onnx_tensor_type *type = tensor_type_of(i);
        const struct onnx_dim *d = type && type->shape ? type->shape->dim.first : NULL;
        for (; d; d = d->next) {
            if (strcmp(d->dim_param, name) == 0)
                return true;
            if (*d->dim_param && nearest_take(&search, d->dim_param))
                *near = d->dim_param;
        }
    }
    return false;
}

static bool check_extent(const struct import *import, const char *name)
{
    const char *near = NULL;

    if (has_extent(import, name, &near))
        return true;
    import_fault(import, DIAG_INPUT_UNKNOWN,
                 "no input of the model has an extent '%s', as --dim wants it", name);
    if (near)
        diag_help(import->builder.context->diag, "did you mean '%s'?", near);
    return false;
}

bool import_inputs(struct import *import, struct scope *scope)
{
    const struct onnx_graph *graph = import->model->graph;
    bool ok = true;

    for (int i = 0; i < import->options->nshape; i++)
        ok &= check_asked(import, import->options->shapes[i].input, "--shape");
    for (int i = 0; i < import->options->nextent; i++)
        ok &= check_extent(import, import->options->extents[i].name);
    for (int i = 0; i < import->options->nbound; i++)
        ok &= check_asked(import, import->options->bounds[i].input, "--bind");
    import->builder.graph->inputs =
        arena_array_of(import->builder.context->arena, struct port, graph->input.count + 1);
    for (const struct onnx_value_info *i = graph->input.first; i; i = i->next)
        ok &= add_input(import, scope, i);
    return ok;
}

/* --- outputs ----------------------------------------------------------------------------- */

/* Messages name the output that a copy is made for. */
static struct value *shown(struct import *import, struct imported *imported, const char *name)
{
    struct call_site *site = arena_new_of(import->builder.context->arena, struct call_site);
    struct translation t = {.builder = &import->builder, .import = import, .site = site};
    struct text text = {0};

    text_add(&text, "output '%s'", name);
    site->file = import->options->file;
    site->fragment = arena_strndup(import->builder.context->arena, text.data, text.size);
    text_free(&text);
    return imported_shown(&t, imported, name);
}

static bool add_output(struct import *import, const struct scope *scope,
                       const struct onnx_value_info *info)
{
    struct imported *imported = import_find(import, scope, info->name);

    if (!imported)
        return import_fault(import, DIAG_ONNX_GRAPH, "output '%s' is not made by any node",
                            info->name);
    if (imported == &import->faulty)
        return false;
    struct value *value = shown(import, imported, info->name);
    import->builder.graph->outputs[import->builder.graph->noutput++] = (struct port){info->name,
                                                                                     value,
                                                                                     { 0 }};
    return value;
}

bool import_outputs(struct import *import, const struct scope *scope)
{
    const struct onnx_graph *graph = import->model->graph;
    bool ok = graph->output.count > 0 ||
              import_fault(import, DIAG_ONNX_GRAPH, "graph '%s' has no outputs", graph->name);

    import->builder.graph->outputs =
        arena_array_of(import->builder.context->arena, struct port, graph->output.count + 1);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next)
        ok &= add_output(import, scope, o);
    return ok;
}
