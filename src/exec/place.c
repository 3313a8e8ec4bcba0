/*
 * place.c - where in the arena each buffer lies
 *
 * The steps are gone through in their order; free stretches of memory are kept sorted and the
 * smallest that is large enough is taken.  A result may lie where an operand is that nobody needs
 * afterwards, if the step says so.  Parts of a buffer lie where that does, which takes its place
 * with the first of them.
 */
#include "base/arena.h"
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
    return (size + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
}

static void remove_at(struct map_of_free *map, int i)
{
    map->count--;
    memmove(&map->free[i], &map->free[i + 1], (size_t)(map->count - i) * sizeof *map->free);
}

static size_t take_top(struct map_of_free *map, size_t size)
{
    struct stretch *last = map->count > 0 ? &map->free[map->count - 1] : NULL;
    size_t begin = map->top;

    if (last && last->end == map->top) { /* what is free below the top helps */
        begin = last->begin;
        map->count--;
    }
    map->top = begin + size;
    return begin;
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
    if (best < 0)
        return take_top(map, size);
    size_t begin = map->free[best].begin;
    map->free[best].begin += size;
    if (map->free[best].begin == map->free[best].end)
        remove_at(map, best);
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

/* Is the operand that may be overwritten read as another one, too?  Parts of that may be wanted
 * when results are there already. */
static bool is_read_twice(const struct plan *plan, const struct step *step)
{
    int reads = 0;

    for (int i = 0; i < step->nin; i++)
        reads += buffer_root(plan, step->in[i]) == buffer_root(plan, step->in[step->reused]);
    return reads > 1;
}

/* The buffer that the first result may have: of an operand that ends with the step. */
static struct buffer *reusable(struct plan *plan, int at)
{
    const struct step *step = &plan->steps[at];

    if (step->reused == STEP_NONE || is_read_twice(plan, step))
        return NULL;
    struct buffer *in = &plan->buffers[step->in[step->reused]];
    const struct buffer *out = &plan->buffers[step->out[0]];
    bool fits = in->place == PLACE_ARENA && in->last == at && out->first == at &&
                rounded(in->size) == rounded(out->size) && out->place == PLACE_ARENA;
    return fits ? in : NULL;
}

static void place_results(struct plan *plan, int at, struct map_of_free *map)
{
    const struct step *step = &plan->steps[at];
    struct buffer *given = reusable(plan, at);

    for (int i = 0; i < step->nout; i++) {
        struct buffer *out = &plan->buffers[buffer_root(plan, step->out[i])];
        if (i == 0 && given)
            out->offset = given->offset;
        else if (out->first == at)
            out->offset = take_stretch(map, rounded(out->size));
        out->first = STEP_NONE; /* it has its place */
    }
    if (given)
        given->last = STEP_NONE; /* its memory is the result's now */
}

static void free_if_over(struct plan *plan, int buffer, int at, struct map_of_free *map)
{
    struct buffer *b = &plan->buffers[buffer_root(plan, buffer)];

    if (b->place != PLACE_ARENA || b->last != at)
        return;
    give_back(map, b->offset, rounded(b->size));
    b->last = STEP_NONE;
}

void place_buffers(struct plan *plan)
{
    struct map_of_free map = {.free =
                                  arena_array_of(plan->arena, struct stretch, plan->nbuffer + 1)};

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
