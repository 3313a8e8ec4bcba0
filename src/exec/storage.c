/* storage.c - variables brought together by label */
#include "exec/storage.h"

#include "file/label.h"
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Number the variables: those of one label have one number. */
static bool find_places(struct storage *storage, const struct graph *graph)
{
    bool case_counts = graph->provisional;
    size_t room = 1;

    while (room <= 2 * (size_t)graph->variables.count)
        room *= 2;
    const struct source **first = calloc(room, sizeof *first); /* of each label, by its hash */
    storage->place = calloc((size_t)graph->value_count + 1, sizeof *storage->place);
    bool ok = first && storage->place;
    for (const struct source *v = graph->variables.first; ok && v; v = v->next) {
        size_t at = label_hash(v->label, case_counts) & (room - 1);
        while (first[at] && label_compare(first[at]->label, v->label, case_counts) != 0)
            at = (at + 1) & (room - 1);
        storage->place[v->value->id] =
            first[at] ? storage->place[first[at]->value->id] : (uint32_t)storage->count++;
        first[at] = first[at] ? first[at] : v;
    }
    free(first);
    return ok;
}

static bool take_places(struct storage *storage, const struct graph *graph,
                        const struct storage *from)
{
    size_t size = ((size_t)graph->value_count + 1) * sizeof *storage->place;

    storage->count = from->count;
    storage->place = malloc(size);
    if (storage->place)
        memcpy(storage->place, from->place, size);
    return storage->place;
}

bool storage_fill(struct storage *storage, const struct graph *graph, const struct storage *like)
{
    *storage = (struct storage){0};
    bool ok = like ? take_places(storage, graph, like) : find_places(storage, graph);

    storage->tensor = calloc((size_t)storage->count + 1, sizeof *storage->tensor);
    ok = ok && storage->tensor;
    for (const struct source *v = graph->variables.first; ok && v; v = v->next) {
        struct tensor *tensor = storage_of(storage, v->value);
        if (!v->tensor)
            continue;
        *tensor = *v->tensor;
        tensor->release = NULL; /* the graph owns the items */
    }
    return ok;
}

void storage_clear(struct storage *storage)
{
    for (int i = 0; storage->tensor && i < storage->count; i++)
        tensor_clear(&storage->tensor[i]);
    free(storage->tensor);
    free(storage->place);
    *storage = (struct storage){0};
}

struct tensor *storage_of(const struct storage *storage, const struct value *variable)
{
    assert(variable->kind == VALUE_VARIABLE);
    return &storage->tensor[storage->place[variable->id]];
}
