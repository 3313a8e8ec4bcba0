/* context.c - makes and frees the shared state of a compilation, and accounts for memory */
#include "diag/context.h"

#include "base/arena.h"
#include "base/intern.h"
#include "diag/diag.h"

#include <assert.h>
#include <stdlib.h>

struct context *context_new(void)
{
    struct context *c = heap_array(1, sizeof *c);

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

static int64_t arena_bytes(const struct context *context)
{
    size_t scratch = context->scratch ? arena_used(context->scratch) : 0;

    return (int64_t)(arena_used(context->arena) + scratch);
}

int64_t context_budget(const struct context *context)
{
    int64_t limit = context->limits.memory - arena_bytes(context);
    int64_t used = atomic_load(&context->used);

    return used > limit ? 0 : limit - used;
}

void context_account(struct context *context, int64_t bytes)
{
    int64_t used = atomic_load(&context->used), sum;

    do {
        assert(bytes >= -used);
        sum = bytes > INT64_MAX - used ? INT64_MAX : used + bytes;
    } while (!atomic_compare_exchange_weak(&context->used, &used, sum));
}

int64_t context_growth(const struct context *context)
{
    int64_t room = context_budget(context), left = context->may_grow - arena_bytes(context);

    if (!context->may_grow || left > room)
        return room;
    return left > 0 ? left : 0;
}
