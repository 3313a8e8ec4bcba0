/* context.c - makes and ends what one compilation shares */
#include "base/context.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"

#include <stdlib.h>

const struct limits limits_standard = {
    .nesting = 256,
    .expansion_depth = 1024,
    .nodes = INT64_C(4000000),
    .array_length = INT64_C(16000000),
    .work = INT64_C(100000000),
    .memory = INT64_C(2) << 30,
    .volume = INT64_C(1) << 40,
};

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
