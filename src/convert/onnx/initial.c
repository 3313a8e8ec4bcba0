/*
 * initial.c - the data of initializers, in the model or in files beside it
 *
 * A sparse tensor becomes one of all its items: `values` of shape [count] has those that are not 0.
 * `indices` says where they are: of shape [count], by one index into all items in row-major order,
 * or of shape [count, rank], by an index for each dimension.
 */
#include "convert/onnx/import_priv.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/onnx/import_make.h"
#include "convert/onnx/stamp.h"
#include "convert/proto/onnx_data.h"
#include "diag/context.h"
#include "file/file.h"
#include "file/label.h"
#include "file/path.h"
#include "ir/graph.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The whole file, which the builder keeps open; NULL after a report. */
static struct file_view *open_external(struct import *import, const struct onnx_tensor *tensor,
                                       const char *location)
{
    const char *folder = import->options->folder, *why = NULL;
    struct context *context = import->builder.context;

    assert(location);
    if (!folder) {
        import_fault(import, DIAG_ONNX_TENSOR,
                     "tensor '%s': its data are in '%s', but the model has no folder", tensor->name,
                     location);
        return NULL;
    }
    if (*location == '/' || !label_is_safe(location, &why)) {
        import_fault(import, DIAG_OUTSIDE,
                     "tensor '%s': its external data are in '%s', which is not below the folder "
                     "of the model: %s",
                     tensor->name, location, why ? why : "it begins with '/'");
        return NULL;
    }
    struct found_file found;
    const struct folder_file place = {folder, location};
    const struct file_request wanted = {.budget = context_budget(context),
                                        .read = context->limits.read_files};
    if (!file_open_in(context->diag, &place, &wanted, &found, NULL)) {
        diag_note(context->diag, (struct span){0}, "these are the data of tensor '%s' of '%s'",
                  tensor->name, import->options->file);
        return NULL;
    }
    struct file_view *view = heap_array(1, sizeof *view);
    *view = found.view;
    free(found.path);
    context_account(context, file_memory(view));
    struct import_memory **files = import->options->files;
    return (files ? import_memory_add(files) : builder_memory(&import->builder))->file = view;
}

/* The digest of a file; by its stamp alone, or "" without one, if the data are not to be read. */
static void find_digest(const struct import *import, const struct file_view *view,
                        char digits[SHA1_DIGITS + 1])
{
    struct sha1 sha1;

    *digits = 0;
    if (!import->options->check_data) {
        stamp_digest(view->data, view->size, digits);
        return;
    }
    sha1_begin(&sha1);
    sha1_add(&sha1, view->data, view->size);
    sha1_end(&sha1, digits);
}

/*
 * Does the file have the digest that the tensor names, so that both belong together?  Each file is
 * looked at once.  Not compared are digests that are not hexadecimal digits, and files without a
 * stamp if their data are not to be read.
 */
static bool has_digest(struct import *import, const struct onnx_tensor *tensor,
                       const char *location, const char *wanted, const struct file_view *view)
{
    const char *key = builder_key(&import->builder, location);
    char digits[SHA1_DIGITS + 1];

    if (strspn(wanted, "0123456789abcdefABCDEF") != SHA1_DIGITS || wanted[SHA1_DIGITS])
        return true;
    const char *known = map_get(&import->digests, key);
    if (!known) {
        find_digest(import, view, digits);
        known = builder_key(&import->builder, digits);
        map_set(&import->digests, key, known);
    }
    if (!*known || strcasecmp(known, wanted) == 0)
        return true;
    map_set(&import->digests, key, ""); /* one report is enough */
    return import_fault(import, DIAG_ONNX_TENSOR,
                        "tensor '%s': its data are in '%s', which is not the file of this model: "
                        "its SHA-1 digest is %s, expected %s",
                        tensor->name, location, known, wanted);
}

/* "w.bin" of "./w.bin". */
static const char *without_dots(const char *location)
{
    while (strncmp(location, "./", 2) == 0 && location[2])
        for (location += 2; *location == '/';)
            location++;
    return location;
}

/* By its entries 'location', 'offset' and 'length'. */
bool import_external_bytes(struct import *import, const struct onnx_tensor *tensor,
                           struct onnx_bytes *bytes, const struct file_view **file)
{
    const char *location = NULL, *digest = NULL;
    int64_t offset = 0, length = -1, volume = 0;

    for (const struct onnx_entry *e = tensor->external_data.first; e; e = e->next) {
        int64_t *number = strcmp(e->key, "offset") == 0   ? &offset
                          : strcmp(e->key, "length") == 0 ? &length
                                                          : NULL;
        if (strcmp(e->key, "location") == 0)
            location = without_dots(e->value);
        if (strcmp(e->key, "checksum") == 0)
            digest = e->value;
        if (number && (!num_parse_integer(e->value, strlen(e->value), number) || *number < 0))
            return import_fault(import, DIAG_ONNX_TENSOR,
                                "tensor '%s': '%s' of its external data is '%s', expected a number",
                                tensor->name, e->key, e->value);
    }
    if (!location)
        return import_fault(import, DIAG_ONNX_TENSOR,
                            "tensor '%s': its external data have no location", tensor->name);
    struct file_view *view = open_external(import, tensor, location);
    if (!view || (digest && !has_digest(import, tensor, location, digest, view)))
        return false;
    /* Without a length the data are as long as the tensor. */
    if (length < 0 && onnx_tensor_volume(tensor, &volume) &&
        num_mul(volume, onnx_type_bits(tensor->data_type), &length))
        length = length / 8 + (length % 8 != 0);
    if (length < 0 || offset > (int64_t)view->size || length > (int64_t)view->size - offset)
        return import_fault(import, DIAG_ONNX_TENSOR,
                            "tensor '%s': its data are %" PRId64 " bytes from %" PRId64
                            " on in '%s', which has %zu",
                            tensor->name, length, offset, location, view->size);
    *bytes = (struct onnx_bytes){(const unsigned char *)view->data + offset, (size_t)length};
    *file = view;
    return true;
}

/* May a tensor stay bytes, as only operators that have weights read it? */
static bool is_weights(const struct import *import, const struct onnx_tensor *tensor)
{
    int64_t volume = 0;

    return onnx_tensor_volume(tensor, &volume) && volume >= BYTES_MANY &&
           !map_get(&import->others, tensor->name);
}

/* Do the items lie in a mapped file?  The reader of messages may have copied them. */
static bool is_mapped(const struct file_view *file, const void *items)
{
    const char *at = items, *begin = file ? file->data : NULL;

    return file && file->mapped && at >= begin && at < begin + file->size;
}

/* Items are a view of the file if its bytes allow it. */
static struct imported *read_tensor(struct import *import, const struct onnx_tensor *tensor,
                                    bool initial)
{
    bool is_external = tensor->data_location == ONNX_LOCATION_EXTERNAL;
    struct context *context = import->builder.context;
    struct onnx_bytes bytes = {0};
    const struct onnx_bytes *external = is_external ? &bytes : NULL;
    const struct file_view *file = import->options->view;
    struct tensor items;

    struct shared_key key = shared_key(context->shared, "initializer");
    shared_key_number(&key, (int64_t)(uintptr_t)tensor);
    const struct tensor *known = shared_find(&key);
    if (!known && (!is_external || import_external_bytes(import, tensor, &bytes, &file)) &&
        ((initial && is_weights(import, tensor) && onnx_tensor_view(tensor, external, &items)) ||
         onnx_tensor_items(context->diag, import->options->file, tensor, external, &items))) {
        items.mapped = !items.release && is_mapped(file, tensor_place(&items));
        known = builder_share(&import->builder, &key, &items);
    }
    shared_key_free(&key);
    return known ? imported_known(&import->builder, tensor->name, tensor->data_type, known) : NULL;
}

struct imported *import_tensor(struct import *import, const struct onnx_tensor *tensor)
{
    return read_tensor(import, tensor, false);
}

struct imported *import_initializer(struct import *import, const struct onnx_tensor *tensor)
{
    return read_tensor(import, tensor, true);
}

/* --- sparse tensors ---------------------------------------------------------------------- */

/* The shape of all items, which must fit into memory, and those of values and indices. */
static bool check_sparse(struct import *import, const struct onnx_sparse_tensor *from,
                         const struct imported *values, const struct imported *indices,
                         struct shape *shape)
{
    int64_t room = context_budget(import->builder.context) / (int64_t)sizeof(int64_t), volume;
    const struct shape *at = &indices->shape;

    if (from->dims.count > MAX_RANK)
        return import_fault(import, DIAG_ONNX_TENSOR,
                            "sparse tensor '%s' has %d dimensions, expected at most %d",
                            values->name, from->dims.count, MAX_RANK);
    for (int i = 0; i < from->dims.count; i++) {
        shape->extent[shape->rank++] = from->dims.item[i];
        if (from->dims.item[i] < 0)
            return import_fault(import, DIAG_ONNX_TENSOR,
                                "sparse tensor '%s' has a negative dimension", values->name);
    }
    if (!shape_volume_checked(shape, room, &volume))
        return import_fault(import, DIAG_MEMORY_LIMIT,
                            "sparse tensor '%s' of shape %s takes more memory than is left",
                            values->name, SHAPE_TEXT(shape));
    return (values->shape.rank == 1 && indices->known->dtype == DTYPE_INTEGER &&
            (at->rank == 1 || (at->rank == 2 && at->extent[1] == shape->rank)) &&
            at->extent[0] == values->shape.extent[0]) ||
           import_fault(import, DIAG_ONNX_TENSOR,
                        "sparse tensor '%s' has values of shape %s and indices of shape %s, "
                        "expected one index, or %d, for each value",
                        values->name, SHAPE_TEXT(&values->shape), SHAPE_TEXT(at), shape->rank);
}

/* Where value `index` goes in a tensor of that shape; -1: outside. */
static int64_t place(const struct tensor *indices, const struct shape *shape, int64_t index)
{
    bool flat = indices->shape.rank == 1;
    const int64_t *item = (const int64_t *)indices->data + index * (flat ? 1 : shape->rank);
    int64_t at = 0;

    assert(indices->dtype == DTYPE_INTEGER && index < indices->shape.extent[0]);
    if (flat)
        return *item >= 0 && *item < shape_volume(shape) ? *item : -1;
    for (int i = 0; i < shape->rank; i++) {
        if (item[i] < 0 || item[i] >= shape->extent[i])
            return -1;
        at = at * shape->extent[i] + item[i];
    }
    return at;
}

struct imported *import_sparse(struct import *import, const struct onnx_sparse_tensor *from)
{
    struct imported *values = from->values ? import_tensor(import, from->values) : NULL;
    struct imported *indices = from->indices ? import_tensor(import, from->indices) : NULL;
    struct shape shape = {0};
    struct tensor tensor;

    if (!from->values || !from->indices)
        import_fault(import, DIAG_ONNX_TENSOR, "a sparse tensor lacks its values or indices");
    if (!values || !indices || !check_sparse(import, from, values, indices, &shape))
        return NULL;
    if (!tensor_allocate(&tensor, values->known->dtype, &shape)) {
        import_fault(import, DIAG_RUN_MEMORY, "not enough memory for sparse tensor '%s'",
                     values->name);
        return NULL;
    }
    const struct tensor *to = builder_keep(&import->builder, &tensor);
    size_t size = dtype_size(to->dtype);
    for (int64_t i = 0; i < values->shape.extent[0]; i++) {
        int64_t at = place(indices->known, &shape, i);
        if (at < 0) {
            import_fault(import, DIAG_ONNX_TENSOR,
                         "sparse tensor '%s': index %" PRId64 " lies outside of shape %s",
                         values->name, i, SHAPE_TEXT(&shape));
            return NULL;
        }
        memcpy((unsigned char *)to->data + (size_t)at * size,
               (const unsigned char *)values->known->data + (size_t)i * size, size);
    }
    return imported_known(&import->builder, values->name, values->type, to);
}
