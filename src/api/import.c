/* import.c - models of ONNX: symbolic extents and inputs that the client sets, loading */
#include "api/formats.h"
#include "api/open.h"
#include "convert/onnx/import_value.h"
#include "convert/proto/onnx_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- options ----------------------------------------------------------------------------- */

bool api_model_set_extent(struct nnefc_model *model, const char *name, int64_t extent)
{
    if (!name || extent < 0)
        return misuse(model, "an extent has a name and is not negative");
    struct loaded_onnx *onnx = &model->onnx;
    int count = onnx->options.nextent;
    onnx->extents = heap_list(onnx->extents, count, sizeof *onnx->extents);
    onnx->extents[count] = (struct onnx_extent){keep_text(model, name), extent};
    onnx->options.extents = onnx->extents;
    onnx->options.nextent++;
    return true;
}

/* The items of an input; the tensor becomes the model's. */
static void add_bound(struct nnefc_model *model, const char *input, const struct tensor *tensor)
{
    struct loaded_onnx *onnx = &model->onnx;
    int count = onnx->options.nbound;

    assert(input && tensor->dtype != DTYPE_UNKNOWN);
    onnx->bounds = heap_list(onnx->bounds, count, sizeof *onnx->bounds);
    onnx->bounds[count] = (struct onnx_bound){keep_text(model, input), *tensor};
    context_account(model->context, tensor_memory(tensor));
    onnx->options.bounds = onnx->bounds;
    onnx->options.nbound++;
}

/* Can that input be bound to `to`?  False after a report. */
static bool may_bind(const struct nnefc_model *model, const char *input, const void *to)
{
    return (input && to) ||
           misuse(model, "to bind an input takes its name and what it is bound to");
}

/* The client may change or free its tensor after the call. */
bool api_model_bind(struct nnefc_model *model, const char *input, const struct nnefc_tensor *tensor)
{
    const struct tensor *from = handle_tensor(tensor);
    struct tensor copy;

    if (!may_bind(model, input, tensor))
        return false;
    if (!tensor_allocate(&copy, from->dtype, &from->shape))
        arena_out_of_memory();
    if (tensor_bytes(from)) /* else there may be no items to point to */
        memcpy(copy.data, from->data, tensor_bytes(from));
    add_bound(model, input, &copy);
    return true;
}

/* The file is read now, so that loading reads nothing but the model. */
bool api_model_bind_file(struct nnefc_model *model, const char *input, const char *path)
{
    struct tensor tensor = {0};

    if (!may_bind(model, input, path) || !read_tensor(model, path, &tensor))
        return false;
    add_bound(model, input, &tensor);
    return true;
}

/* The file is read while the model is loaded, if that leaves an extent open. */
bool api_model_set_input_file(struct nnefc_model *model, const char *parameter, const char *path,
                              bool channels_last)
{
    struct loaded_onnx *onnx = &model->onnx;
    int count = onnx->options.nfed;

    if (!path)
        return misuse(model, "there is no file for a parameter");
    onnx->fed = heap_list(onnx->fed, count, sizeof *onnx->fed);
    onnx->fed[count] = (struct onnx_fed){keep_text(model, parameter), keep_text(model, path),
                                         !parameter && nnefc_is_npz(path), channels_last};
    onnx->options.fed = onnx->fed;
    onnx->options.nfed++;
    return true;
}

/* In an NNEF text extents have no names, and inputs are given to runs. */
bool import_unused(const struct nnefc_model *model, const char *name)
{
    struct diag *diag = model->context->diag;

    if (model->onnx.options.nextent)
        return diag_file_error(diag, name, DIAG_INPUT_UNKNOWN,
                               "an NNEF text has no extent '%s' to set: extents have no names",
                               model->onnx.extents[0].name);
    if (model->onnx.options.nbound)
        return diag_file_error(diag, name, DIAG_INPUT_UNKNOWN,
                               "parameter '%s' cannot be bound: this is an NNEF text, and inputs "
                               "are bound of ONNX models",
                               model->onnx.bounds[0].input);
    return true;
}

/* --- loading ----------------------------------------------------------------------------- */

/* Protocol buffers have no magic number, so the first two fields have to do. */
bool onnx_recognise(const char *name, const void *bytes, size_t size)
{
    /* The version of the format, then one of the fields that name the producer or the graph. */
    static const char second[] = {0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42};
    const char *text = bytes;

    (void)name;
    return size > 2 && text[0] == 0x08 && text[1] > 0 && text[1] < 0x20 &&
           memchr(second, text[2], sizeof second);
}

struct onnx_import_options *import_options(struct nnefc_model *model, const char *name)
{
    struct onnx_import_options *options =
        &model->onnx.options; /* extents, inputs: as they were set */

    options->file = name;
    options->shapes = model->overrides;
    options->nshape = model->lower.noverride;
    return options;
}

/* A model that would run in parts can still be one graph if both branches of its conditionals are
 * computed.  It is written in that form. */
static bool make_whole(struct nnefc_model *model)
{
    struct diag *diag = model->context->diag;
    int before = diag_count(diag);

    import_memory_free(model->context, model->memory);
    model->memory = NULL;
    model->graph =
        onnx_import(model->context, model->onnx.file, &model->onnx.options, &model->memory);
    if (!model->graph)
        diag_take_back(diag, before);
    return model->graph;
}

/* The graph has its weights from then on: they are read with the messages.  An open model has no
 * graph, but one for each shape of its inputs. */
bool import_onnx(struct nnefc_model *model, const char *name, const void *bytes, size_t size)
{
    struct context *context = model->context;
    struct onnx_import_options *options = import_options(model, name);
    struct onnx_model *onnx =
        onnx_model_read(context->diag, context->arena, name, (struct onnx_bytes){bytes, size});

    if (!onnx)
        return false;
    onnx_intern_names(context, onnx);
    model->onnx.file = onnx; /* so that it can be listed, also if importing fails */
    const struct file_view *view = model->home ? store_file(model->home) : NULL;
    options->view = view && view->mapped && view->data == bytes ? view : NULL;
    options->check_data = model->graph_file.check_data;
    /* Weights in files of their own are beside the model. */
    options->folder = model->data_folder ? model->data_folder
                      : model->home      ? store_folder(model->home)
                                         : NULL;
    struct loaded_open *open = &model->open;
    model->imported = true;
    if (!open_onnx(model))
        return false;
    if (open->interface && has_open_extents(open->interface))
        return true;
    /* All extents are known.  It is open yet if inputs decide, or if a node cuts. */
    struct onnx_part part = {.graph = onnx->graph};
    int errors = diag_error_count(context->diag);
    options->order = open->order;
    if (open->interface) {
        options->deciding = &open->deciding;
        options->part = &part;
    }
    model->graph = onnx_import(context, onnx, options, &model->memory);
    options->part = NULL;
    options->deciding = NULL;
    bool whole =
        model->graph && (!open->interface || !onnx_order_node(open->order, onnx->graph, part.end));
    bool opens = open->interface && diag_error_count(context->diag) == errors && !whole;
    if (model->graph && !whole) {
        note_cut(model, &part);
        model->graph = NULL;
    }
    if (opens && is_for_onnx(model))
        opens = !make_whole(model);
    if (!opens)
        open->interface = NULL;
    return model->graph || opens;
}

void import_free(struct nnefc_model *model)
{
    import_memory_free(model->context, model->memory);
    for (int i = 0; i < model->onnx.options.nbound; i++)
        tensor_clear(&model->onnx.bounds[i].tensor);
    free(model->onnx.bounds);
    free(model->onnx.extents);
    free(model->onnx.fed);
}
