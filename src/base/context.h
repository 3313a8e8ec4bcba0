/*
 * context.h - what one compilation shares from text to graph
 *
 * Passed first everywhere left of `api`; there are no globals.
 */
#ifndef NNEFC_BASE_CONTEXT_H
#define NNEFC_BASE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct diag;
struct intern;
struct sources;

/* Bounds on what any text may cost; beyond each stands a diagnostic. */
struct limits {
    int nesting;          /* depth of an expression or type; bounds our recursion */
    int expansion_depth;  /* fragments within fragments */
    int64_t nodes;        /* of the graph */
    int64_t array_length; /* of a compile-time array or string */
    int64_t work;         /* expressions evaluated at compile time */
    int64_t memory;       /* bytes of the arena */
    int64_t volume;       /* items of one tensor */
};

extern const struct limits limits_standard;

struct context {
    struct arena *arena;
    struct intern *names;
    struct sources *sources;
    struct diag *diag;
    struct limits limits;
};

struct context *context_new(void);
void context_free(struct context *context);

#endif
