/* kinds.h - how many there are of each kind, most first, then by name */
#ifndef NNEFC_API_KINDS_H
#define NNEFC_API_KINDS_H

#include "base/map.h"
#include "nnefc/nnefc.h"

struct arena;

struct kinds {
    struct nnefc_operator *kind;
    int count;
    struct map found; /* by key, until the end */
};

/* Room for so many. */
struct kinds kinds_begin(struct arena *arena, size_t most);

/* One more of what `key` stands for; `name` lasts as long as the kinds. */
void kinds_add(struct kinds *kinds, const void *key, const char *name);
void kinds_end(struct kinds *kinds);

/* Zeroed for an index that is none. */
struct nnefc_operator kinds_at(const struct kinds *kinds, int index);

#endif
