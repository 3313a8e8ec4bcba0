/* unused.c - warnings of what has no effect on the results */
#include "base/arena.h"
#include "diag/context.h"
#include "lower/lower.h"
#include "op/op.h"

#include <stdlib.h>

bool is_live(const struct node *node, const bool *live)
{
    bool needed = node->op->traits & OP_EFFECT;

    for (uint32_t i = 0; i < node->nout; i++)
        needed |= live[node->out[i].id];
    return needed;
}

/* Backwards: each node after all that read its results. */
void find_live(const struct graph *graph, bool *live)
{
    for (int i = 0; i < graph->noutput; i++)
        live[graph->outputs[i].value->id] = true;
    for (const struct node *n = graph->last; n; n = n->prev)
        for (uint32_t i = 0, count = is_live(n, live) ? n->nin : 0; i < count; i++)
            live[n->in[i].value->id] = true;
}

void warn_unused(const struct checked *checked, const struct graph *graph)
{
    struct diag *diag = checked->context->diag;
    bool fragments = diag_warns(diag, WARNING_UNUSED_FRAGMENT);

    for (int i = 0; fragments && i < checked->document->fragments.count; i++) {
        const struct signature *s = checked->signatures[i];
        if (!s->invoked)
            diag_warning(diag, s->fragment->span, WARNING_UNUSED_FRAGMENT,
                         "fragment '%s' is never invoked", s->name);
    }
    if (!diag_warns(diag, WARNING_UNUSED_VARIABLE))
        return;
    bool *live = heap_array(graph->value_count, sizeof *live);
    find_live(graph, live);
    for (const struct source *v = graph->variables.first; v; v = v->next)
        if (!live[v->value->id])
            diag_warning(diag, v->span, WARNING_UNUSED_VARIABLE,
                         "no result depends on variable '%s'", VALUE_TEXT(v->value));
    free(live);
}
