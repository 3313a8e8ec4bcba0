/* profile.c - a graph made ready for a document of some profile */
#include "emit/profile.h"

#include "base/arena.h"
#include "base/context.h"
#include "base/diag.h"
#include "ir/graph_edit.h"
#include "lower/lower.h"
#include "op/op.h"

#include <string.h>

struct profiler {
    struct graph *graph;
    const struct library *library;
    enum profile profile;
    bool has_customs; /* operations of a client */
};

/* Is there another operation of that name, which a client computes? */
static bool is_taken(const struct profiler *p, const char *name)
{
    const struct node *first = p->has_customs ? p->graph->first : NULL;

    for (const struct node *n = first; n; n = n->next)
        if ((n->op->traits & OP_CUSTOM) && strcmp(n->op->name, name) == 0)
            return true;
    return false;
}

static bool has_body(const struct profiler *p, const struct op_desc *op)
{
    return lower_signature(p->graph, p->library, op)->fragment->has_body;
}

/* Written as it is. */
static bool may_stay(const struct profiler *p, const struct op_desc *op)
{
    if (!(op->traits & OP_EXTENSION))
        return true;
    switch (p->profile) {
    case PROFILE_STRICT:
        return false;
    case PROFILE_COMPOUND:
        return has_body(p, op) && !is_taken(p, op->name);
    case PROFILE_CUSTOM:
        return !is_taken(p, op->name);
    }
    return false;
}

/* --- what cannot be written ------------------------------------------------------------------- */

static bool is_offender(const struct profiler *p, const struct node *node)
{
    return !may_stay(p, node->op) && !lower_can_replace(p->graph, p->library, node->op);
}

static bool is_first(const struct node *node)
{
    for (const struct node *n = node->prev; n; n = n->prev)
        if (n->op == node->op)
            return false;
    return true;
}

/* Once for an operation, however many of them there are. */
static void report(const struct profiler *p, const struct node *node)
{
    struct diag *diag = p->graph->context->diag;
    const char *name = VALUE_TEXT(&node->out[0]);
    int count = 0;

    for (const struct node *n = node; n; n = n->next)
        count += n->op == node->op;
    if (count == 1)
        diag_error(diag, node->span, DIAG_NOT_IN_NNEF,
                   "'%s', the operation of '%s', cannot be said by operations of NNEF",
                   node->op->name, name);
    else
        diag_error(
            diag, node->span, DIAG_NOT_IN_NNEF,
            "'%s', the operation of '%s' and %d others, cannot be said by operations of NNEF",
            node->op->name, name, count - 1);
    diag_help(diag, "write it as a declaration without body, with --profile=custom.");
}

static bool all_can_be_written(const struct profiler *p)
{
    bool ok = true;

    for (const struct node *n = p->graph->first; n; n = n->next) {
        if (!is_offender(p, n))
            continue;
        ok = false;
        if (is_first(n))
            report(p, n);
    }
    return ok;
}

/* --- what has to be replaced ------------------------------------------------------------------- */

static bool all_may_stay(const struct profiler *p)
{
    for (const struct node *n = p->graph->first; n; n = n->next)
        if (!may_stay(p, n->op))
            return false;
    return true;
}

/* What takes the place of a node is looked at in its turn. */
static bool replace_all(const struct profiler *p)
{
    struct node *next;

    for (struct node *n = p->graph->first; n; n = next) {
        struct node *prev = n->prev;
        next = n->next;
        if (may_stay(p, n->op))
            continue;
        if (!lower_replace(p->graph, p->library, n))
            return false;
        next = prev ? prev->next : p->graph->first;
    }
    return true;
}

struct graph *profile_apply(struct graph *graph, const struct library *library,
                            enum profile profile)
{
    struct profiler p = {graph, library, profile, false};

    for (const struct node *n = graph->first; n; n = n->next)
        p.has_customs |= (n->op->traits & OP_CUSTOM) != 0;
    if (!all_can_be_written(&p))
        return NULL;
    if (all_may_stay(&p))
        return graph;
    p.graph = graph_copy(graph);
    return replace_all(&p) ? p.graph : NULL;
}
