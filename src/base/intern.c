/* intern.c - open addressing over the texts; each text is preceded by its hash */
#include "base/intern.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

struct entry {
    uint32_t hash, len;
    char text[];
};

struct intern {
    struct arena *arena;
    struct entry **slot;
    size_t count, capacity; /* capacity is a power of two */
};

struct intern *intern_new(struct arena *arena)
{
    struct intern *names = calloc(1, sizeof *names);

    if (!names || !(names->slot = calloc(FIRST_CAPACITY, sizeof(struct entry *))))
        arena_out_of_memory();
    names->arena = arena;
    names->capacity = FIRST_CAPACITY;
    return names;
}

void intern_free(struct intern *names)
{
    if (!names)
        return;
    free(names->slot);
    free(names);
}

/* FNV-1a; names are short. */
static uint32_t hash_text(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void grow(struct intern *names)
{
    size_t capacity = names->capacity * 2;
    struct entry **slot = calloc(capacity, sizeof(struct entry *));

    if (!slot)
        arena_out_of_memory();
    for (size_t i = 0; i < names->capacity; i++) {
        struct entry *e = names->slot[i];
        if (!e)
            continue;
        size_t at = e->hash & (capacity - 1);
        while (slot[at])
            at = (at + 1) & (capacity - 1);
        slot[at] = e;
    }
    free(names->slot);
    names->slot = slot;
    names->capacity = capacity;
}

static struct entry *entry_new(struct intern *names, const char *text, size_t len, uint32_t hash)
{
    struct entry *e = arena_alloc(names->arena, sizeof *e + len + 1);

    e->hash = hash;
    e->len = (uint32_t)len;
    memcpy(e->text, text, len);
    return e;
}

const char *intern(struct intern *names, const char *text, size_t len)
{
    uint32_t hash = hash_text(text, len);
    size_t at = hash & (names->capacity - 1);

    for (struct entry *e; (e = names->slot[at]); at = (at + 1) & (names->capacity - 1))
        if (e->hash == hash && e->len == len && memcmp(e->text, text, len) == 0)
            return e->text;
    struct entry *e = entry_new(names, text, len, hash);
    names->slot[at] = e;
    if (++names->count > names->capacity / 4 * 3)
        grow(names);
    return e->text;
}
