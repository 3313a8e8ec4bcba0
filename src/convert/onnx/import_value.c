/*
 * import_value.c - names, labels, memory, and how tensors get into the graph; see import_value.h
 *
 * A known tensor becomes a literal, a constant or a variable, by the number of its items, when the
 * first node reads it.  Variables view the items, which the builder keeps; constants copy them.
 */
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

/* A graph takes less than so many times the memory that the file takes. */
enum { GROWTH_RATIO = 16 };

void builder_begin(struct import_builder *builder, struct context *context, const char *graph)
{
    *builder = (struct import_builder){.context = context,
                                       .scratch = arena_new_beside(context->arena),
                                       .labels = {.context = context}};
    context->scratch = builder->scratch;
    assert(graph && *graph);
    context->may_grow = context->limits.growth + GROWTH_RATIO * (int64_t)arena_used(context->arena);
    builder->graph = graph_new(context, graph);
    builder->folding = graph_new(context, graph);
    builder->reserved = &builder->own;
}

/* --- memory ------------------------------------------------------------------------------ */

/* The list grows at its front, since all entries are freed together. */
struct import_memory *import_memory_add(struct import_memory **list)
{
    struct import_memory *memory = heap_array(1, sizeof *memory);

    memory->next = *list;
    return *list = memory;
}

struct import_memory *builder_memory(struct import_builder *builder)
{
    return import_memory_add(&builder->memory);
}

struct tensor *builder_keep(struct import_builder *builder, const struct tensor *tensor)
{
    struct import_memory *memory = builder_memory(builder);

    memory->tensor = *tensor;
    context_account(builder->context, tensor_memory(tensor));
    return &memory->tensor;
}

struct tensor *builder_share(struct import_builder *builder, const struct shared_key *key,
                             const struct tensor *tensor)
{
    struct tensor *shared = shared_put(key, tensor);

    return shared ? shared : builder_keep(builder, tensor);
}

void import_memory_free(struct context *context, struct import_memory *memory)
{
    while (memory) {
        struct import_memory *next = memory->next;
        context_account(context, -tensor_memory(&memory->tensor));
        tensor_clear(&memory->tensor);
        if (memory->file) {
            context_account(context, -file_memory(memory->file));
            file_close(memory->file);
        }
        free(memory->file);
        free(memory);
        memory = next;
    }
}

/* --- names ------------------------------------------------------------------------------- */

const char *builder_key(const struct import_builder *builder, const char *name)
{
    return intern_string(builder->context->names, name);
}

void reserved_add(const struct context *context, struct reserved_names *to, const char *name)
{
    const char *key = intern_string(context->names, name);

    if (!*name || map_get(&to->known, key))
        return;
    map_set(&to->known, key, arena_new_of(context->arena, struct reserved_name));
    to->name = arena_list(context->arena, (void *)to->name, to->count, sizeof *to->name);
    to->name[to->count++] = key;
}

void builder_take_reserved(struct import_builder *builder, const struct reserved_names *names)
{
    builder->reserved = names;
    builder->graph->source_names = names->name;
    builder->graph->nsource_name = names->count;
    builder->labels.reserved = names->name;
    builder->labels.nreserved = names->count;
}

void builder_reserve(struct import_builder *builder, const char *name)
{
    const struct reserved_names *reserved = builder->reserved;

    if (map_get(&reserved->known, builder_key(builder, name)))
        return;
    for (int i = 0; i < reserved->count && reserved != &builder->own; i++)
        reserved_add(builder->context, &builder->own, reserved->name[i]);
    reserved_add(builder->context, &builder->own, name);
    builder_take_reserved(builder, &builder->own);
}

const char *builder_claim(struct import_builder *builder, const char *key, bool inner)
{
    if (map_get(&builder->names, key) || (inner && map_get(&builder->reserved->known, key)))
        return NULL;
    map_set(&builder->names, key, key);
    return key;
}

/* --- entries ----------------------------------------------------------------------------- */

static struct imported *imported_new(struct import_builder *builder, const char *name, int32_t type,
                                     const struct shape *shape)
{
    struct imported *imported = arena_new_of(builder->scratch, struct imported);

    assert(type >= ONNX_UNDEFINED && type < ONNX_DATA_TYPE_COUNT);
    imported->name = name;
    imported->type = type;
    imported->shape = *shape;
    return imported;
}

struct imported *imported_known(struct import_builder *builder, const char *name, int32_t type,
                                const struct tensor *tensor)
{
    struct imported *imported = imported_new(builder, name, type, &tensor->shape);

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

/* What the label of a tensor goes by if that is its name; NULL: the name is no label. */
static const char *own_label(const struct import_builder *builder, const char *name)
{
    struct reserved_name *reserved = map_get(&builder->reserved->known, builder_key(builder, name));

    if (reserved && reserved->asked)
        return reserved->label;
    const char *label = label_is_made(name) ? label_key(builder->context, name, false) : NULL;
    if (reserved)
        *reserved = (struct reserved_name){label, true};
    return label;
}

/*
 * The label, and the name, of a tensor of the model; `name` NULL: it has none.  A label that had to
 * be changed is that of no other tensor.
 */
static void name_source(struct import_builder *builder, struct value *value, const char *name,
                        bool own)
{
    struct text base = {0};

    if (value->kind != VALUE_VARIABLE)
        return;
    const char *key = own && name ? own_label(builder, name) : NULL;
    if (key) {
        value->source->label = labels_take_own(&builder->labels, name, key);
        return;
    }
    label_make(name ? name : "", &base);
    value->source->label = labels_take(&builder->labels, base.data);
    text_free(&base);
}

/*
 * Name the rest once all nodes are there: a view is called as its tensor if that is not in the
 * graph itself, and what was computed has a name that no tensor of the model had.
 */
static void name_rest(struct import_builder *builder)
{
    for (int i = 0; i < builder->nlate; i++) {
        const struct late_name *l = &builder->late[i];
        const char *key = l->view ? builder_key(builder, l->name) : NULL;
        bool is_free = key && !map_get(&builder->names, key);
        name_source(builder, l->value, l->name, is_free);
        if (is_free)
            l->value->name = builder_claim(builder, key, false);
    }
}

struct graph *builder_end(struct import_builder *builder, bool ok, struct import_memory **memory)
{
    if (ok)
        name_rest(builder);
    else
        import_memory_free(builder->context, builder->memory);
    *memory = ok ? builder->memory : NULL;
    map_free(&builder->names);
    map_free(&builder->own.known);
    for (int i = 0; i < IMPORT_DOMAINS; i++)
        map_free(&builder->operators[i]);
    labels_free(&builder->labels);
    builder->context->scratch = NULL;
    arena_free(builder->scratch);
    return ok ? builder->graph : NULL;
}

/* A literal for a single item, a constant for a few, else a variable with a legal label. */
static struct value *introduce(struct import_builder *builder, const struct imported *imported)
{
    const struct tensor *known = imported->known;
    int64_t volume = shape_volume(&imported->shape);
    enum value_kind kind = volume > CONSTANT_MAX ? VALUE_VARIABLE : VALUE_CONSTANT;
    struct arena *arena = builder->context->arena;

    if (imported->shape.rank == 0) {
        struct datum datum = {.kind = DATUM_SCALAR, .scalar = tensor_item(known, 0)};
        if (known->dtype == DTYPE_INTEGER)
            datum = (struct datum){.kind = DATUM_INTEGER, .integer = *(int64_t *)known->data};
        else if (known->dtype == DTYPE_LOGICAL)
            datum = (struct datum){.kind = DATUM_LOGICAL, .logical = datum.scalar > 0};
        return graph_literal(builder->graph, &datum);
    }
    struct value *value =
        graph_add_source(builder->graph, kind, known->dtype, &imported->shape, (struct span){0});
    const char *name = imported->name && *imported->name ? imported->name : NULL;
    if (imported->made || imported->view || !name) {
        builder->late = arena_list(arena, builder->late, builder->nlate, sizeof *builder->late);
        builder->late[builder->nlate++] =
            (struct late_name){value, name, name && imported->view && !imported->made};
    } else {
        name_source(builder, value, name, true);
        value->name = builder_claim(builder, builder_key(builder, name), false);
    }
    value->source->made = true;
    struct tensor *tensor = value->source->tensor = arena_new_of(arena, struct tensor);
    if (kind == VALUE_CONSTANT) {
        size_t size = tensor_bytes(known);
        *tensor = (struct tensor){.shape = known->shape, .dtype = known->dtype};
        tensor->data = arena_alloc(arena, size + 1);
        memcpy(tensor->data, known->data, size);
        return value;
    }
    *tensor = *known;
    tensor->release = NULL; /* the builder keeps the items */
    return value;
}

struct value *imported_value(struct translation *t, struct imported *imported)
{
    if (imported->list)
        return import_refuse(t, DIAG_NOT_IN_NNEF, "is a sequence, where NNEF has tensors only");
    assert(imported->value || imported->known);
    if (!imported->value)
        imported->value = introduce(t->builder, imported);
    return imported->value;
}

void imported_name(struct import_builder *builder, struct imported *imported, const char *key,
                   bool inner)
{
    if (imported->value && imported->value->kind == VALUE_RESULT && !imported->value->name)
        imported->value->name = builder_claim(builder, key, inner);
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
