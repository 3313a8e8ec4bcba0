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

struct context *context_child(struct context *parent, struct pool *pool)
{
    struct context *c = heap_array(1, sizeof *c);

    c->arena = arena_new_in(pool);
    c->names = parent->names;
    c->sources = parent->sources;
    c->diag = parent->diag;
    c->limits = parent->limits;
    c->parent = parent;
    return c;
}

void context_settle(struct context *child)
{
    int64_t bytes = (int64_t)arena_used(child->arena);

    context_account(child->parent, bytes - child->settled);
    child->settled = bytes;
}

void context_free(struct context *context)
{
    if (!context)
        return;
    if (context->parent) {
        context_account(context->parent, -context->settled);
    } else {
        diag_free(context->diag);
        sources_free(context->sources);
        intern_free(context->names);
    }
    arena_free(context->arena);
    free(context);
}

bool context_cancelled(const struct context *context)
{
    return atomic_load(&context->cancelled) ||
           (context->parent && atomic_load(&context->parent->cancelled));
}

static int64_t arena_bytes(const struct context *context)
{
    size_t scratch = context->scratch ? arena_used(context->scratch) : 0;

    return (int64_t)(arena_used(context->arena) + scratch);
}

int64_t context_budget(const struct context *context)
{
    const struct context *parent = context->parent;
    int64_t own = arena_bytes(context) - context->settled;
    int64_t limit = (parent ? context_budget(parent) : context->limits.memory) - own;
    int64_t used = parent ? 0 : atomic_load(&context->used); /* the parent has counted it */

    return used > limit ? 0 : limit - used;
}

void context_account(struct context *context, int64_t bytes)
{
    struct context *counts = context->parent ? context->parent : context;
    int64_t used = atomic_load(&counts->used), sum;

    do {
        assert(bytes >= -used);
        sum = bytes > INT64_MAX - used ? INT64_MAX : used + bytes;
    } while (!atomic_compare_exchange_weak(&counts->used, &used, sum));
}

int64_t context_growth(const struct context *context)
{
    int64_t room = context_budget(context), left = context->may_grow - arena_bytes(context);

    if (!context->may_grow || left > room)
        return room;
    return left > 0 ? left : 0;
}

bool context_may_grow(struct context *context, int64_t bytes)
{
    enum { UNASKED = 1 << 14, PART = 64 }; /* bytes, of at least so many times as many */
    int64_t used = arena_bytes(context);

    if (used + bytes <= context->granted)
        return true;
    int64_t growth = context_growth(context);
    context->granted = growth / PART >= UNASKED ? used + UNASKED : 0;
    return bytes <= growth;
}
