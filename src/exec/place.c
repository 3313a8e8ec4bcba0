/*
 * place.c - where in the arena each buffer lies
 *
 * Going through the steps in order, a result takes the smallest free stretch that is large enough.
 * It may lie where an operand is that nobody needs afterwards, if the step allows it.  Parts of a
 * buffer lie within it; the buffer gets its place when the first part is written.
 */
#include "base/arena.h"
#include "base/num.h"
#include "exec/planner.h"

#include <assert.h>
#include <string.h>

struct stretch {
    size_t begin, end;
};

struct map_of_free {
    struct stretch *free; /* in ascending order, none touching the next */
    int count;
    size_t top; /* all beyond is free */
};

static size_t rounded(size_t size)
{
    return num_round_up(size, BUFFER_ALIGNMENT);
}

static void remove_at(struct map_of_free *map, int i)
{
    map->count--;
    memmove(&map->free[i], &map->free[i + 1], (size_t)(map->count - i) * sizeof *map->free);
}

static size_t take_stretch(struct map_of_free *map, size_t size)
{
    int best = -1;

    assert(size % BUFFER_ALIGNMENT == 0);
    for (int i = 0; i < map->count; i++) {
        size_t have = map->free[i].end - map->free[i].begin;
        if (have >= size && (best < 0 || have < map->free[best].end - map->free[best].begin))
            best = i;
    }
    if (best >= 0) {
        size_t begin = map->free[best].begin;
        map->free[best].begin += size;
        if (map->free[best].begin == map->free[best].end)
            remove_at(map, best);
        return begin;
    }
    /* At the top; a free stretch right below it helps. */
    bool below = map->count > 0 && map->free[map->count - 1].end == map->top;
    size_t begin = below ? map->free[--map->count].begin : map->top;
    map->top = begin + size;
    return begin;
}

static void give_back(struct map_of_free *map, size_t begin, size_t size)
{
    size_t end = begin + size;
    int i = 0;

    assert(end <= map->top);
    if (size == 0)
        return;
    while (i < map->count && map->free[i].end < begin)
        i++;
    if (i < map->count && map->free[i].end == begin) {
        map->free[i].end = end;
    } else if (i < map->count && map->free[i].begin == end) {
        map->free[i].begin = begin;
        return;
    } else {
        memmove(&map->free[i + 1], &map->free[i], (size_t)(map->count - i) * sizeof *map->free);
        map->free[i] = (struct stretch){begin, end};
        map->count++;
        return;
    }
    if (i + 1 < map->count && map->free[i + 1].begin == end) {
        map->free[i].end = map->free[i + 1].end;
        remove_at(map, i + 1);
    }
}

static void place_results(struct plan *plan, int at, struct map_of_free *map)
{
    const struct step *step = &plan->steps[at];
    struct buffer *given = NULL;

    /* The first result may take the buffer of an operand that ends with the step.  Parts of an
     * operand that is read twice may be needed when results are written already. */
    if (step->reused != STEP_NONE) {
        struct buffer *in = &plan->buffers[step->in[step->reused]];
        const struct buffer *out = &plan->buffers[step->out[0]];
        int root = buffer_root(plan, step->in[step->reused]), reads = 0;
        for (int i = 0; i < step->nin; i++)
            reads += buffer_root(plan, step->in[i]) == root;
        if (reads == 1 && in->place == PLACE_ARENA && in->last == at && out->first == at &&
            rounded(in->size) == rounded(out->size) && out->place == PLACE_ARENA && !out->swaps)
            given = in;
    }
    for (int i = 0; i < step->nout; i++) {
        struct buffer *out = &plan->buffers[buffer_root(plan, step->out[i])];
        if (i == 0 && given)
            out->offset = given->offset;
        else if (out->first == at && !out->swaps)
            out->offset = take_stretch(map, rounded(out->size));
        out->first = STEP_NONE; /* it has its place */
    }
    if (given)
        given->last = STEP_NONE; /* its memory is the result's now */
}

static void free_if_over(struct plan *plan, int buffer, int at, struct map_of_free *map)
{
    struct buffer *b = &plan->buffers[buffer_root(plan, buffer)];

    if (b->place != PLACE_ARENA || b->last != at || b->swaps)
        return;
    give_back(map, b->offset, rounded(b->size));
    b->last = STEP_NONE;
}

void place_buffers(struct plan *plan, struct arena *scratch)
{
    struct map_of_free map = {.free = arena_array_of(scratch, struct stretch, plan->nbuffer + 1)};

    assert(!plan_is_reference(plan));
    for (int at = 0; at < plan->nstep; at++) {
        const struct step *step = &plan->steps[at];
        place_results(plan, at, &map);
        for (int i = 0; i < step->nin; i++)
            free_if_over(plan, step->in[i], at, &map);
        for (int i = 0; i < step->nout; i++)
            free_if_over(plan, step->out[i], at, &map);
    }
    for (int i = 0; i < plan->nbuffer; i++)
        if (plan->buffers[i].whole != STEP_NONE)
            plan->buffers[i].offset += plan->buffers[plan->buffers[i].whole].offset;
    plan->tensors = map.top;
}
