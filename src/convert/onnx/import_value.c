/* import_value.c - names, labels, memory, and entries on their way into the graph; see maker.h */
#include "convert/onnx/import_value.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_make.h"
#include "diag/context.h"
#include "file/file.h"
#include "file/label.h"
#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

/* Known tensors of up to so many items become constants, others variables. */
enum { CONSTANT_MAX = 16 };

void maker_begin(struct maker *maker, struct context *context, const char *graph)
{
    *maker = (struct maker){.context = context, .labels = {.context = context}};
    maker->graph = graph_new(context, graph);
    maker->folding = graph_new(context, graph);
}

void maker_end(struct maker *maker)
{
    map_free(&maker->names);
    labels_free(&maker->labels);
    take_memory_free(maker->context, maker->memory);
    maker->memory = NULL;
}

/* --- memory ------------------------------------------------------------------------------ */

struct take_memory *maker_memory(struct maker *maker)
{
    struct take_memory *memory = calloc(1, sizeof *memory);

    if (!memory)
        arena_out_of_memory();
    memory->next = maker->memory;
    maker->memory = memory;
    return memory;
}

struct tensor *maker_keep(struct maker *maker, const struct tensor *tensor)
{
    struct take_memory *memory = maker_memory(maker);

    memory->tensor = *tensor;
    context_account(maker->context, tensor_memory(tensor));
    return &memory->tensor;
}

void take_memory_free(struct context *context, struct take_memory *memory)
{
    while (memory) {
        struct take_memory *next = memory->next;
        context_account(context, -tensor_memory(&memory->tensor));
        tensor_clear(&memory->tensor);
        if (memory->file)
            file_close(memory->file);
        free(memory->file);
        free(memory);
        memory = next;
    }
}

/* --- names ------------------------------------------------------------------------------- */

/* What a name in maker->names is: one that only a tensor of the model itself may take, or taken. */
static const char reserved, taken;

static const char *key_of(const struct maker *maker, const char *name)
{
    return intern(maker->context->names, name, strlen(name));
}

void maker_reserve(struct maker *maker, const char *name)
{
    map_set(&maker->names, key_of(maker, name), &reserved);
}

const char *maker_claim(struct maker *maker, const char *name, bool inner)
{
    const char *key = key_of(maker, name);
    const char *state = map_get(&maker->names, key);

    if (state == &taken || (inner && state))
        return NULL;
    map_set(&maker->names, key, &taken);
    return key;
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

static const char *maker_label(struct maker *maker, const char *name)
{
    struct text base = {0};

    legalize(name ? name : "", &base);
    const char *label = labels_take(&maker->labels, base.data);
    text_free(&base);
    return label;
}

/* --- entries ----------------------------------------------------------------------------- */

static struct entry *entry_new(struct maker *maker, const char *name, int32_t type,
                               const struct shape *shape)
{
    struct entry *entry = arena_new_of(maker->context->arena, struct entry);

    entry->name = name;
    entry->type = type;
    entry->shape = *shape;
    return entry;
}

struct entry *entry_known(struct maker *maker, const char *name, int32_t type,
                          const struct tensor *tensor)
{
    struct entry *entry = entry_new(maker, name, type, &tensor->shape);

    entry->known = tensor;
    return entry;
}

struct entry *entry_of_value(struct maker *maker, const char *name, int32_t type,
                             struct value *value)
{
    struct entry *entry = entry_new(maker, name, type, value->shape);

    entry->value = value;
    return entry;
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
static struct tensor *own(struct maker *maker, const struct tensor *tensor)
{
    struct tensor *copy = arena_new_of(maker->context->arena, struct tensor);
    size_t size = tensor_bytes(tensor);

    *copy = (struct tensor){.shape = tensor->shape, .dtype = tensor->dtype};
    copy->data = arena_alloc(maker->context->arena, size + 1);
    memcpy(copy->data, tensor->data, size);
    return copy;
}

static struct tensor *view_of(struct maker *maker, const struct tensor *tensor)
{
    struct tensor *view = arena_new_of(maker->context->arena, struct tensor);

    *view = *tensor;
    view->release = NULL;
    return view;
}

static struct value *introduce(struct maker *maker, const struct entry *entry)
{
    int64_t volume = shape_volume(&entry->shape);
    enum value_kind kind = volume > CONSTANT_MAX ? VALUE_VARIABLE : VALUE_CONSTANT;
    struct value *value;

    if (entry->shape.rank == 0) {
        struct datum datum = datum_of(entry->known);
        return graph_literal(maker->graph, &datum);
    }
    value =
        graph_add_source(maker->graph, kind, entry->known->dtype, &entry->shape, (struct span){0});
    const char *label = maker_label(maker, entry->name);
    if (kind == VALUE_VARIABLE || (entry->name && *entry->name))
        value->name = maker_claim(maker, label, false);
    value->source->made = true;
    if (kind == VALUE_VARIABLE)
        value->source->label = label;
    value->source->tensor =
        kind == VALUE_VARIABLE ? view_of(maker, entry->known) : own(maker, entry->known);
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
        entry->value = introduce(t->maker, entry);
    return entry->value;
}

void entry_name(struct maker *maker, struct entry *entry, const char *name, bool inner)
{
    if (entry->value && entry->value->kind == VALUE_RESULT && !entry->value->name)
        entry->value->name = maker_claim(maker, name, inner);
}

struct value *entry_shown(struct take *t, struct entry *entry, const char *name)
{
    struct value *value = entry_value(t, entry);

    if (!value || value->kind == VALUE_RESULT)
        return value;
    struct entry given = *entry;
    given.known = NULL;
    struct entry *copy = op1(t, OP_copy, &given);
    if (copy && !(value->name && strcmp(value->name, name) == 0))
        entry_name(t->maker, copy, name, false);
    return copy ? copy->value : NULL;
}
