/* context.c - makes and ends what one compilation shares */
#include "diag/context.h"

#include "base/arena.h"
#include "base/intern.h"
#include "diag/diag.h"

#include <assert.h>
#include <stdlib.h>

struct context *context_new(void)
{
    struct context *c = calloc(1, sizeof *c);

    if (!c)
        arena_out_of_memory();
    c->arena = arena_new();
    c->names = intern_new(c->arena);
    c->sources = sources_new();
    c->diag = diag_new(c->sources);
    c->limits = limits_standard;
    c->limits.memory = limits_machine_memory();
    return c;
}

void context_free(struct context *context)
{
    if (!context)
        return;
    diag_free(context->diag);
    sources_free(context->sources);
    intern_free(context->names);
    arena_free(context->arena);
    free(context);
}

static int64_t used(const struct context *context)
{
    size_t scratch = context->scratch ? arena_used(context->scratch) : 0;

    return (int64_t)(arena_used(context->arena) + scratch);
}

int64_t context_room(const struct context *context)
{
    int64_t limit = context->limits.memory - used(context);
    int64_t held = atomic_load(&context->held);

    return held > limit ? 0 : limit - held;
}

void context_hold(struct context *context, int64_t bytes)
{
    int64_t held = atomic_load(&context->held), sum;

    do {
        assert(bytes >= -held);
        sum = bytes > INT64_MAX - held ? INT64_MAX : held + bytes;
    } while (!atomic_compare_exchange_weak(&context->held, &held, sum));
}

int64_t context_growth(const struct context *context)
{
    int64_t room = context_room(context), left = context->may_grow - used(context);

    if (!context->may_grow || left > room)
        return room;
    return left > 0 ? left : 0;
}
