/* map.h - a map from pointers, such as interned names, to pointers */
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

/* The value of a key, NULL if there is none.  The caller knows whether it may be changed. */
void *map_get(const struct map *map, const void *key);

/* Add or replace the value of a key, which is not NULL. */
void map_set(struct map *map, const void *key, const void *value);
void map_free(struct map *map);

/* Make room for so many keys in all, so that the map does not grow step by step. */
void map_reserve(struct map *map, size_t count);

#endif
