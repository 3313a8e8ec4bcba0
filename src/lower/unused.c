/* unused.c - warnings of what has no effect on the results */
#include "base/arena.h"
#include "diag/context.h"
#include "lower/lower.h"
#include "op/op.h"

#include <stdlib.h>

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
    bool *live = heap_array(graph->value_count, sizeof *live); /* by value id */
    for (int i = 0; i < graph->noutput; i++)
        live[graph->outputs[i].value->id] = true;
    /* Backwards: each node after all that read its results. */
    for (const struct node *n = graph->last; n; n = n->prev) {
        bool needed = n->op->traits & OP_EFFECT;
        for (uint32_t i = 0; i < n->nout; i++)
            needed |= live[n->out[i].id];
        for (uint32_t i = 0; needed && i < n->nin; i++)
            live[n->in[i].value->id] = true;
    }
    for (const struct source *v = graph->variables.first; v; v = v->next)
        if (!live[v->value->id])
            diag_warning(diag, v->span, WARNING_UNUSED_VARIABLE,
                         "no result depends on variable '%s'", VALUE_TEXT(v->value));
    free(live);
}
