/* import.c - models of ONNX: options, loading */
#include "api/formats.h"
#include "base/arena.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_read.h"

#include <stdlib.h>
#include <string.h>

static const char *keep_text(struct nnefc_model *model, const char *text)
{
    return arena_strndup(model->context->arena, text, strlen(text));
}

/* --- options ----------------------------------------------------------------------------- */

enum nnefc_status api_model_set_extent(struct nnefc_model *model, const char *name, int64_t extent)
{
    if (!before_loading(model, "an extent"))
        return NNEFC_USAGE;
    if (!name || extent < 1)
        return misuse(model, "an extent has a name and is positive");
    size_t count = (size_t)model->onnx.nextent;
    struct onnx_extent *list = realloc(model->extents, (count + 1) * sizeof *list);
    if (!list)
        arena_out_of_memory();
    model->onnx.extents = model->extents = list;
    list[count] = (struct onnx_extent){keep_text(model, name), extent};
    model->onnx.nextent++;
    return NNEFC_OK;
}

/* The tensor becomes the model's. */
static void add_bound(struct nnefc_model *model, const char *input, const struct tensor *tensor)
{
    size_t count = (size_t)model->onnx.nbound;
    struct onnx_bound *list = realloc(model->bounds, (count + 1) * sizeof *list);

    if (!list)
        arena_out_of_memory();
    model->onnx.bounds = model->bounds = list;
    list[count] = (struct onnx_bound){keep_text(model, input), *tensor};
    context_account(model->context, tensor_memory(tensor));
    model->onnx.nbound++;
}

static bool may_bind(const struct nnefc_model *model, const char *input, const void *to)
{
    if (!before_loading(model, "an input"))
        return false;
    if (!input || !to)
        misuse(model, "to bind an input takes its name and what it is bound to");
    return input && to;
}

enum nnefc_status api_model_bind(struct nnefc_model *model, const char *input,
                                 const struct nnefc_tensor *tensor)
{
    const struct tensor *from = handle_tensor(tensor);
    struct tensor copy;

    if (!may_bind(model, input, tensor))
        return NNEFC_USAGE;
    if (!tensor_allocate(&copy, from->dtype, &from->shape))
        arena_out_of_memory();
    if (tensor_bytes(from))
        memcpy(copy.data, from->data, tensor_bytes(from));
    add_bound(model, input, &copy);
    return NNEFC_OK;
}

enum nnefc_status api_model_bind_file(struct nnefc_model *model, const char *input,
                                      const char *path)
{
    struct data_request request;
    struct tensor tensor = {0};

    if (!may_bind(model, input, path))
        return NNEFC_USAGE;
    int before = diag_count(model->context->diag);
    request = (struct data_request){.limits = &model->context->limits,
                                    .budget = context_budget(model->context)};
    if (!data_read(model->context->diag, path, &request, &tensor, NULL))
        return status_since(model, before);
    add_bound(model, input, &tensor);
    return NNEFC_OK;
}

bool import_unused(const struct nnefc_model *model, const char *name)
{
    struct diag *diag = model->context->diag;

    if (model->onnx.nextent)
        return diag_file_error(diag, name, DIAG_INPUT_UNKNOWN,
                               "an NNEF text has no extent '%s' to set: extents have no names",
                               model->extents[0].name);
    if (model->onnx.nbound)
        return diag_file_error(diag, name, DIAG_INPUT_UNKNOWN,
                               "parameter '%s' cannot be bound: this is an NNEF text, and inputs "
                               "are bound of ONNX models",
                               model->bounds[0].input);
    return true;
}

bool is_unshaped(const struct nnefc_model *model, const char *name)
{
    if (model->lower.noverride == 0)
        return true;
    return diag_file_error(model->context->diag, name, DIAG_INPUT_UNKNOWN,
                           "the shape of '%s' cannot be set: shapes of a graph file are what they "
                           "were when it was made",
                           model->overrides[0].name);
}

/* --- loading ----------------------------------------------------------------------------- */

/* Shapes asked for, as the importer has them. */
static void hand_over_shapes(struct nnefc_model *model)
{
    int count = model->lower.noverride;

    model->input_shapes = calloc((size_t)count + 1, sizeof *model->input_shapes);
    if (!model->input_shapes)
        arena_out_of_memory();
    for (int i = 0; i < count; i++)
        model->input_shapes[i] =
            (struct onnx_input_shape){model->overrides[i].name, model->overrides[i].shape};
    model->onnx.shapes = model->input_shapes;
    model->onnx.nshape = count;
}

bool import_onnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    struct context *context = model->context;
    struct onnx_model *onnx =
        onnx_model_read(context->diag, context->arena, name, (struct onnx_bytes){bytes, size});

    if (!onnx)
        return false;
    model->from_onnx = onnx;
    hand_over_shapes(model);
    model->onnx.file = name;
    model->onnx.folder = model->data_folder ? model->data_folder
                         : model->home      ? store_folder(model->home)
                                            : NULL;
    model->graph = onnx_import(context, onnx, &model->onnx, &model->memory);
    model->imported = model->graph != NULL;
    return model->imported;
}

void import_free(struct nnefc_model *model)
{
    import_memory_free(model->context, model->memory);
    for (int i = 0; i < model->onnx.nbound; i++)
        tensor_clear(&model->bounds[i].tensor);
    free(model->bounds);
    free(model->extents);
    free(model->input_shapes);
}
