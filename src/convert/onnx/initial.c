/* initial.c - initializers: their data, be they in the model or in files beside it, and labels */
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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- external data ----------------------------------------------------------------------- */

struct external {
    const char *location;
    int64_t offset, length; /* length -1: as long as the tensor */
};

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
    diag_file_error(import->builder.context->diag, import->options->file, DIAG_ONNX_TENSOR,
                    "tensor '%s': %s", tensor->name, text.data);
    text_free(&text);
    return false;
}

static bool parse_external(const struct import *import, const struct onnx_tensor *tensor,
                           struct external *external)
{
    *external = (struct external){NULL, 0, -1};
    for (const struct onnx_entry *e = tensor->external_data.first; e; e = e->next) {
        int64_t *number = strcmp(e->key, "offset") == 0   ? &external->offset
                          : strcmp(e->key, "length") == 0 ? &external->length
                                                          : NULL;
        if (strcmp(e->key, "location") == 0)
            external->location = e->value;
        if (number && (!num_parse_integer(e->value, strlen(e->value), number) || *number < 0))
            return fault(import, tensor, "'%s' of its external data is '%s', expected a number",
                         e->key, e->value);
    }
    if (!external->location)
        fault(import, tensor, "its external data have no location");
    return external->location != NULL;
}

/* The whole file, which is kept open. */
static struct file_view *open_external(struct import *import, const struct onnx_tensor *tensor,
                                       const char *location)
{
    const char *folder = import->options->folder, *why = NULL;
    struct context *context = import->builder.context;

    if (!folder) {
        fault(import, tensor, "its data are in '%s', but the model has no folder", location);
        return NULL;
    }
    if (*location == '/' || !label_is_safe(location, &why)) {
        diag_file_error(context->diag, import->options->file, DIAG_OUTSIDE,
                        "tensor '%s': its external data are in '%s', which is not below the folder "
                        "of the model: %s",
                        tensor->name, location, why ? why : "it begins with '/'");
        return NULL;
    }
    struct found_file found;
    const struct folder_file wanted = {folder, location};
    if (file_open_in(context->diag, &wanted, context_budget(context), &found, NULL)) {
        struct file_view *view = malloc(sizeof *view);
        if (!view)
            arena_out_of_memory();
        *view = found.view;
        free(found.path);
        return builder_memory(&import->builder)->file = view;
    }
    diag_note(context->diag, (struct span){0}, "these are the data of tensor '%s' of '%s'",
              tensor->name, import->options->file);
    return NULL;
}

static bool external_bytes(struct import *import, const struct onnx_tensor *tensor,
                           struct onnx_bytes *bytes)
{
    struct external external;
    int64_t volume = 0, bits = onnx_type_bits(tensor->data_type), length;

    if (!parse_external(import, tensor, &external))
        return false;
    struct file_view *view = open_external(import, tensor, external.location);
    if (!view)
        return false;
    length = external.length;
    if (length < 0 && onnx_tensor_volume(tensor, &volume) && num_mul(volume, bits, &length))
        length = length / 8 + (length % 8 != 0);
    if (length < 0 || external.offset > (int64_t)view->size ||
        length > (int64_t)view->size - external.offset)
        return fault(import, tensor,
                     "its data are %" PRId64 " bytes from %" PRId64 " on in '%s', which has %zu",
                     length, external.offset, external.location, view->size);
    *bytes =
        (struct onnx_bytes){(const unsigned char *)view->data + external.offset, (size_t)length};
    return true;
}

/* --- tensors ----------------------------------------------------------------------------- */

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
