/*
 * data.c - tensors from outside: whether they are what the graph takes, and tensors of clients
 *
 * The reference on items is section 5.2; in memory a scalar is a float, an integer an int64_t, a
 * logical one byte.
 */
#include "api/weights.h"
#include "file/npz.h"
#include "file/out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- fitting the graph ------------------------------------------------------------------- */

/* What messages call a value that is given from outside. */
static const char *noun_of(const struct value *value)
{
    return value->kind == VALUE_VARIABLE ? "variable" : "parameter";
}

/* What a client calls a parameter or variable.  If the quantization file is applied, the name of
 * the value has gone over to the value that was made of it. */
static const char *name_of(const struct graph *graph, const struct value *value)
{
    if (value->kind == VALUE_VARIABLE && !value->name)
        return value->source->label;
    for (int i = 0; i < graph->ninput && !value->name; i++)
        if (graph->inputs[i].value == value)
            return graph->inputs[i].name;
    return value->name;
}

bool is_quantized(const struct item_format *format)
{
    return format &&
           (format->type == ITEM_QUANTIZED_UNSIGNED || format->type == ITEM_QUANTIZED_SIGNED);
}

/* The integers that a value may have: as the model that was read declares an input, else any. */
static struct item_format items_of(const struct graph *graph, const struct value *value)
{
    for (int i = 0; i < graph->ninput; i++)
        if (graph->inputs[i].value == value && graph->inputs[i].items.bits > 0)
            return graph->inputs[i].items;
    return item_format_of(DTYPE_INTEGER);
}

/* Have integers the width that the model says?  Of 64 bits without a sign, they may be given as
 * those with a sign of the same bits. */
static bool integers_fit(const struct graph *graph, const struct data_check *check,
                         const struct tensor *tensor)
{
    const struct item_format items = items_of(graph, check->wanted);
    int64_t bad = item_format_is_huge(&items) ? -1 : items_beyond(&items, tensor);
    char digits[32];

    if (bad < 0)
        return true;
    int64_t item = tensor_integer(tensor, bad);
    if (tensor->is_unsigned)
        snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)item);
    else
        snprintf(digits, sizeof digits, "%" PRId64, item);
    return diag_file_error(graph->context->diag, check->file, DIAG_DATA_TYPE,
                           "item %" PRId64 " is %s, but %s '%s' has %s items of %d bits", bad,
                           digits, noun_of(check->wanted), name_of(graph, check->wanted),
                           item_type_name(items.type), items.bits);
}

/* In the provisional dialect extents of 1 at the end do not matter. */
bool shape_fits(const struct graph *graph, const struct data_check *check, struct tensor *tensor)
{
    const struct shape *shape = check->wanted->shape;
    struct shape given = tensor->shape;

    while (graph->provisional && given.rank > shape->rank && given.extent[given.rank - 1] == 1)
        given.rank--;
    while (graph->provisional && given.rank < shape->rank)
        given.extent[given.rank++] = 1;
    if (!shape_compatible(&given, shape))
        return diag_file_error(graph->context->diag, check->file, DIAG_DATA_SHAPE,
                               "shape is %s, but %s '%s' has shape %s", SHAPE_TEXT(&tensor->shape),
                               noun_of(check->wanted), name_of(graph, check->wanted),
                               SHAPE_TEXT(shape));
    tensor->shape = given;
    return true;
}

bool data_fits(const struct graph *graph, const struct data_check *check, struct tensor *tensor)
{
    struct diag *diag = graph->context->diag;
    const struct value *wanted = check->wanted;

    assert(wanted->kind == VALUE_VARIABLE || wanted->kind == VALUE_EXTERNAL);
    /* Quantized integers stand for scalars, and only the quantization file or the file of a
     * variable says for which (section 5.2.1). */
    bool quantized = is_quantized(check->format);
    enum dtype declared = wanted->source->quant ? DTYPE_SCALAR : (enum dtype)wanted->dtype;
    bool decodable = wanted->kind == VALUE_VARIABLE && declared == DTYPE_SCALAR;
    if (quantized ? !decodable : tensor->dtype != declared)
        return diag_file_error(diag, check->file, DIAG_DATA_TYPE,
                               "items are of type '%s', but %s '%s' is of type '%s'",
                               quantized ? item_type_name(check->format->type)
                                         : dtype_name(tensor->dtype),
                               noun_of(wanted), name_of(graph, wanted), dtype_name(declared));
    return shape_fits(graph, check, tensor) &&
           (tensor->dtype != DTYPE_INTEGER || integers_fit(graph, check, tensor));
}

/* --- the public tensor ------------------------------------------------------------------- */

/* The handle is the struct itself, on the heap. */
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

/* Types of items have the same numbers on both sides of the interface; strings are no items. */
static_assert((int)DTYPE_UNKNOWN == (int)NNEFC_DTYPE_UNKNOWN, "types are cast");
static_assert((int)DTYPE_SCALAR == (int)NNEFC_SCALAR, "types are cast");
static_assert((int)DTYPE_INTEGER == (int)NNEFC_INTEGER, "types are cast");
static_assert((int)DTYPE_LOGICAL == (int)NNEFC_LOGICAL, "types are cast");

struct nnefc_type type_of(enum dtype dtype, const struct shape *shape)
{
    struct nnefc_type type = {.rank = shape->rank};

    assert(shape->rank <= NNEFC_MAX_RANK);
    if (dtype != DTYPE_STRING)
        type.dtype = (enum nnefc_dtype)dtype;
    for (int i = 0; i < shape->rank; i++)
        type.extent[i] = shape->extent[i];
    return type;
}

struct nnefc_type unknown_type(void)
{
    return (struct nnefc_type){.rank = NNEFC_UNKNOWN};
}

const char *nnefc_dtype_name(enum nnefc_dtype dtype)
{
    bool known = dtype == NNEFC_SCALAR || dtype == NNEFC_INTEGER || dtype == NNEFC_LOGICAL;

    return known ? dtype_name((enum dtype)dtype) : "?";
}

/* tensor_allocate() refuses volumes that overflow, and gives zeroed items. */
struct nnefc_tensor *nnefc_tensor_new(const struct nnefc_type *type)
{
    struct tensor tensor;

    if (!type || type->rank < 0 || type->rank > MAX_RANK || type->dtype == NNEFC_DTYPE_UNKNOWN ||
        (unsigned)type->dtype > NNEFC_LOGICAL)
        return NULL;
    struct shape shape = {.rank = type->rank};
    for (int i = 0; i < type->rank; i++) {
        shape.extent[i] = type->extent[i];
        if (type->extent[i] < 0)
            return NULL;
    }
    bool ok = tensor_allocate(&tensor, (enum dtype)type->dtype, &shape);
    return ok ? own_tensor(&tensor) : NULL;
}

void nnefc_tensor_free(struct nnefc_tensor *tensor)
{
    if (tensor)
        tensor_clear((struct tensor *)tensor);
    free(tensor);
}

bool read_tensor(struct nnefc_model *model, const char *path, struct tensor *tensor)
{
    const struct data_request request = {.limits = &model->context->limits,
                                         .budget = context_budget(model->context)};

    return data_read(model->context->diag, path, &request, tensor, NULL);
}

struct nnefc_tensor *api_tensor_read(struct nnefc_model *model, const char *path)
{
    struct tensor tensor;

    if (!model || !path) {
        misuse(model, "no file to read a tensor from is given");
        return NULL;
    }
    return read_tensor(model, path, &tensor) ? own_tensor(&tensor) : NULL;
}

/* The format follows from the name: .npy, else .dat. */
bool api_tensor_write(struct nnefc_model *model, const struct nnefc_tensor *tensor,
                      const char *path)
{
    if (!tensor || !path)
        return misuse(model, tensor
                                 ? "no file to write a tensor to is given"
                                 : "there is no tensor to write; results are there after a step");
    struct out_set set = {model->context->diag, .force = true};

    return out_commit(&set, data_put(&set, path, handle_tensor(tensor), NULL));
}

struct nnefc_type nnefc_tensor_type(const struct nnefc_tensor *tensor)
{
    return !tensor ? unknown_type()
                   : type_of(handle_tensor(tensor)->dtype, &handle_tensor(tensor)->shape);
}

bool nnefc_tensor_is_unsigned(const struct nnefc_tensor *tensor)
{
    return tensor && handle_tensor(tensor)->is_unsigned;
}

int64_t nnefc_tensor_count(const struct nnefc_tensor *tensor)
{
    return tensor ? shape_volume(&handle_tensor(tensor)->shape) : 0;
}

/* NULL of a tensor without items, so that nobody reads behind an empty one. */
void *nnefc_tensor_data(struct nnefc_tensor *tensor)
{
    return tensor ? ((struct tensor *)tensor)->data : NULL;
}

const void *nnefc_tensor_items(const struct nnefc_tensor *tensor)
{
    return tensor ? handle_tensor(tensor)->data : NULL;
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
