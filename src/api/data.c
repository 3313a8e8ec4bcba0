/* data.c - tensors from outside, and whether they are what the graph takes */
#include "api/weights.h"
#include "base/arena.h"
#include "file/file.h"
#include "file/npz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- fitting the graph ------------------------------------------------------------------- */

static const char *noun_of(const struct value *value)
{
    return value->kind == VALUE_VARIABLE ? "variable" : "parameter";
}

/* Quantized, a parameter or variable has lost its name to what was made of it. */
static const char *name_of(const struct graph *graph, const struct value *value)
{
    if (value->kind == VALUE_VARIABLE && !value->name)
        return value->source->label;
    for (int i = 0; i < graph->ninput && !value->name; i++)
        if (graph->inputs[i].value == value)
            return graph->inputs[i].name;
    return value->name;
}

/* Equal, or in a provisional graph equal but for extents of 1 at the end. */
static bool same_shape(const struct graph *graph, const struct shape *a, const struct shape *b)
{
    bool same = graph->provisional || a->rank == b->rank;

    for (int i = 0; same && i < MAX_RANK; i++)
        same = shape_extent(a, i) == shape_extent(b, i);
    return same;
}

bool is_quantized(const struct item_format *format)
{
    return format &&
           (format->type == ITEM_QUANTIZED_UNSIGNED || format->type == ITEM_QUANTIZED_SIGNED);
}

/* Quantized integers stand for scalars, and only of variables is it said for which (5.2.1). */
static bool check_type(const struct graph *graph, const struct data_check *check, enum dtype dtype)
{
    const struct value *wanted = check->wanted;
    bool quantized = is_quantized(check->format);
    bool decodable = wanted->kind == VALUE_VARIABLE && wanted->dtype == DTYPE_SCALAR;

    if (quantized ? decodable : dtype == wanted->dtype)
        return true;
    return diag_file_error(graph->context->diag, check->file, DIAG_DATA_TYPE,
                           "items are of type '%s', but %s '%s' is of type '%s'",
                           quantized ? item_type_name(check->format->type) : dtype_name(dtype),
                           noun_of(wanted), name_of(graph, wanted), dtype_name(wanted->dtype));
}

bool data_fits(const struct graph *graph, const struct data_check *check, struct tensor *tensor)
{
    struct diag *diag = graph->context->diag;
    const struct value *wanted = check->wanted;

    if (!check_type(graph, check, tensor->dtype))
        return false;
    if (!same_shape(graph, &tensor->shape, wanted->shape))
        return diag_file_error(diag, check->file, DIAG_DATA_SHAPE,
                               "shape is %s, but %s '%s' has shape %s", SHAPE_TEXT(&tensor->shape),
                               noun_of(wanted), name_of(graph, wanted), SHAPE_TEXT(wanted->shape));
    tensor->shape = *wanted->shape;
    return true;
}

/* --- the public tensor ------------------------------------------------------------------- */

static enum dtype internal_dtype(enum nnefc_dtype dtype)
{
    switch (dtype) {
    case NNEFC_SCALAR:
        return DTYPE_SCALAR;
    case NNEFC_INTEGER:
        return DTYPE_INTEGER;
    case NNEFC_LOGICAL:
        return DTYPE_LOGICAL;
    case NNEFC_DTYPE_UNKNOWN:
        break;
    }
    return DTYPE_UNKNOWN;
}

struct nnefc_tensor *own_tensor(struct tensor *tensor)
{
    struct tensor *kept = malloc(sizeof *kept);

    if (!kept) {
        tensor_clear(tensor);
        return NULL;
    }
    *kept = *tensor;
    return (struct nnefc_tensor *)kept;
}

struct nnefc_tensor *nnefc_tensor_new(const struct nnefc_type *type)
{
    struct tensor tensor;

    if (!type || type->rank < 0 || type->rank > MAX_RANK)
        return NULL;
    enum dtype dtype = internal_dtype(type->dtype);
    struct shape shape = {.rank = type->rank};
    for (int i = 0; i < type->rank; i++) {
        shape.extent[i] = type->extent[i];
        if (type->extent[i] < 0)
            return NULL;
    }
    if (dtype == DTYPE_UNKNOWN)
        return NULL;
    return tensor_allocate(&tensor, dtype, &shape) ? own_tensor(&tensor) : NULL;
}

void nnefc_tensor_free(struct nnefc_tensor *tensor)
{
    if (tensor)
        tensor_clear((struct tensor *)tensor);
    free(tensor);
}

struct nnefc_tensor *api_tensor_read(struct nnefc_model *model, const char *path)
{
    struct tensor tensor;

    if (!model || !path) {
        misuse(model, "no file to read a tensor from is given");
        return NULL;
    }
    struct data_request request = {.limits = &model->context->limits,
                                   .budget = context_budget(model->context)};
    if (!data_read(model->context->diag, path, &request, &tensor, NULL))
        return NULL;
    return own_tensor(&tensor);
}

enum nnefc_status api_tensor_write(struct nnefc_model *model, const struct nnefc_tensor *tensor,
                                   const char *path)
{
    if (!model || !tensor || !path)
        return misuse(model, tensor
                                 ? "no file to write a tensor to is given"
                                 : "there is no tensor to write; results are there after a step");
    int before = diag_count(model->context->diag);

    if (data_write(model->context->diag, path, handle_tensor(tensor), NULL))
        return NNEFC_OK;
    return status_since(model, before);
}

struct nnefc_type nnefc_tensor_type(const struct nnefc_tensor *tensor)
{
    return !tensor ? unknown_type()
                   : type_of(handle_tensor(tensor)->dtype, &handle_tensor(tensor)->shape);
}

int64_t nnefc_tensor_count(const struct nnefc_tensor *tensor)
{
    return tensor ? shape_volume(&handle_tensor(tensor)->shape) : 0;
}

void *nnefc_tensor_data(struct nnefc_tensor *tensor)
{
    return nnefc_tensor_count(tensor) > 0 ? ((struct tensor *)tensor)->data : NULL;
}

const void *nnefc_tensor_items(const struct nnefc_tensor *tensor)
{
    return nnefc_tensor_count(tensor) > 0 ? handle_tensor(tensor)->data : NULL;
}

double nnefc_tensor_item(const struct nnefc_tensor *tensor, int64_t index)
{
    if (index < 0 || index >= nnefc_tensor_count(tensor))
        return (double)NAN;
    return tensor_item(handle_tensor(tensor), index);
}

bool nnefc_is_npz(const char *path)
{
    struct stat status;
    char bytes[4];
    struct file_view start = {.data = bytes, .borrowed = true};

    if (!path || stat(path, &status) != 0 ||
        !S_ISREG(status.st_mode)) /* a pipe can be read only once */
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    start.size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return npz_recognise(&start);
}
