/* storage.c - variables brought together by label */
#include "exec/storage.h"

#include "file/label.h"
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>

static int by_label(const void *a, const void *b)
{
    const struct source *const *x = a, *const *y = b;

    return label_compare((*x)->label, (*y)->label, true);
}

bool storage_fill(struct storage *storage, const struct graph *graph)
{
    int count = graph->variables.count, n = 0;
    const struct source **sorted = calloc((size_t)count + 1, sizeof *sorted);

    *storage =
        (struct storage){.tensor = calloc((size_t)count + 1, sizeof *storage->tensor),
                         .place = calloc((size_t)graph->value_count + 1, sizeof *storage->place)};
    bool ok = sorted && storage->tensor && storage->place;
    for (const struct source *v = graph->variables.first; ok && v; v = v->next)
        sorted[n++] = v;
    if (ok)
        qsort(sorted, (size_t)n, sizeof *sorted, by_label);
    for (int i = 0; ok && i < n; i++) {
        const struct source *v = sorted[i];
        bool same = i > 0 && label_compare(sorted[i - 1]->label, v->label, graph->provisional) == 0;
        storage->count += !same;
        storage->place[v->value->id] = (uint32_t)storage->count - 1;
        if (!v->tensor)
            continue;
        storage->tensor[storage->count - 1] = *v->tensor;
        storage->tensor[storage->count - 1].release = NULL; /* the graph owns the items */
    }
    assert(!ok || n == count);
    free(sorted);
    return ok;
}

void storage_clear(struct storage *storage)
{
    for (int i = 0; i < storage->count; i++)
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
