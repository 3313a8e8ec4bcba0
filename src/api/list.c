/* list.c - makes the lists that clients are given */
#include "api/list.h"

#include "api/api_priv.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 8 };

const void *list_nothing(void)
{
    static const void *const none[] = {NULL};
    static const struct list nothing = {.at = none};

    return &nothing;
}

struct list *list_new(struct arena *arena)
{
    struct list *list = arena_new_of(arena, struct list);

    *list = (struct list){.arena = arena, .capacity = FIRST_CAPACITY};
    list->room = arena_array_of(arena, const void *, list->capacity);
    list->at = list->room;
    return list;
}

/* Twice the capacity.  The arena keeps the old array: together they are not larger than the new
 * one. */
static void list_grow(struct list *list)
{
    const void **larger = arena_array_of(list->arena, const void *, 2 * (size_t)list->capacity);

    memcpy(larger, list->room, (size_t)list->count * sizeof *larger);
    list->at = list->room = larger;
    list->capacity *= 2;
}

void *list_append(struct list *list, const void *record, size_t size)
{
    void *copy = arena_alloc(list->arena, size);

    assert(list->count < list->capacity);
    memcpy(copy, record, size);
    list->room[list->count++] = copy;
    if (list->count == list->capacity) /* there must be room for the NULL at the end */
        list_grow(list);
    return copy;
}

/* A list of diagnostics is old once there are more of them. */
static const struct list *made_list(const struct nnefc_model *model, enum list_kind kind)
{
    const struct list *made = model->lists->made[kind];
    bool is_old =
        kind == LIST_DIAGNOSTICS && made && made->count != diag_count(model->context->diag);

    return is_old ? NULL : made;
}

const void *model_list(const struct nnefc_model *model, enum list_kind kind, list_fill *fill)
{
    struct call call;

    assert(kind < LIST_KINDS);
    if (!model)
        return list_nothing();
    if (!call_enter(&call, kind == LIST_DIAGNOSTICS ? NULL : model->lists))
        return model->lists->made[kind] ? model->lists->made[kind] : list_nothing();
    call.shared = model->lists;
    if (setjmp(call.recovery.point) != 0) {
        call_fail(&call);
        return list_nothing();
    }
    model_lock(model);
    const struct list *made = made_list(model, kind);
    if (!made) {
        if (!model->lists->arena)
            model->lists->arena = arena_new();
        struct list *list = list_new(model->lists->arena);
        fill(model, list);
        model->lists->made[kind] = made = list;
    }
    model_unlock(model);
    call_end(&call);
    return made;
}

const void *model_record(const struct nnefc_model *model, enum list_kind kind, list_fill *fill,
                         const void *nothing)
{
    const struct list *list = model_list(model, kind, fill);

    assert(kind >= LIST_IDENTITY && list->count <= 1);
    return list->count > 0 ? list->at[0] : nothing;
}

void lists_forget(struct lists *lists)
{
    memset(lists->made, 0, sizeof lists->made);
}

/* --- how many there are of each kind --------------------------------------------------------- */

void tally_add(struct tally *tally, const void *key, const char *name)
{
    struct nnefc_operator *operator= map_get(&tally->found, key);

    if (!operator) {
        operator= LIST_ADD(tally->list, (struct nnefc_operator){.operation = name});
        map_set(&tally->found, key, operator);
    }
    operator->count++;
}

static int most_first(const void *a, const void *b)
{
    const struct nnefc_operator *const *x = a, *const *y = b;

    if ((*x)->count != (*y)->count)
        return (*x)->count < (*y)->count ? 1 : -1;
    return strcmp((*x)->operation, (*y)->operation);
}

void tally_end(struct tally *tally)
{
    map_free(&tally->found);
    qsort(tally->list->room, (size_t)tally->list->count, sizeof *tally->list->room, most_first);
}
