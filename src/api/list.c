/* list.c - makes the lists that clients are given (list.h) */
#include "api/list.h"

#include "api/api_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const void *list_nothing(void)
{
    static const void *const none[] = {NULL};
    static const struct list nothing = {.at = none};

    return &nothing;
}

/* There is always a NULL behind the last record: memory of an arena is zeroed. */
static void make_room(struct list *list)
{
    list->room = arena_list(list->arena, (void *)list->room, list->count, sizeof *list->room);
    list->at = list->room;
}

struct list *list_new(struct arena *arena)
{
    struct list *list = arena_new_of(arena, struct list);

    *list = (struct list){.arena = arena};
    make_room(list);
    return list;
}

int compare_by_name(const void *a, const void *b)
{
    char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

void *list_append(struct list *list, const void *record, size_t size)
{
    void *copy = arena_alloc(list->arena, size);

    memcpy(copy, record, size);
    list->room[list->count++] = copy;
    make_room(list);
    return copy;
}

const void *model_list(const struct nnefc_model *model, enum list_kind kind, list_fill *fill)
{
    struct call call;

    assert(kind < LIST_KINDS && fill);
    if (!model)
        return list_nothing();
    const struct list **made = &model->lists->made[kind];
    /* Diagnostics can be listed after memory ran out: they are made before. */
    if (!call_enter(&call, kind == LIST_DIAGNOSTICS ? NULL : model->lists))
        return *made ? *made : list_nothing();
    call.shared = model->lists;
    if (setjmp(call.recovery.point) != 0) {
        call_fail(&call);
        return list_nothing();
    }
    model_lock(model);
    /* A list of diagnostics is old once there are more of them. */
    if (kind == LIST_DIAGNOSTICS && *made && (*made)->count != diag_count(model->context->diag))
        *made = NULL;
    if (!*made) {
        if (!model->lists->arena)
            model->lists->arena = arena_new();
        struct list *list = list_new(model->lists->arena);
        list->kind = (int)kind;
        fill(model, list);
        *made = list;
    }
    const struct list *result = *made;
    model_unlock(model);
    call_end(&call);
    return result;
}

#define LIST(kind, function, type, fill)                                                \
    const struct nnefc_##type##_list *nnefc_##function(const struct nnefc_model *model) \
    {                                                                                   \
        return model_list(model, LIST_##kind, fill);                                    \
    }
/* The list is empty without a model, and after memory ran out. */
#define RECORD(kind, function, type, fill)                                       \
    const struct nnefc_##type *nnefc_##function(const struct nnefc_model *model) \
    {                                                                            \
        static const struct nnefc_##type nothing;                                \
        const struct list *list = model_list(model, LIST_##kind, fill);          \
                                                                                 \
        return list->count > 0 ? list->at[0] : &nothing;                         \
    }
#include "api/lists.def"

/* The arena keeps the lists that were given out. */
void lists_forget(struct lists *lists)
{
    memset(lists->made, 0, sizeof lists->made);
}

/* --- how many there are of each kind --------------------------------------------------------- */

void tally_add(struct tally *tally, const void *key, const char *name)
{
    struct nnefc_operator *found = map_get(&tally->found, key);

    assert(key && name);
    if (!found) {
        found = LIST_ADD(tally->list, (struct nnefc_operator){.operation = name});
        map_set(&tally->found, key, found);
    }
    found->count++;
}

static int most_first(const void *a, const void *b)
{
    const struct nnefc_operator *const *x = a, *const *y = b;

    if ((*x)->count != (*y)->count)
        return (*x)->count < (*y)->count ? 1 : -1;
    return strcmp((*x)->operation, (*y)->operation);
}

/* Operators of equal count stand in the order of their names, so that the list is the same each
 * time. */
void tally_end(struct tally *tally)
{
    map_free(&tally->found);
    qsort(tally->list->room, (size_t)tally->list->count, sizeof *tally->list->room, most_first);
}
