/* import_value.c - names, labels, memory, and entries on their way into the graph; see builder.h */
#include "convert/onnx/import_value.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "convert/onnx/import_make.h"
#include "diag/context.h"
#include "file/file.h"
#include "file/label.h"
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Known tensors of up to so many items become constants, others variables. */
enum { CONSTANT_MAX = 16 };

void builder_begin(struct import_builder *builder, struct context *context, const char *graph)
{
    *builder = (struct import_builder){.context = context, .labels = {.context = context}};
    builder->graph = graph_new(context, graph);
    builder->folding = graph_new(context, graph);
}

void builder_end(struct import_builder *builder)
{
    map_free(&builder->names);
    map_free(&builder->operators);
    labels_free(&builder->labels);
    import_memory_free(builder->context, builder->memory);
    builder->memory = NULL;
}

/* --- memory ------------------------------------------------------------------------------ */

struct import_memory *builder_memory(struct import_builder *builder)
{
    struct import_memory *memory = calloc(1, sizeof *memory);

    if (!memory)
        arena_out_of_memory();
    memory->next = builder->memory;
    builder->memory = memory;
    return memory;
}

struct tensor *builder_keep(struct import_builder *builder, const struct tensor *tensor)
{
    struct import_memory *memory = builder_memory(builder);

    memory->tensor = *tensor;
    context_account(builder->context, tensor_memory(tensor));
    return &memory->tensor;
}

void import_memory_free(struct context *context, struct import_memory *memory)
{
    while (memory) {
        struct import_memory *next = memory->next;
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

/* The states of a name: only a tensor of the model itself may take it, or it is taken. */
static const char reserved, taken;

static const char *key_of(const struct import_builder *builder, const char *name)
{
    return intern(builder->context->names, name, strlen(name));
}

void builder_reserve(struct import_builder *builder, const char *name)
{
    map_set(&builder->names, key_of(builder, name), &reserved);
}

const char *builder_claim(struct import_builder *builder, const char *name, bool inner)
{
    const char *key = key_of(builder, name);
    const char *state = map_get(&builder->names, key);

    if (state == &taken || (inner && state))
        return NULL;
    map_set(&builder->names, key, &taken);
    return key;
}

/* --- labels ------------------------------------------------------------------------------ */

/* Legal: other characters become '_', and so do components that lead elsewhere. */
static void legalize(const char *name, struct text *label)
{
    static const char legal[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-./";

    text_add(label, "%s", "");
    for (const char *c = name; *c; c++)
        text_add(label, "%c", strchr(legal, *c) ? *c : '_');
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

/* --- entries ----------------------------------------------------------------------------- */

static struct imported *imported_new(struct import_builder *builder, const char *name, int32_t type,
                                     const struct shape *shape)
{
    struct imported *imported = arena_new_of(builder->context->arena, struct imported);

    imported->name = name;
    imported->type = type;
    imported->shape = *shape;
    return imported;
}

struct imported *imported_known(struct import_builder *builder, const char *name, int32_t type,
                                const struct tensor *tensor)
{
    struct imported *imported = imported_new(builder, name, type, &tensor->shape);

    assert(tensor);
    imported->known = tensor;
    return imported;
}

struct imported *imported_of_value(struct import_builder *builder, const char *name, int32_t type,
                                   struct value *value)
{
    struct imported *imported = imported_new(builder, name, type, value->shape);

    imported->value = value;
    return imported;
}

/* --- into the graph ---------------------------------------------------------------------- */

/* The single item of a known tensor of rank 0. */
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
static struct tensor *own(struct import_builder *builder, const struct tensor *tensor)
{
    struct tensor *copy = arena_new_of(builder->context->arena, struct tensor);
    size_t size = tensor_bytes(tensor);

    *copy = (struct tensor){.shape = tensor->shape, .dtype = tensor->dtype};
    copy->data = arena_alloc(builder->context->arena, size + 1);
    memcpy(copy->data, tensor->data, size);
    return copy;
}

/* A literal for a single item, a constant for a few, else a variable with a legal label. */
static struct value *introduce(struct import_builder *builder, const struct imported *imported)
{
    int64_t volume = shape_volume(&imported->shape);
    enum value_kind kind = volume > CONSTANT_MAX ? VALUE_VARIABLE : VALUE_CONSTANT;
    struct value *value;

    if (imported->shape.rank == 0) {
        struct datum datum = datum_of(imported->known);
        return graph_literal(builder->graph, &datum);
    }
    value = graph_add_source(builder->graph, kind, imported->known->dtype, &imported->shape,
                             (struct span){0});
    struct text base = {0};
    legalize(imported->name ? imported->name : "", &base);
    const char *label = labels_take(&builder->labels, base.data);
    text_free(&base);
    if (kind == VALUE_VARIABLE || (imported->name && *imported->name))
        value->name = builder_claim(builder, label, false);
    value->source->made = true;
    if (kind == VALUE_VARIABLE)
        value->source->label = label;
    if (kind == VALUE_CONSTANT) {
        value->source->tensor = own(builder, imported->known);
        return value;
    }
    value->source->tensor = arena_new_of(builder->context->arena, struct tensor);
    *value->source->tensor = *imported->known;
    value->source->tensor->release = NULL; /* the builder keeps the items */
    return value;
}

struct value *imported_value(struct translation *t, struct imported *imported)
{
    assert(imported->value || imported->known);
    if (!imported->value && shape_volume(&imported->shape) == 0) {
        import_unsupported(t, "tensor '%s' of shape %s has no items, which NNEF does not have",
                           imported->name ? imported->name : "", SHAPE_TEXT(&imported->shape));
        return NULL;
    }
    if (!imported->value)
        imported->value = introduce(t->builder, imported);
    return imported->value;
}

void imported_name(struct import_builder *builder, struct imported *imported, const char *name,
                   bool inner)
{
    if (imported->value && imported->value->kind == VALUE_RESULT && !imported->value->name)
        imported->value->name = builder_claim(builder, name, inner);
}

struct value *imported_shown(struct translation *t, struct imported *imported, const char *name)
{
    struct value *value = imported_value(t, imported);

    if (!value || value->kind == VALUE_RESULT)
        return value;
    struct imported given = *imported;
    given.known = NULL;
    struct imported *copy = op1(t, OP_copy, &given);
    if (copy && !(value->name && strcmp(value->name, name) == 0))
        imported_name(t->builder, copy, name, false);
    return copy ? copy->value : NULL;
}
