/* labels.c - labels that name different files */
#include "file/labels.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "diag/context.h"
#include "file/label.h"

#include <string.h>

const char *label_key(const struct context *context, const char *label, bool case_counts)
{
    struct text key = {0};

    text_add(&key, "%s", label);
    key.size = label_fold(label, case_counts, key.data);
    const char *interned = intern(context->names, key.data, key.size);
    text_free(&key);
    return interned;
}

static const char *folded(const struct labels *labels, const char *label)
{
    return label_key(labels->context, label, false);
}

const char *labels_take(struct labels *labels, const char *label)
{
    int *next = map_get(&labels->taken, folded(labels, label));
    struct text candidate = {0};

    text_add(&candidate, "%s", label);
    while (map_get(&labels->taken, folded(labels, candidate.data))) {
        candidate.size = 0;
        text_add(&candidate, "%s_%d", label, ++*next);
    }
    int *first = arena_new_of(labels->context->arena, int);
    *first = 1;
    map_set(&labels->taken, folded(labels, candidate.data), first);
    const char *kept = arena_strndup(labels->context->arena, candidate.data, candidate.size);
    text_free(&candidate);
    return kept;
}

void labels_free(struct labels *labels)
{
    map_free(&labels->taken);
}
