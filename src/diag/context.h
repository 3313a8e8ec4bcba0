/*
 * context.h - the state that all stages of one compilation share, from text to graph
 *
 * It is the first parameter everywhere left of `api`; there are no globals.
 */
#ifndef NNEFC_DIAG_CONTEXT_H
#define NNEFC_DIAG_CONTEXT_H

#include "base/limits.h"

#include <stdatomic.h>
#include <stdbool.h>

struct arena;
struct diag;
struct pool;
struct intern;
struct library;
struct shared_user;
struct sources;

struct context {
    struct arena *arena;
    struct intern *names;
    struct sources *sources;
    struct diag *diag;
    struct limits limits;
    _Atomic int64_t used;             /* bytes outside the arena, such as texts and tensors */
    const struct arena *scratch;      /* counted like the arena; may be NULL */
    int64_t settled;                  /* bytes of the arena that the parent counts */
    int64_t may_grow;                 /* limit on the bytes of both arenas; 0: only limits.memory */
    int64_t granted;                  /* up to so many bytes of both arenas it may grow unasked */
    atomic_bool cancelled;            /* set by any thread; long work then fails without a report */
    struct shared_user *shared;       /* tensors that it has in common with others; NULL: none */
    const struct library *library[2]; /* by dialect: what library_load() has read; NULL: not yet */
    struct context *parent; /* whose names, sources and diagnostics it has; NULL: its own */
};

struct context *context_new(void);

/*
 * A context with an arena of its own, so that what is made in it can be freed before the model.
 * Names, sources and diagnostics are those of the parent, which outlives it; limits are as they are
 * now; bytes count for the parent, too.  Blocks of the arena are of the pool, unless it is NULL.
 */
struct context *context_child(struct context *parent, struct pool *pool);
void context_free(struct context *context);

/* Was it, or its parent, cancelled? */
bool context_cancelled(const struct context *context);

/* Bytes that may still be allocated for the model: the limit minus what is accounted for. */
int64_t context_budget(const struct context *context);

/*
 * Account for `bytes` allocated outside the arena; negative for bytes that were freed.  Several
 * threads may call this at once, because runs of one graph account in parallel.
 */
void context_account(struct context *context, int64_t bytes);

/* A child is complete: from now on its arena counts for the parent, until it is freed. */
void context_settle(struct context *child);

/* Bytes that the arenas may still take: the budget, or less while an expansion is limited. */
int64_t context_growth(const struct context *context);

/* May the arenas take so many bytes more?  Where much more is left, it is asked for once in a
 * while. */
bool context_may_grow(struct context *context, int64_t bytes);

#endif
