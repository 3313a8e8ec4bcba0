/* kinds.c - how many there are of each kind */
#include "api/kinds.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct kinds kinds_begin(struct arena *arena, size_t most)
{
    return (struct kinds){.kind = arena_array_of(arena, struct nnefc_operator, most)};
}

void kinds_add(struct kinds *kinds, const void *key, const char *name)
{
    struct nnefc_operator *kind = map_get(&kinds->found, key);

    if (!kind) {
        kind = &kinds->kind[kinds->count++];
        kind->operation = name;
        map_set(&kinds->found, key, kind);
    }
    kind->count++;
}

static int most_first(const void *a, const void *b)
{
    const struct nnefc_operator *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return strcmp(x->operation, y->operation);
}

void kinds_end(struct kinds *kinds)
{
    map_free(&kinds->found);
    kinds->found = (struct map){0};
    if (kinds->count > 0)
        qsort(kinds->kind, (size_t)kinds->count, sizeof *kinds->kind, most_first);
}

struct nnefc_operator kinds_at(const struct kinds *kinds, int index)
{
    return index >= 0 && index < kinds->count ? kinds->kind[index] : (struct nnefc_operator){0};
}
