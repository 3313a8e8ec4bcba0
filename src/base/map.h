/* map.h - values by interned name (compared as pointers) */
#ifndef NNEFC_BASE_MAP_H
#define NNEFC_BASE_MAP_H

#include <stddef.h>

/* Starts as {0}. */
struct map {
    struct map_entry {
        const void *key;
        const void *value;
    } * slot;
    size_t count, capacity;
};

/* NULL if absent; as constant as it was when it was set, which is for the caller to know. */
void *map_get(const struct map *map, const void *key);
void map_set(struct map *map, const void *key, const void *value); /* adds or replaces */
void map_free(struct map *map);

#endif
