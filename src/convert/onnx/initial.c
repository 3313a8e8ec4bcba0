/* initial.c - the data of initializers, in the model or in files beside it */
#include "convert/onnx/import_priv.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/onnx/import_make.h"
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

/* Report a fault of a tensor; false. */
static bool fault(const struct import *import, const struct onnx_tensor *tensor, const char *fmt,
                  ...) PRINTF_LIKE(3, 4);

static bool fault(const struct import *import, const struct onnx_tensor *tensor, const char *fmt,
                  ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    import_fault(import, DIAG_ONNX_TENSOR, "tensor '%s': %s", tensor->name, text.data);
    text_free(&text);
    return false;
}

/* The whole file, which the builder keeps open; NULL after a report. */
static struct file_view *open_external(struct import *import, const struct onnx_tensor *tensor,
                                       const char *location)
{
    const char *folder = import->options->folder, *why = NULL;
    struct context *context = import->builder.context;

    assert(location);
    if (!folder) {
        fault(import, tensor, "its data are in '%s', but the model has no folder", location);
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
    const struct folder_file wanted = {folder, location};
    if (!file_open_in(context->diag, &wanted, context_budget(context), &found, NULL)) {
        diag_note(context->diag, (struct span){0}, "these are the data of tensor '%s' of '%s'",
                  tensor->name, import->options->file);
        return NULL;
    }
    struct file_view *view = malloc(sizeof *view);
    if (!view)
        arena_out_of_memory();
    *view = found.view;
    free(found.path);
    return builder_memory(&import->builder)->file = view;
}

/* The data by entries 'location', 'offset' and 'length' of the tensor; false after a report. */
static bool external_bytes(struct import *import, const struct onnx_tensor *tensor,
                           struct onnx_bytes *bytes)
{
    const char *location = NULL;
    int64_t offset = 0, length = -1, volume = 0;

    for (const struct onnx_entry *e = tensor->external_data.first; e; e = e->next) {
        int64_t *number = strcmp(e->key, "offset") == 0   ? &offset
                          : strcmp(e->key, "length") == 0 ? &length
                                                          : NULL;
        if (strcmp(e->key, "location") == 0)
            location = e->value;
        if (number && (!num_parse_integer(e->value, strlen(e->value), number) || *number < 0))
            return fault(import, tensor, "'%s' of its external data is '%s', expected a number",
                         e->key, e->value);
    }
    if (!location)
        return fault(import, tensor, "its external data have no location");
    struct file_view *view = open_external(import, tensor, location);
    if (!view)
        return false;
    /* Without a length the data are as long as the tensor. */
    if (length < 0 && onnx_tensor_volume(tensor, &volume) &&
        num_mul(volume, onnx_type_bits(tensor->data_type), &length))
        length = length / 8 + (length % 8 != 0);
    if (length < 0 || offset > (int64_t)view->size || length > (int64_t)view->size - offset)
        return fault(import, tensor,
                     "its data are %" PRId64 " bytes from %" PRId64 " on in '%s', which has %zu",
                     length, offset, location, view->size);
    *bytes = (struct onnx_bytes){(const unsigned char *)view->data + offset, (size_t)length};
    return true;
}

struct imported *import_tensor(struct import *import, const struct onnx_tensor *tensor)
{
    bool is_external = tensor->data_location == ONNX_LOCATION_EXTERNAL;
    struct onnx_bytes bytes = {0};
    struct tensor items;

    if ((is_external && !external_bytes(import, tensor, &bytes)) ||
        !onnx_tensor_items(import->builder.context->diag, import->options->file, tensor,
                           is_external ? &bytes : NULL, &items))
        return NULL;
    return imported_known(&import->builder, tensor->name, tensor->data_type,
                          builder_keep(&import->builder, &items));
}
