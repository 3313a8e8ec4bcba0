/*
 * intern.c - a hash table of names with open addressing
 *
 * Hashes are stored apart from the texts, and a text is read only if its hash agrees: in a large
 * document most texts are not in the cache of the processor.
 */
#include "base/intern.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256, RECENT = 1024 };
static_assert((RECENT & (RECENT - 1)) == 0, "hashes are masked");
static_assert((FIRST_CAPACITY & (FIRST_CAPACITY - 1)) == 0, "hashes are masked");

struct interned {
    uint32_t len;
    char text[];
};

struct table {
    uint32_t *hash; /* 0: empty */
    struct interned **entry;
    size_t capacity; /* a power of two */
};

struct intern {
    struct arena *arena;
    struct table table;
    size_t count;
    struct recent {
        uint32_t hash;
        struct interned *entry;
    } recent[RECENT];         /* by hash: most names are used again soon */
    const char *copy[RECENT]; /* texts of entries, by address */
};

static struct table table_new(size_t capacity)
{
    struct table t = {calloc(capacity, sizeof *t.hash),
                      malloc(capacity * sizeof(struct interned *)), capacity};

    if (!t.hash || !t.entry)
        arena_out_of_memory();
    return t;
}

static void table_free(struct table table)
{
    free(table.hash);
    free(table.entry);
}

struct intern *intern_new(struct arena *arena)
{
    struct intern *names = calloc(1, sizeof *names);

    if (!names)
        arena_out_of_memory();
    names->arena = arena;
    names->table = table_new(FIRST_CAPACITY);
    return names;
}

void intern_free(struct intern *names)
{
    if (!names)
        return;
    table_free(names->table);
    free(names);
}

static bool is_text(const struct interned *e, const char *text, size_t len)
{
    return e->len == len && memcmp(e->text, text, len) == 0;
}

/* The place of a text in the table, or the empty place for it.  `text` NULL equals no entry. */
static size_t place(const struct table *table, const char *text, size_t len, uint32_t hash)
{
    size_t at = hash & (table->capacity - 1);

    while (table->hash[at]) {
        if (text && table->hash[at] == hash && is_text(table->entry[at], text, len))
            break;
        at = (at + 1) & (table->capacity - 1);
    }
    return at;
}

static void put(struct table *table, size_t at, uint32_t hash, struct interned *e)
{
    table->hash[at] = hash;
    table->entry[at] = e;
}

const char *intern(struct intern *names, const char *text, size_t len)
{
    assert(text || len == 0);
    uint32_t hash = (uint32_t)(hash_bytes(len, text, len) >> 32);
    hash = hash ? hash : 1; /* 0 marks an empty place */
    struct recent *recent = &names->recent[hash & (RECENT - 1)];
    if (recent->hash == hash && is_text(recent->entry, text, len))
        return recent->entry->text;
    size_t at = place(&names->table, text, len, hash);
    struct interned *e = names->table.hash[at] ? names->table.entry[at] : NULL;
    if (!e) {
        e = arena_alloc(names->arena, sizeof *e + len + 1);
        e->len = (uint32_t)len;
        memcpy(e->text, text, len);
        put(&names->table, at, hash, e);
        names->count++;
    }
    *recent = (struct recent){hash, e};
    if (names->count > names->table.capacity / 4 * 3) {
        struct table old = names->table;
        names->table = table_new(old.capacity * 2);
        for (size_t i = 0; i < old.capacity; i++)
            if (old.hash[i])
                put(&names->table, place(&names->table, NULL, 0, old.hash[i]), old.hash[i],
                    old.entry[i]);
        table_free(old);
    }
    return e->text;
}

const char *intern_string(struct intern *names, const char *text)
{
    uint64_t bits = (uint64_t)(uintptr_t)text * UINT64_C(0x9E3779B97F4A7C15);

    if (names->copy[bits >> 32 & (RECENT - 1)] == text)
        return text;
    const char *copy = intern(names, text, strlen(text));
    if (copy == text)
        names->copy[bits >> 32 & (RECENT - 1)] = copy;
    return copy;
}

const char *intern_text(struct intern *names, struct text *text)
{
    const char *name = intern(names, text->data ? text->data : "", text->size);

    text_free(text);
    return name;
}
