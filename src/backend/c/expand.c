/* expand.c - what no step can be printed for gives way to what its body makes */
#include "backend/c/c.h"
#include "lower/lower.h"

/* What takes the place of a node is looked at in its turn. */
bool c_expand(struct graph *graph, const struct library *library)
{
    struct node *next;

    for (struct node *n = graph->first; n; n = next) {
        struct node *prev = n->prev;
        next = n->next;
        if (c_knows(n) || !lower_can_replace(graph, library, n->op))
            continue;
        if (!lower_replace(graph, library, n))
            return false;
        next = prev ? prev->next : graph->first;
    }
    return true;
}
