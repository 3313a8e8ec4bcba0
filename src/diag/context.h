/*
 * context.h - what one compilation shares from text to graph
 *
 * Passed first everywhere left of `api`; there are no globals.
 */
#ifndef NNEFC_DIAG_CONTEXT_H
#define NNEFC_DIAG_CONTEXT_H

#include "base/limits.h"

#include <stdatomic.h>
#include <stdbool.h>

struct arena;
struct diag;
struct intern;
struct sources;

struct context {
    struct arena *arena;
    struct intern *names;
    struct sources *sources;
    struct diag *diag;
    struct limits limits;
    _Atomic int64_t used;        /* bytes outside the arena, such as texts and tensors */
    const struct arena *scratch; /* counts like the arena; NULL: there is none */
    int64_t may_grow;            /* bytes that both may have; 0: as many as there is memory */
};

struct context *context_new(void);
void context_free(struct context *context);

/* Bytes that may still be allocated for the model. */
int64_t context_budget(const struct context *context);

/* Account for bytes outside the arena, and for those that are freed: hold less than nothing.  Runs
 * of one graph may do so in several threads. */
void context_account(struct context *context, int64_t bytes);

/* Bytes of them that the arenas may still take. */
int64_t context_growth(const struct context *context);

#endif
