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

static bool is_same(const struct graph *graph, const struct source *a, const struct source *b)
{
    return label_compare(a->label, b->label, graph->provisional) == 0;
}

static const struct source **sorted_variables(const struct graph *graph)
{
    const struct source **sorted = calloc((size_t)graph->variables.count + 1, sizeof *sorted);
    int n = 0;

    for (const struct source *v = graph->variables.first; sorted && v; v = v->next)
        sorted[n++] = v;
    if (sorted)
        qsort(sorted, (size_t)n, sizeof *sorted, by_label);
    return sorted;
}

static void enter(struct storage *storage, const struct source *variable, bool first)
{
    struct tensor *tensor = &storage->tensor[first ? storage->count++ : storage->count - 1];

    storage->place[variable->value->id] = (uint32_t)(tensor - storage->tensor);
    if (!variable->tensor)
        return;
    *tensor = *variable->tensor;
    tensor->release = NULL;
}

bool storage_fill(struct storage *storage, const struct graph *graph)
{
    const struct source **sorted = sorted_variables(graph);

    *storage = (struct storage){
        .tensor = calloc((size_t)graph->variables.count + 1, sizeof *storage->tensor),
        .place = calloc((size_t)graph->value_count + 1, sizeof *storage->place)};
    bool ok = sorted && storage->tensor && storage->place;
    for (int i = 0; ok && i < graph->variables.count; i++)
        enter(storage, sorted[i], i == 0 || !is_same(graph, sorted[i - 1], sorted[i]));
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
