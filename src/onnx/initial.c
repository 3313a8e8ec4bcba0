/* initial.c - initializers: their data, be they in the model or in files beside it, and labels */
#include "onnx/import_priv.h"

#include "base/arena.h"
#include "base/context.h"
#include "base/file.h"
#include "base/num.h"
#include "base/text.h"
#include "ir/graph.h"
#include "onnx/make.h"
#include "proto/onnx_data.h"
#include "tensor/inside.h"
#include "tensor/label.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Known tensors of up to so many items become constants, others variables. */
enum { CONSTANT_MAX = 16 };

/* --- memory ------------------------------------------------------------------------------ */

static struct onnx_memory *keep(struct import *import)
{
    struct onnx_memory *memory = calloc(1, sizeof *memory);

    if (!memory)
        arena_out_of_memory();
    memory->next = import->memory;
    import->memory = memory;
    return memory;
}

struct tensor *import_keep(struct import *import, const struct tensor *tensor)
{
    struct onnx_memory *memory = keep(import);

    memory->tensor = *tensor;
    context_hold(import->context, tensor_memory(tensor));
    return &memory->tensor;
}

void onnx_memory_free(struct context *context, struct onnx_memory *memory)
{
    while (memory) {
        struct onnx_memory *next = memory->next;
        context_hold(context, -tensor_memory(&memory->tensor));
        tensor_clear(&memory->tensor);
        if (memory->file)
            file_close(memory->file);
        free(memory->file);
        free(memory);
        memory = next;
    }
}

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
    diag_file_error(import->context->diag, import->options->file, DIAG_ONNX_TENSOR,
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

static bool outside(const struct import *import, const struct onnx_tensor *tensor,
                    const char *location, const char *why)
{
    return diag_file_error(import->context->diag, import->options->file, DIAG_OUTSIDE,
                           "tensor '%s': its external data are in '%s', which is not below the "
                           "folder of the model: %s",
                           tensor->name, location, why);
}

/* The whole file, which is kept open. */
static struct file_view *open_external(struct import *import, const struct onnx_tensor *tensor,
                                       const char *location)
{
    const char *folder = import->options->folder, *why = NULL;
    struct context *context = import->context;

    if (!folder) {
        fault(import, tensor, "its data are in '%s', but the model has no folder", location);
        return NULL;
    }
    if (*location == '/' || !label_inside(location, &why)) {
        outside(import, tensor, location, why ? why : "it begins with '/'");
        return NULL;
    }
    char *path = inside_find(context->diag, folder, location);
    struct inside inside = {folder, path};
    struct file_view *view = calloc(1, sizeof *view);
    if (!view)
        arena_out_of_memory();
    bool ok = path && inside_open(context->diag, &inside, context_room(context), view);
    free(path);
    if (ok)
        return keep(import)->file = view;
    diag_note(context->diag, (struct span){0}, "these are the data of tensor '%s' of '%s'",
              tensor->name, import->options->file);
    free(view);
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

struct entry *import_tensor(struct import *import, const struct onnx_tensor *tensor)
{
    bool is_external = tensor->data_location == ONNX_LOCATION_EXTERNAL;
    struct onnx_bytes bytes = {0};
    struct tensor items;

    if ((is_external && !external_bytes(import, tensor, &bytes)) ||
        !onnx_tensor_items(import->context->diag, import->options->file, tensor,
                           is_external ? &bytes : NULL, &items))
        return NULL;
    return entry_known(import, tensor->name, tensor->data_type, import_keep(import, &items));
}

/* --- labels ------------------------------------------------------------------------------ */

static bool is_label_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_-./", c));
}

/* Legal: other characters become '_', and so do components that lead elsewhere. */
static void legalize(const char *name, struct text *label)
{
    text_add(label, "%s", "");
    for (const char *c = name; *c; c++)
        text_add(label, "%c", is_label_character(*c) ? *c : '_');
    if (label_valid(label->data, NULL))
        return;
    for (size_t i = 0; i < label->size; i++)
        if (label->data[i] == '/' || label->data[i] == '.')
            label->data[i] = '_';
    if (!label_valid(label->data, NULL)) {
        label->size = 0;
        text_add(label, "tensor");
    }
}

const char *import_label(struct import *import, const char *name)
{
    struct text base = {0};

    legalize(name ? name : "", &base);
    const char *label = labels_take(&import->labels, base.data);
    text_free(&base);
    return label;
}

/* --- into the graph ---------------------------------------------------------------------- */

static struct datum datum_of(const struct tensor *tensor)
{
    double item = tensor_item(tensor, 0);

    if (tensor->dtype == DTYPE_INTEGER)
        return (struct datum){.kind = DATUM_INTEGER, .integer = *(const int64_t *)tensor->data};
    if (tensor->dtype == DTYPE_LOGICAL)
        return (struct datum){.kind = DATUM_LOGICAL, .logical = item > 0};
    return (struct datum){.kind = DATUM_SCALAR, .scalar = item};
}

/* A constant's items are the graph's own, for they are small. */
static struct tensor *own(struct import *import, const struct tensor *tensor)
{
    struct tensor *copy = arena_new_of(import->context->arena, struct tensor);
    size_t size = tensor_bytes(tensor);

    *copy = (struct tensor){.shape = tensor->shape, .dtype = tensor->dtype};
    copy->data = arena_alloc(import->context->arena, size + 1);
    memcpy(copy->data, tensor->data, size);
    return copy;
}

static struct tensor *view_of(struct import *import, const struct tensor *tensor)
{
    struct tensor *view = arena_new_of(import->context->arena, struct tensor);

    *view = *tensor;
    view->release = NULL;
    return view;
}

static struct value *introduce(struct import *import, const struct entry *entry)
{
    int64_t volume = shape_volume(&entry->shape);
    enum value_kind kind = volume > CONSTANT_MAX ? VALUE_VARIABLE : VALUE_CONSTANT;
    struct value *value;

    if (entry->shape.rank == 0) {
        struct datum datum = datum_of(entry->known);
        return graph_literal(import->graph, &datum);
    }
    value =
        graph_add_source(import->graph, kind, entry->known->dtype, &entry->shape, (struct span){0});
    const char *label = import_label(import, entry->name);
    if (kind == VALUE_VARIABLE || (entry->name && *entry->name))
        value->name = import_claim(import, label, false);
    value->source->made = true;
    if (kind == VALUE_VARIABLE)
        value->source->label = label;
    value->source->tensor =
        kind == VALUE_VARIABLE ? view_of(import, entry->known) : own(import, entry->known);
    return value;
}

struct value *entry_value(struct take *t, struct entry *entry)
{
    if (!entry->value && shape_volume(&entry->shape) == 0) {
        take_refuse(t, "tensor '%s' of shape %s has no items, which NNEF does not have",
                    entry->name ? entry->name : "", SHAPE_TEXT(&entry->shape));
        return NULL;
    }
    if (!entry->value)
        entry->value = introduce(t->import, entry);
    return entry->value;
}
