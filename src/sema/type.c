/*
 * type.c - types, made once each, and implicit casts (NNEF 1.0.5, section 3.3.1)
 *
 * Primitive and tensor types are constants; arrays and tuples are found again in a chained hash
 * table whose buckets double with their number.
 */
#include "sema/type.h"

#include "base/arena.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* A type in its bucket. */
struct type_node {
    struct type type;
    struct type_node *next;
    uint64_t hash; /* of the parts of the type */
};

struct types {
    struct arena *arena;       /* all types live as long as it */
    struct type_node **bucket; /* by the last bits of the hash */
    size_t capacity;           /* buckets: a power of two */
    size_t count;              /* types */
};

enum { FIRST_CAPACITY = 64 };

/* By their kinds. */
static const struct type primitives[] = {
    [TYPE_POISON] = {.kind = TYPE_POISON, .size = 1},
    [TYPE_INTEGER] = {.kind = TYPE_INTEGER, .size = 1},
    [TYPE_SCALAR] = {.kind = TYPE_SCALAR, .size = 1},
    [TYPE_LOGICAL] = {.kind = TYPE_LOGICAL, .size = 1},
    [TYPE_STRING] = {.kind = TYPE_STRING, .size = 1},
    [TYPE_GENERIC] = {.kind = TYPE_GENERIC, .size = 1, .has_generic = true},
    [TYPE_EMPTY_ARRAY] = {.kind = TYPE_EMPTY_ARRAY, .size = 1},
};

#define TENSOR_OF(KIND)                                                                \
    {                                                                                  \
        .kind = TYPE_TENSOR, .item = &primitives[KIND], .size = 1, .has_tensor = true, \
        .has_generic = (KIND) == TYPE_GENERIC                                          \
    }

/* By the kinds of their items. */
static const struct type tensors[] = {
    [TYPE_POISON] = TENSOR_OF(TYPE_POISON), [TYPE_INTEGER] = TENSOR_OF(TYPE_INTEGER),
    [TYPE_SCALAR] = TENSOR_OF(TYPE_SCALAR), [TYPE_LOGICAL] = TENSOR_OF(TYPE_LOGICAL),
    [TYPE_STRING] = TENSOR_OF(TYPE_STRING), [TYPE_GENERIC] = TENSOR_OF(TYPE_GENERIC),
};

static const struct type unbound_tensor = {.kind = TYPE_TENSOR, .size = 1, .has_tensor = true};

struct types *types_new(struct arena *arena)
{
    struct types *types = arena_new_of(arena, struct types);

    types->arena = arena;
    types->capacity = FIRST_CAPACITY;
    types->bucket = arena_array_of(arena, struct type_node *, FIRST_CAPACITY);
    return types;
}

/* They are constants, so that equal ones are one. */
const struct type *type_primitive(enum type_kind kind)
{
    assert(kind <= TYPE_GENERIC || kind == TYPE_EMPTY_ARRAY);
    return &primitives[kind];
}

bool type_is_primitive(const struct type *type)
{
    return type->kind >= TYPE_INTEGER && type->kind <= TYPE_GENERIC;
}

/* Of a primitive data type, '?' or poison. */
const struct type *type_tensor(const struct type *item)
{
    if (!item)
        return &unbound_tensor;
    assert(item->kind <= TYPE_GENERIC);
    return &tensors[item->kind];
}

/* Buckets double; chains are relinked, types keep their address. */
static void grow(struct types *types)
{
    struct type_node **old = types->bucket;
    size_t capacity = types->capacity;

    assert((capacity & (capacity - 1)) == 0);
    types->capacity *= 2;
    types->bucket = arena_array_of(types->arena, struct type_node *, types->capacity);
    for (size_t i = 0; i < capacity; i++)
        for (struct type_node *n = old[i], *next; n; n = next) {
            struct type_node **head = &types->bucket[n->hash & (types->capacity - 1)];
            next = n->next;
            n->next = *head;
            *head = n;
        }
}

/* The one type with the parts of `wanted`. */
static const struct type *unique(struct types *types, struct type wanted)
{
    uint64_t hash = (uint64_t)wanted.kind ^ (uintptr_t)wanted.item;
    size_t size = (size_t)wanted.count * sizeof *wanted.items;

    assert(wanted.kind == TYPE_ARRAY || wanted.kind == TYPE_TUPLE);
    for (int i = 0; i < wanted.count; i++)
        hash = (hash ^ (uintptr_t)wanted.items[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash * UINT64_C(0x9E3779B97F4A7C15)) >> 20;
    for (struct type_node *n = types->bucket[hash & (types->capacity - 1)]; n; n = n->next) {
        const struct type *t = &n->type;
        if (t->kind == wanted.kind && t->item == wanted.item && t->count == wanted.count &&
            (wanted.count == 0 || memcmp(t->items, wanted.items, size) == 0))
            return t;
    }
    if (types->count++ == types->capacity)
        grow(types);
    struct type_node *n = arena_new_of(types->arena, struct type_node);
    struct type_node **head = &types->bucket[hash & (types->capacity - 1)];
    if (wanted.count) {
        const struct type **items = arena_array_of(types->arena, const struct type *, wanted.count);
        memcpy(items, wanted.items, size);
        wanted.items = items;
    }
    *n = (struct type_node){wanted, *head, hash};
    *head = n;
    return &n->type;
}

const struct type *type_array(struct types *types, const struct type *item)
{
    assert(item && item->size > 0);
    return unique(types, (struct type){.kind = TYPE_ARRAY,
                                       .item = item,
                                       .size = item->size + 1,
                                       .has_tensor = item->has_tensor,
                                       .has_generic = item->has_generic});
}

/* Sizes saturate: types can double in size with each statement. */
const struct type *type_tuple(struct types *types, const struct type *const *items, int count)
{
    struct type tuple = {.kind = TYPE_TUPLE, .items = items, .count = count, .size = 1};

    assert(count >= 0);
    for (int i = 0; i < count; i++) {
        tuple.has_tensor |= items[i]->has_tensor;
        tuple.has_generic |= items[i]->has_generic;
        if (tuple.size <= TYPE_SIZE_LIMIT)
            tuple.size += items[i]->size;
    }
    return unique(types, tuple);
}

const struct type *type_substitute(struct types *types, const struct type *type,
                                   const struct type *what)
{
    if (!type->has_generic || what->kind == TYPE_GENERIC)
        return type;
    if (type->kind == TYPE_GENERIC)
        return what;
    if (type->kind == TYPE_TENSOR)
        return type_tensor(what);
    if (type->kind == TYPE_ARRAY)
        return type_array(types, type_substitute(types, type->item, what));
    assert(type->kind == TYPE_TUPLE); /* no other type contains a '?' */
    const struct type **items = arena_array_of(types->arena, const struct type *, type->count);
    for (int i = 0; i < type->count; i++)
        items[i] = type_substitute(types, type->items[i], what);
    return type_tuple(types, items, type->count);
}

/* Poison casts to and from everything: its fault was reported. */
bool type_castable(const struct type *from, const struct type *to)
{
    const struct type *item = to->item;
    bool ok = from->kind == TYPE_TUPLE && to->kind == TYPE_TUPLE && from->count == to->count;

    if (from == to || from->kind == TYPE_POISON || to->kind == TYPE_POISON)
        return true;
    if (to->kind == TYPE_TENSOR) {
        /* Any tensor is a tensor<>, and one whose data type shows later is any tensor; a value of
         * compile time is a tensor of its own type only. */
        bool dynamic = item && item->kind == TYPE_POISON;
        if (from->kind == TYPE_TENSOR)
            return !item || dynamic || (from->item && from->item->kind == TYPE_POISON);
        return type_is_primitive(from) && (!item || item == from || dynamic);
    }
    if (to->kind == TYPE_ARRAY)
        return from->kind == TYPE_EMPTY_ARRAY ||
               (from->kind == TYPE_ARRAY && type_castable(from->item, item));
    for (int i = 0; ok && i < to->count; i++)
        ok = type_castable(from->items[i], to->items[i]);
    return ok;
}

/* Poison, if either of them is. */
const struct type *type_common(const struct type *a, const struct type *b)
{
    if (a == b || b->kind == TYPE_POISON)
        return b;
    if (a->kind == TYPE_POISON)
        return a;
    if (type_castable(a, b))
        return b;
    return type_castable(b, a) ? a : NULL;
}

/* Primitive types have the numbers of their names, and poison that of none. */
static_assert((int)TYPE_INTEGER == (int)TYPE_NAME_INTEGER, "types are cast");
static_assert((int)TYPE_GENERIC == (int)TYPE_NAME_GENERIC, "types are cast");

const struct type *type_of_name(enum type_name name)
{
    assert(name <= TYPE_NAME_GENERIC);
    return &primitives[name];
}

enum type_name type_to_name(const struct type *type)
{
    return type_is_primitive(type) ? (enum type_name)type->kind : TYPE_NAME_NONE;
}

enum dtype type_dtype(const struct type *type)
{
    static const enum dtype dtype[] = {
        [TYPE_INTEGER] = DTYPE_INTEGER, [TYPE_SCALAR] = DTYPE_SCALAR,
        [TYPE_LOGICAL] = DTYPE_LOGICAL, [TYPE_STRING] = DTYPE_STRING,
        [TYPE_GENERIC] = DTYPE_UNKNOWN,
    };

    return type_is_primitive(type) ? dtype[type->kind] : DTYPE_UNKNOWN;
}

/* --- types in the words of either dialect ------------------------------------------------- */

enum { LONGEST_TEXT = 120 }; /* about, in bytes: types can be longer than anybody reads */

/* What is longer than LONGEST_TEXT ends in dots. */
static void add_type(const struct type *type, enum dialect dialect, struct text *to)
{
    const struct type *item = type->item;
    bool bare;

    switch (type->kind) {
    case TYPE_INTEGER:
    case TYPE_SCALAR:
    case TYPE_LOGICAL:
    case TYPE_STRING:
    case TYPE_GENERIC:
        text_add(to, "%s", type_name_text(type_to_name(type), dialect));
        break;
    case TYPE_TENSOR:
        /* The provisional dialect writes no data types of tensors. */
        bare = dialect == DIALECT_PROVISIONAL && item &&
               (item->kind == TYPE_SCALAR || item->kind == TYPE_POISON);
        text_add(to, bare ? "tensor" : "tensor<");
        if (item && !bare)
            add_type(item, dialect, to);
        text_add(to, bare ? "" : ">");
        break;
    case TYPE_ARRAY:
        add_type(item, dialect, to);
        text_add(to, to->size < LONGEST_TEXT ? "[]" : "");
        break;
    case TYPE_TUPLE:
        for (int i = 0; i < type->count && to->size < LONGEST_TEXT; i++) {
            text_add(to, i ? "," : "(");
            add_type(type->items[i], dialect, to);
        }
        text_add(to, to->size < LONGEST_TEXT ? ")" : "...");
        break;
    case TYPE_EMPTY_ARRAY:
        text_add(to, "[]");
        break;
    case TYPE_POISON:
        text_add(to, "unknown");
        break;
    }
}

const char *type_text(const struct type *type, enum dialect dialect, struct arena *arena)
{
    struct text text = {0};

    add_type(type, dialect, &text);
    return text_keep(&text, arena);
}
