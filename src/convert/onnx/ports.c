/*
 * ports.c - inputs and outputs of an ONNX graph
 *
 * NNEF has no open extents.  Those of an input come from --shape, else from --dim by their names,
 * else from the model, else from the file that it is fed with; if one remains unknown, the report
 * has the options that would give it.
 */
#include "convert/onnx/import_priv.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/onnx/fed.h"
#include "convert/onnx/import_make.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "lower/lower.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* --- inputs ------------------------------------------------------------------------------ */

/* NULL for sequences and the like, and if the file gives no type. */
static const struct onnx_tensor_type *tensor_type_of(const struct onnx_value_info *info)
{
    return info->type ? info->type->tensor_type : NULL;
}

/* By its name, else by its value; false if it is open. */
static bool known_extent(const struct import *import, const struct onnx_dim *dim, int64_t *extent)
{
    const struct onnx_import_options *options = import->options;

    *extent = dim->has & ONNX_DIM_VALUE ? dim->dim_value : EXTENT_UNKNOWN;
    for (int i = 0; i < options->nextent && *dim->dim_param; i++)
        if (strcmp(options->extents[i].name, dim->dim_param) == 0)
            *extent = options->extents[i].extent;
    return *extent >= 0;
}

/* The shape that --shape gives; NULL: none. */
static const struct shape *asked_shape(const struct import *import,
                                       const struct onnx_value_info *info)
{
    const struct onnx_import_options *options = import->options;

    for (int i = 0; i < options->nshape; i++)
        if (strcmp(options->shapes[i].name, info->name) == 0)
            return &options->shapes[i].shape;
    return NULL;
}

/* What a type is that is none of a tensor; NULL: it is, or nothing is said. */
static const char *kind_of(const struct onnx_type *type)
{
    if (!type || type->tensor_type)
        return NULL;
    return type->sequence_type        ? "a sequence"
           : type->map_type           ? "a map"
           : type->optional_type      ? "an optional"
           : type->sparse_tensor_type ? "a sparse tensor"
                                      : NULL;
}

/* Is an output declared as a tensor, if anything is said of it?  False after a report. */
static bool is_declared_tensor(const struct import *import, const struct onnx_value_info *output)
{
    const char *kind = kind_of(output->type);

    return !kind || import_fault(import, DIAG_NOT_IN_NNEF,
                                 "output '%s' is declared as %s, which NNEF does not have",
                                 output->name, kind);
}

enum dtype onnx_declared_item(const struct onnx_value_info *output, int32_t *type,
                              struct shape *shape)
{
    const struct onnx_tensor_type *declared = tensor_type_of(output);
    const struct onnx_shape *extents = declared ? declared->shape : NULL;

    *shape = (struct shape){.rank = 0};
    *type = declared ? declared->elem_type : ONNX_UNDEFINED;
    for (const struct onnx_dim *d = extents ? extents->dim.first : NULL; d; d = d->next) {
        if (shape->rank == MAX_RANK - 1)
            return DTYPE_UNKNOWN;
        shape->extent[shape->rank++] =
            d->has & ONNX_DIM_VALUE && d->dim_value > 0 ? d->dim_value : 0;
    }
    return *type == ONNX_UNDEFINED ? DTYPE_UNKNOWN : dtype_of(*type);
}

struct open_input import_describe(const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = tensor_type_of(info);
    struct open_input input = {
        .name = info->name, .rank = RANK_UNKNOWN, .type = type ? type->elem_type : ONNX_UNDEFINED};

    if (!type || !type->shape)
        return input;
    input.rank = 0;
    if (type->shape->dim.count > MAX_RANK) /* which is reported later */
        return input;
    for (const struct onnx_dim *d = type->shape->dim.first; d; d = d->next) {
        bool known = d->has & ONNX_DIM_VALUE && d->dim_value >= 0;
        input.dim[input.rank++] = (struct open_dim){*d->dim_param ? d->dim_param : NULL,
                                                    known ? d->dim_value : EXTENT_UNKNOWN};
    }
    return input;
}

/* As asked, else as declared if all extents are known; false after a report. */
static bool input_shape(const struct import *import, const struct onnx_value_info *info,
                        struct shape *shape)
{
    const struct onnx_shape *declared = tensor_type_of(info)->shape;
    const struct shape *asked = asked_shape(import, info);
    int64_t volume;
    bool open = !declared;

    if (asked && declared && declared->dim.count != asked->rank)
        return import_fault(import, DIAG_SHAPE_ASKED,
                            "shape %s was asked for input '%s', expected rank %d as declared",
                            SHAPE_TEXT(asked), info->name, declared->dim.count);
    if (!asked && declared && declared->dim.count > MAX_RANK)
        return import_fault(import, DIAG_NOT_IN_NNEF,
                            "input '%s' has %d dimensions, expected at most %d", info->name,
                            declared->dim.count, MAX_RANK);
    *shape = asked ? *asked : (struct shape){.rank = declared ? 0 : RANK_UNKNOWN};
    if (!asked)
        for (const struct onnx_dim *d = declared ? declared->dim.first : NULL; d; d = d->next)
            open |= !known_extent(import, d, &shape->extent[shape->rank++]);
    const struct open_input input = import_describe(info);
    if (!asked && open)
        return import->open ||
               open_report(import->builder.context, import->options->file, &input, shape);
    if (!shape_volume_checked(shape, import->builder.context->limits.volume, &volume))
        return import_fault(import, DIAG_VOLUME_LIMIT,
                            "input '%s' has shape %s, more than the limit", info->name,
                            SHAPE_TEXT(shape));
    return true;
}

/* Has the declared type all integers that the input is bound to?  False after a report. */
static bool bound_fits(const struct import *import, const struct onnx_value_info *info,
                       const struct tensor *tensor)
{
    int32_t type = tensor_type_of(info)->elem_type;
    const struct item_format items = onnx_type_items(type);
    int64_t bad =
        tensor->dtype == DTYPE_INTEGER && type != ONNX_UINT64 ? items_beyond(&items, tensor) : -1;

    return bad < 0 || import_fault(import, DIAG_DATA_TYPE,
                                   "input '%s' is of type %s, which cannot hold item %" PRId64
                                   " that it is bound to",
                                   info->name, onnx_type_name(type), bad);
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
        if (dtype_of(type) == tensor->dtype && bound_fits(import, info, tensor)) {
            struct tensor *items = arena_new_of(import->builder.context->arena, struct tensor);
            *items = *tensor;
            items->is_unsigned = false; /* the type says so */
            return imported_known(&import->builder, info->name, type, items);
        }
        if (dtype_of(type) == tensor->dtype)
            return &import->faulty;
        import_fault(import, DIAG_DATA_TYPE,
                     "input '%s' is of type %s, but is bound to items of type %s", info->name,
                     onnx_type_name(type), dtype_name(tensor->dtype));
        return &import->faulty;
    }
    return NULL;
}

/* Whether the caller gives the input extents that the file leaves open or has others for. */
static bool is_reshaped(const struct onnx_value_info *info, const struct shape *given)
{
    const struct onnx_shape *declared = tensor_type_of(info)->shape;
    const struct onnx_dim *d = declared ? declared->dim.first : NULL;

    for (int i = 0; d && i < given->rank; i++, d = d->next)
        if (!(d->has & ONNX_DIM_VALUE) || d->dim_value != given->extent[i])
            return true;
    return !declared;
}

/*
 * An input of the model becomes one of the graph, or the constant it is bound to.  An input with an
 * initializer has that value.
 */
static bool add_input(struct import *import, struct scope *scope,
                      const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *tensor = tensor_type_of(info);
    struct graph *graph = import->builder.graph;
    struct shape shape;

    struct imported *before = import_find(scope, info->name);
    if (before)
        return !before->input ||
               import_fault(import, DIAG_ONNX_GRAPH, "input '%s' is there twice", info->name);
    import_bind(scope, info->name, &import->faulty);
    if (!tensor || dtype_of(tensor->elem_type) == DTYPE_UNKNOWN ||
        tensor->elem_type == ONNX_UNDEFINED) {
        const char *kind = kind_of(info->type);
        return import_fault(import, DIAG_NOT_IN_NNEF,
                            kind ? "input '%s' is declared as %s, which NNEF does not have"
                                 : "input '%s' is of type %s, which NNEF does not have",
                            info->name,
                            kind     ? kind
                            : tensor ? onnx_type_name(tensor->elem_type)
                                     : "no type");
    }
    struct imported *imported = bound_input(import, info);
    if (imported == &import->faulty || (!imported && !input_shape(import, info, &shape)))
        return false;
    if (!imported) {
        struct value *value = graph_add_source(graph, VALUE_EXTERNAL, dtype_of(tensor->elem_type),
                                               &shape, (struct span){0});
        value->name = builder_claim(&import->builder, info->name, false);
        graph->inputs[graph->ninput++] =
            (struct port){info->name, value, {0}, onnx_type_items(tensor->elem_type)};
        imported = imported_of_value(&import->builder, info->name, tensor->elem_type, value);
        imported->input = true;
    }
    if (import->open) {
        import_bind(scope, info->name, imported);
        return true;
    }
    import->builder.reshaped |= is_reshaped(info, &imported->shape);
    struct translation t = import_place(import, NULL);
    bool fits = import_fits(&t, scope, imported, "input");
    import_bind(scope, info->name, fits ? imported : &import->faulty);
    return fits;
}

/* --shape and --bind name inputs of the model. */
static bool check_asked(const struct import *import, const char *name, const char *option)
{
    for (const struct onnx_value_info *i = import->model->graph->input.first; i; i = i->next)
        if (strcmp(i->name, name) == 0)
            return true;
    return import_fault(import, DIAG_INPUT_UNKNOWN, "the model has no input '%s', as %s wants it",
                        name, option);
}

/* --dim names an extent of some input; the report proposes the most similar name. */
static bool check_extent(const struct import *import, const char *name)
{
    struct nearest search = nearest_to(name);
    const char *near = NULL;

    for (const struct onnx_value_info *i = import->model->graph->input.first; i; i = i->next) {
        const struct onnx_tensor_type *type = tensor_type_of(i);
        const struct onnx_dim *d = type && type->shape ? type->shape->dim.first : NULL;
        for (; d; d = d->next) {
            if (strcmp(d->dim_param, name) == 0)
                return true;
            if (*d->dim_param && nearest_take(&search, d->dim_param))
                near = d->dim_param;
        }
    }
    import_fault(import, DIAG_INPUT_UNKNOWN,
                 "no input of the model has an extent '%s', as --dim wants it", name);
    if (near)
        diag_help(import->builder.context->diag, "did you mean '%s'?", near);
    return false;
}

/* Inputs with initializers and those that are bound are no parameters. */
static bool is_parameter(const struct import *import, const struct scope *scope,
                         const struct onnx_value_info *info)
{
    const struct onnx_import_options *options = import->options;

    for (int i = 0; i < options->nbound; i++)
        if (strcmp(options->bounds[i].input, info->name) == 0)
            return false;
    return !import_has(scope, info->name);
}

bool import_fed(struct import *import, const struct scope *scope,
                struct onnx_import_options *options)
{
    const struct onnx_value_info_list *list = &import->model->graph->input;
    struct context *context = import->builder.context;
    struct open_input *inputs;
    int count = 0;

    if (options->nfed == 0)
        return true;
    inputs = arena_array_of(context->arena, struct open_input, list->count);
    for (const struct onnx_value_info *i = list->first; i; i = i->next)
        if (is_parameter(import, scope, i))
            inputs[count++] = import_describe(i);
    return fed_extents(context, inputs, count, options);
}

/* Does nobody say all extents of the input? */
static bool is_open(const struct import *import, const struct onnx_value_info *info)
{
    const struct onnx_tensor_type *type = tensor_type_of(info);
    int64_t extent;

    if (!type || asked_shape(import, info))
        return false;
    for (const struct onnx_dim *d = type->shape ? type->shape->dim.first : NULL; d; d = d->next)
        if (!known_extent(import, d, &extent))
            return true;
    return !type->shape;
}

bool import_is_open(const struct import *import, const struct scope *scope)
{
    for (const struct onnx_value_info *i = import->model->graph->input.first; i; i = i->next)
        if (is_parameter(import, scope, i) && is_open(import, i))
            return true;
    return false;
}

/* Options that name no input are reported before the inputs, all of them. */
bool import_inputs(struct import *import, struct scope *scope)
{
    const struct onnx_graph *graph = import->model->graph;
    bool ok = true;

    for (int i = 0; i < import->options->nshape; i++)
        ok &= check_asked(import, import->options->shapes[i].name, "--shape");
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

/* Bound in `named`, too.  False after a report, also if that was one of the node that makes it. */
static bool add_output(struct import *import, const struct scope *scope, struct scope *named,
                       const struct onnx_value_info *info)
{
    struct imported *imported = import_find(scope, info->name);
    struct graph *graph = import->builder.graph;

    if (!imported)
        return import_fault(import, DIAG_ONNX_GRAPH, "output '%s' is not made by any node",
                            info->name);
    import_bind(named, info->name, imported);
    if (imported == &import->faulty || !is_declared_tensor(import, info))
        return false;
    /* Inputs and known tensors are copied; reports about that name the output as their place. */
    struct translation t = import_place(
        import, text_format(import->builder.context->arena, "output '%s'", info->name));
    struct value *value = imported_shown(&t, imported, info->name);
    graph->outputs[graph->noutput++] =
        (struct port){info->name, value, {0}, onnx_type_items(imported->type)};
    return value;
}

bool import_outputs(struct import *import, const struct scope *scope)
{
    const struct onnx_graph *graph = import->model->graph;
    struct scope named = {0};
    bool ok = graph->output.count > 0 ||
              import_fault(import, DIAG_ONNX_GRAPH, "graph '%s' has no outputs", graph->name);

    import->builder.graph->outputs =
        arena_array_of(import->builder.context->arena, struct port, graph->output.count + 1);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next)
        if (!import_has(&named, o->name))
            ok &= add_output(import, scope, &named, o);
        else
            ok = import_fault(import, DIAG_ONNX_GRAPH, "output '%s' is there twice", o->name);
    map_free(&named.entries);
    assert(!ok || import->builder.graph->noutput == graph->output.count);
    return ok;
}

bool import_declared_outputs(struct import *import)
{
    const struct onnx_graph *graph = import->model->graph;
    struct graph *to = import->builder.graph;
    int64_t volume;
    bool ok = true;

    to->outputs =
        arena_array_of(import->builder.context->arena, struct port, graph->output.count + 1);
    for (const struct onnx_value_info *o = graph->output.first; o; o = o->next) {
        const struct onnx_tensor_type *type = tensor_type_of(o);
        const struct onnx_shape *declared = type ? type->shape : NULL;
        struct shape shape = {.rank = RANK_UNKNOWN};
        ok &= is_declared_tensor(import, o);
        if (declared && declared->dim.count <= MAX_RANK)
            shape.rank = 0;
        for (const struct onnx_dim *d = shape.rank == 0 ? declared->dim.first : NULL; d;
             d = d->next)
            (void)known_extent(import, d, &shape.extent[shape.rank++]);
        if (shape_known(&shape) &&
            !shape_volume_checked(&shape, import->builder.context->limits.volume, &volume))
            ok = import_fault(import, DIAG_VOLUME_LIMIT,
                              "output '%s' has shape %s, more than the limit", o->name,
                              SHAPE_TEXT(&shape));
        int32_t items = type ? type->elem_type : ONNX_UNDEFINED;
        enum dtype dtype = items == ONNX_UNDEFINED ? DTYPE_UNKNOWN : dtype_of(items);
        struct value *value = graph_add_source(to, VALUE_EXTERNAL, dtype, &shape, (struct span){0});
        value->name = builder_key(&import->builder, o->name);
        to->outputs[to->noutput++] = (struct port){o->name, value, {0}, onnx_type_items(items)};
    }
    return ok;
}
