/*
 * merge_constants.c - constants and variables that hold the same become one
 *
 * Only those of one type and shape are looked into: first at the first items, where these agree at
 * some others, and at all of them only where these agree, too.  A model whose tensors all differ is
 * hardly read.
 */
#include "pass/pass_priv.h"

#include "base/hash.h"
#include "ir/graph_edit.h"

#include <assert.h>
#include <string.h>

/* Items of a tensor that are looked at where the first ones are equal, and bytes of the first: each
 * read may be one from memory. */
enum { SAMPLES = 8, FIRST = 32 };

/* How far two tensors are looked into, one after the other. */
enum depth { DEPTH_SOME, DEPTH_ALL, DEPTHS };

struct constant_entry {
    struct value *value;
    uint64_t first,
        hash[DEPTHS]; /* of the type, the shape and the first items; of more once needed */
    int known;        /* so many of them */
};

/* Open addressing by the first items; there is room for twice the entries. */
struct equal_constants {
    struct constant_entry **entry; /* NULL: empty */
    uint32_t count;                /* a power of two */
};

/* --- what is equal -------------------------------------------------------------------------- */

/* The items that tell: one if all are the same, so that it does not matter whether one stands for
 * them. */
struct equal_items {
    const unsigned char *data;
    size_t size, count;
    bool have_sign, are_nibbles; /* bytes */
};

static struct equal_items items_of(const struct value *value)
{
    const struct tensor *tensor = value_items(value);
    const size_t width = tensor->bytes ? 1 : dtype_size(tensor->dtype);
    const size_t count = tensor_repeats(tensor) ? 1 : tensor_size(tensor) / width;

    return (struct equal_items){tensor_place(tensor), width, count, tensor->bytes_are_signed,
                                tensor->are_nibbles};
}

static uint64_t hash_of(struct constant_entry *entry, enum depth depth)
{
    struct equal_items items = items_of(entry->value);
    size_t step = items.count > SAMPLES ? items.count / SAMPLES : 1;

    for (; entry->known <= (int)depth; entry->known++) {
        uint64_t hash = entry->first;
        for (size_t i = 0; i < items.count && entry->known == DEPTH_SOME; i += step)
            hash = hash_bytes(hash, items.data + i * items.size, items.size);
        if (entry->known == DEPTH_ALL)
            hash = hash_bytes(hash, items.data, items.count * items.size);
        entry->hash[entry->known] = hash;
    }
    return entry->hash[depth];
}

/* Only where all hashes are equal are the items compared. */
static bool is_equal(struct constant_entry *a, struct constant_entry *b)
{
    if (a->first != b->first || a->value->kind != b->value->kind ||
        !value_may_replace(a->value, b->value))
        return false;
    for (enum depth depth = DEPTH_SOME; depth < DEPTHS; depth++)
        if (hash_of(a, depth) != hash_of(b, depth))
            return false;
    struct equal_items x = items_of(a->value), y = items_of(b->value);
    return x.count == y.count && x.size == y.size && x.have_sign == y.have_sign &&
           x.are_nibbles == y.are_nibbles && memcmp(x.data, y.data, x.count * x.size) == 0;
}

/* The value that was there before, or NULL: then this one is now. */
static struct value *find_or_add(struct pass *pass, struct equal_constants *found,
                                 struct value *value)
{
    struct equal_items items = items_of(value);
    uint64_t hash = hash_mix(hash_mix(value->kind, value->dtype), (uint64_t)value->shape->rank);
    size_t size = items.count * items.size;

    assert(items.count > 0);
    for (int i = 0; i < value->shape->rank; i++)
        hash = hash_mix(hash, (uint64_t)value->shape->extent[i]);
    hash = hash_bytes(hash, items.data, size < FIRST ? size : FIRST);
    struct constant_entry entry = {.value = value, .first = hash};
    uint32_t at = (uint32_t)(hash >> 32) & (found->count - 1);
    for (; found->entry[at]; at = (at + 1) & (found->count - 1))
        if (is_equal(found->entry[at], &entry))
            return found->entry[at]->value;
    found->entry[at] = pass_scratch(pass, 1, sizeof entry);
    *found->entry[at] = entry;
    return NULL;
}

/* --- the pass ------------------------------------------------------------------------------- */

static bool was_merged(const struct value *value, void *data)
{
    (void)data;
    return !value->source->tensor;
}

/* Literals are left out: they are equal only if they are one. */
static void merge_list(struct pass *pass, const struct source_list *list,
                       struct equal_constants *found)
{
    for (struct source *s = list->first; s; s = s->next) {
        const struct tensor *items = value_items(s->value);
        if (!items || value_is_literal(s->value) || value_is_pinned(pass, s->value) ||
            shape_volume(&items->shape) == 0)
            continue;
        if (pass_replace(pass, s->value, find_or_add(pass, found, s->value)))
            s->tensor = NULL;
    }
}

static void end(struct pass *pass)
{
    struct graph *graph = pass->graph;
    struct equal_constants found = {.count = 16};
    int before = pass->changes;

    /* The pass that gives each use a value of its own would be undone, and undo this one. */
    if (pass_is_run(pass, &pass_split_shared) || !pass->all->unmerged)
        return;
    pass->all->unmerged = false;
    while ((int64_t)found.count < 2 * ((int64_t)graph->variables.count + graph->constants.count))
        found.count *= 2;
    found.entry = pass_scratch(pass, found.count, sizeof *found.entry);
    merge_list(pass, &graph->variables, &found);
    merge_list(pass, &graph->constants, &found);
    if (pass->changes == before)
        return;
    graph_erase_sources(graph, VALUE_VARIABLE, was_merged, NULL);
    graph_erase_sources(graph, VALUE_CONSTANT, was_merged, NULL);
}

const struct pass_desc pass_merge_constants = {
    .purpose = "keep one of the constants and variables that hold the same",
    .end = end,
};
