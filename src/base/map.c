/* map.c - a hash table with open addressing, doubled when three quarters are full */
#include "base/map.h"

#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };
static_assert((FIRST_CAPACITY & (FIRST_CAPACITY - 1)) == 0, "hashes are masked");

static struct map_entry *place(const struct map *map, const void *key)
{
    uint64_t bits = (uintptr_t)key;

    bits *= UINT64_C(0x9E3779B97F4A7C15);
    size_t at = ((size_t)(bits >> 20)) & (map->capacity - 1);
    while (map->slot[at].key && map->slot[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->slot[at];
}

void *map_get(const struct map *map, const void *key)
{
    union {
        const void *in;
        void *out;
    } value = {map->capacity ? place(map, key)->value : NULL};

    return value.out;
}

/* Room is for three quarters of the capacity. */
void map_reserve(struct map *map, size_t count)
{
    struct map old = *map;

    if (count <= old.capacity / 4 * 3)
        return;
    map->capacity = old.capacity ? old.capacity : FIRST_CAPACITY;
    while (count > map->capacity / 4 * 3)
        map->capacity *= 2;
    map->slot = calloc(map->capacity, sizeof(struct map_entry));
    if (!map->slot)
        arena_out_of_memory();
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slot[i].key)
            *place(map, old.slot[i].key) = old.slot[i];
    free(old.slot);
}

void map_set(struct map *map, const void *key, const void *value)
{
    assert(key);
    if (map->count >= map->capacity / 4 * 3)
        map_reserve(map, map->count + 1);
    struct map_entry *e = place(map, key);
    if (!e->key)
        map->count++;
    e->key = key;
    e->value = value;
}

void map_free(struct map *map)
{
    free(map->slot);
    *map = (struct map){0};
}
