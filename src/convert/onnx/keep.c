/* keep.c - a model of ONNX written as it was read */
#include "convert/onnx/keep.h"

#include "base/arena.h"
#include "convert/onnx/export.h"
#include "convert/onnx/import_priv.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "ir/graph.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <string.h>

struct keeping {
    struct import import; /* of which only files of data are read */
    struct arena *arena;
    const struct graph *interface;
    bool ok;
};

/* --- data ------------------------------------------------------------------------------------ */

/* Items become raw data, unless they are texts. */
static struct onnx_tensor *keep_tensor(struct keeping *k, const struct onnx_tensor *from)
{
    struct onnx_tensor *to = arena_new_of(k->arena, struct onnx_tensor);
    const struct file_view *file;
    struct onnx_bytes bytes = {0};

    *to = *from;
    to->next = NULL;
    if (from->data_location == ONNX_LOCATION_EXTERNAL)
        k->ok &= import_external_bytes(&k->import, from, &bytes, &file);
    else
        bytes = onnx_tensor_bytes(k->arena, from);
    if (!bytes.data)
        return to;
    to->float_data = to->double_data = (struct onnx_packed){0};
    to->int32_data = to->int64_data = to->uint64_data = (struct onnx_packed){0};
    to->data_location = ONNX_LOCATION_DEFAULT;
    to->external_data = (struct onnx_entry_list){0};
    onnx_tensor_raw(to, bytes.data, bytes.size);
    return to;
}

static struct onnx_tensor_list keep_tensors(struct keeping *k, const struct onnx_tensor_list *from)
{
    struct onnx_tensor_list to = {0};

    for (const struct onnx_tensor *t = from->first; t; t = t->next)
        to = onnx_tensor_append(to, keep_tensor(k, t));
    return to;
}

static struct onnx_sparse_tensor *keep_sparse(struct keeping *k,
                                              const struct onnx_sparse_tensor *from)
{
    struct onnx_sparse_tensor *to = arena_new_of(k->arena, struct onnx_sparse_tensor);

    *to = *from;
    to->next = NULL;
    to->values = from->values ? keep_tensor(k, from->values) : NULL;
    to->indices = from->indices ? keep_tensor(k, from->indices) : NULL;
    return to;
}

static struct onnx_graph *keep_graph(struct keeping *k, const struct onnx_graph *from);

static struct onnx_attribute *keep_attribute(struct keeping *k, const struct onnx_attribute *from)
{
    struct onnx_attribute *to = arena_new_of(k->arena, struct onnx_attribute);

    *to = *from;
    to->next = NULL;
    to->t = from->t ? keep_tensor(k, from->t) : NULL;
    to->g = from->g ? keep_graph(k, from->g) : NULL;
    to->tensors = keep_tensors(k, &from->tensors);
    to->sparse_tensor = from->sparse_tensor ? keep_sparse(k, from->sparse_tensor) : NULL;
    return to;
}

static struct onnx_attribute_list keep_attributes(struct keeping *k,
                                                  const struct onnx_attribute_list *from)
{
    struct onnx_attribute_list to = {0};

    for (const struct onnx_attribute *a = from->first; a; a = a->next)
        to = onnx_attribute_append(to, keep_attribute(k, a));
    return to;
}

static struct onnx_node_list keep_nodes(struct keeping *k, const struct onnx_node_list *from)
{
    struct onnx_node_list to = {0};

    for (const struct onnx_node *n = from->first; n; n = n->next) {
        struct onnx_node *node = arena_new_of(k->arena, struct onnx_node);
        *node = *n;
        node->next = NULL;
        node->attribute = keep_attributes(k, &n->attribute);
        to = onnx_node_append(to, node);
    }
    return to;
}

/* No deeper than the reader lets graphs be. */
static struct onnx_graph *keep_graph(struct keeping *k, const struct onnx_graph *from)
{
    struct onnx_graph *to = arena_new_of(k->arena, struct onnx_graph);

    *to = *from;
    to->node = keep_nodes(k, &from->node);
    to->initializer = keep_tensors(k, &from->initializer);
    to->sparse_initializer = (struct onnx_sparse_tensor_list){0};
    for (const struct onnx_sparse_tensor *s = from->sparse_initializer.first; s; s = s->next)
        to->sparse_initializer =
            onnx_sparse_tensor_append(to->sparse_initializer, keep_sparse(k, s));
    return to;
}

/* --- inputs and outputs ---------------------------------------------------------------------- */

static const struct onnx_bound *bound_to(const struct keeping *k, const char *input)
{
    const struct onnx_import_options *options = k->import.options;

    for (int i = 0; i < options->nbound; i++)
        if (strcmp(options->bounds[i].input, input) == 0)
            return &options->bounds[i];
    return NULL;
}

/* The items of a bound input, as those of its type. */
static struct onnx_tensor *bound_input(struct keeping *k, const struct onnx_value_info *input,
                                       const struct tensor *items)
{
    enum onnx_data_type type = (enum onnx_data_type)input->type->tensor_type->elem_type;
    const struct item_format format = onnx_type_items((int32_t)type);
    int64_t count = shape_volume(&items->shape), bad;
    size_t size = format.bits ? (size_t)item_bytes(&format, count) : (size_t)count * 2;
    unsigned char *data = arena_alloc(k->arena, size + 1);
    struct onnx_tensor *to =
        onnx_tensor_new(k->arena, input->name, type, items->shape.extent, items->shape.rank);

    for (int64_t i = 0; type == ONNX_BFLOAT16 && i < count; i++)
        bytes_store(data + 2 * i, 2, bfloat16_encode((float)tensor_item(items, i)));
    if (type != ONNX_BFLOAT16 &&
        (!format.bits || !items_encode(&format, items, (struct item_range){0, count}, data, &bad)))
        k->ok = import_fault(&k->import, DIAG_DATA_TYPE,
                             "input '%s' is of type %s, which cannot hold what it is bound to",
                             input->name, onnx_type_name((int32_t)type));
    onnx_tensor_raw(to, data, size);
    return to;
}

/* The extents that are known, and -1; NULL: nothing is known of a tensor of that name. */
static const struct shape *shape_of_input(const struct keeping *k, const char *name)
{
    for (int i = 0; i < k->interface->ninput; i++)
        if (strcmp(k->interface->inputs[i].name, name) == 0)
            return k->interface->inputs[i].value->shape;
    return NULL;
}

/* The extent of that name in the inputs; -1: it is open, or no input has it. */
static int64_t extent_called(const struct keeping *k, const char *name)
{
    const struct onnx_value_info *input = k->import.model->graph->input.first;

    for (; input; input = input->next) {
        const struct onnx_tensor_type *type = input->type ? input->type->tensor_type : NULL;
        const struct shape *given = shape_of_input(k, input->name);
        int i = 0;
        for (const struct onnx_dim *d = type && type->shape ? type->shape->dim.first : NULL;
             d && given && i < given->rank; d = d->next, i++)
            if (strcmp(d->dim_param, name) == 0 && given->extent[i] >= 0)
                return given->extent[i];
    }
    return -1;
}

/* A tensor with the extents that the caller gives. */
static struct onnx_value_info *keep_info(struct keeping *k, const struct onnx_value_info *from)
{
    struct onnx_value_info *to = arena_new_of(k->arena, struct onnx_value_info);
    const struct onnx_tensor_type *type = from->type ? from->type->tensor_type : NULL;
    const struct shape *given = shape_of_input(k, from->name);
    int64_t extent[MAX_RANK];
    int rank = type && type->shape ? type->shape->dim.count : -1, i = 0;

    *to = *from;
    to->next = NULL;
    if (!type || rank > MAX_RANK || (rank < 0 && !given))
        return to;
    const struct onnx_dim *first = rank < 0 ? NULL : type->shape->dim.first;
    rank = given && given->rank != RANK_UNKNOWN ? given->rank : rank;
    for (const struct onnx_dim *d = first; i < rank; d = d ? d->next : NULL) {
        bool known = d && (d->has & ONNX_DIM_VALUE);
        extent[i] = given ? given->extent[i] : known ? d->dim_value : -1;
        if (extent[i] < 0 && d && *d->dim_param)
            extent[i] = extent_called(k, d->dim_param);
        i++;
    }
    to->type = onnx_value_info_new(k->arena, from->name, (enum onnx_data_type)type->elem_type,
                                   extent, rank)
                   ->type;
    i = 0;
    for (const struct onnx_dim *d = first; d && i < rank; d = d->next, i++)
        if (extent[i] < 0 && *d->dim_param)
            onnx_value_info_param(to, i, d->dim_param);
    return to;
}

static struct onnx_value_info_list keep_infos(struct keeping *k,
                                              const struct onnx_value_info_list *from)
{
    struct onnx_value_info_list to = {0};

    for (const struct onnx_value_info *v = from->first; v; v = v->next)
        to = onnx_value_info_append(to, keep_info(k, v));
    return to;
}

/* Replaces the default value of the input, if the model has one. */
static void add_initializer(struct onnx_graph *graph, struct onnx_tensor *tensor)
{
    struct onnx_tensor *t = graph->initializer.first;

    while (t && strcmp(t->name, tensor->name) != 0)
        t = t->next;
    if (t) {
        tensor->next = t->next;
        *t = *tensor;
    } else {
        graph->initializer = onnx_tensor_append(graph->initializer, tensor);
    }
}

static void keep_inputs(struct keeping *k, const struct onnx_graph *from, struct onnx_graph *to)
{
    to->input = (struct onnx_value_info_list){0};
    for (const struct onnx_value_info *v = from->input.first; v; v = v->next) {
        const struct onnx_bound *bound = bound_to(k, v->name);
        if (bound)
            add_initializer(to, bound_input(k, v, &bound->tensor));
        else
            to->input = onnx_value_info_append(to->input, keep_info(k, v));
    }
}

struct onnx_model *onnx_keep(struct context *context, const struct onnx_model *model,
                             const struct onnx_import_options *options,
                             const struct graph *interface)
{
    struct keeping k = {.import = {.model = model, .options = options},
                        .arena = context->arena,
                        .interface = interface,
                        .ok = true};
    struct onnx_model *to = arena_new_of(k.arena, struct onnx_model);

    assert(options->files);
    k.import.builder.context = context;
    *to = *model;
    if (options->nbound && to->ir_version < 4) /* whose initializers are inputs, too */
        to->ir_version = 4;
    to->graph = keep_graph(&k, model->graph);
    keep_inputs(&k, model->graph, to->graph);
    to->graph->output = keep_infos(&k, &model->graph->output);
    to->graph->value_info = keep_infos(&k, &model->graph->value_info);
    to->functions = (struct onnx_function_list){0};
    for (const struct onnx_function *f = model->functions.first; f; f = f->next) {
        struct onnx_function *function = arena_new_of(k.arena, struct onnx_function);
        *function = *f;
        function->next = NULL;
        function->node = keep_nodes(&k, &f->node);
        function->attribute_proto = keep_attributes(&k, &f->attribute_proto);
        to->functions = onnx_function_append(to->functions, function);
    }
    map_free(&k.import.digests);
    return k.ok ? to : NULL;
}
