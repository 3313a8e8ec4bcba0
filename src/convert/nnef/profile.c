/* profile.c - a graph made ready for a document of some profile */
#include "convert/nnef/profile.h"

#include "convert/nnef/integers.h"
#include "ir/graph_edit.h"
#include "ir/site.h"
#include "lower/lower.h"
#include "op/op.h"
#include "op/unroll.h"

#include <string.h>

/* A graph that is being made ready. */
struct profiler {
    struct graph *graph;
    const struct library *library;
    enum nnef_profile profile;
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

/* Can a node of that operation be written as it is, for the profiler `data`? */
static bool may_stay(const void *data, const struct op_desc *op)
{
    const struct profiler *p = data;

    if (!(op->traits & OP_EXTENSION))
        return true;
    switch (p->profile) {
    case PROFILE_STRICT:
        return false;
    case PROFILE_COMPOUND:
        return lower_signature(p->graph, p->library, op)->fragment->has_body &&
               !is_taken(p, op->name);
    case PROFILE_CUSTOM:
        return !is_taken(p, op->name);
    }
    return false;
}

/* Replaces what may not stay. What takes the place of a node is looked at in its turn. */
static bool replace_all(const struct profiler *p)
{
    struct node *next;

    for (struct node *n = p->graph->first; n; n = next) {
        struct node *prev = n->prev;
        next = n->next;
        if (may_stay(p, n->op))
            continue;
        if (!lower_can_replace(p->graph, p->library, n->op))
            return unroll_refuse(&(struct unroll){p->graph, n}, "");
        if (!lower_replace(p->graph, p->library, n))
            return false;
        next = prev ? prev->next : p->graph->first;
    }
    return true;
}

struct graph *profile_apply(struct graph *graph, const struct library *library,
                            enum nnef_profile profile)
{
    struct profiler p = {graph, library, profile, false};
    bool all = true;

    for (const struct node *n = graph->first; n; n = n->next)
        p.has_customs |= (n->op->traits & OP_CUSTOM) != 0;
    for (const struct node *n = graph->first; n && all; n = n->next)
        all = may_stay(&p, n->op);
    if (all) /* the graph is used as it is, without a copy */
        return graph;
    p.graph = graph_copy(graph);
    graph_note_names(p.graph);
    return integers_as_scalars(p.graph, may_stay, &p) && replace_all(&p) ? p.graph : NULL;
}
