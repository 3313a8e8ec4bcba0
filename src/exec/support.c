/* support.c - what keeps a graph from being run, found before anything runs */
#include "exec/support.h"

#include "diag/context.h"
#include "exec/live.h"
#include "ir/graph.h"
#include "op/custom.h"
#include "op/op.h"

static bool node_supported(const struct node *node, struct diag *diag)
{
    const char *name = node->op->name;

    if (node->op->eval)
        return true;
    if (op_find(name) == node->op)
        return diag_error(diag, node->span, DIAG_NOT_SUPPORTED, "operation '%s' cannot be run yet",
                          name);
    return diag_error(diag, node->span, DIAG_NO_IMPLEMENTATION,
                      "operation '%s' has no implementation, so it cannot be run", name);
}

static bool input_known(const struct port *input, struct diag *diag)
{
    if (shape_known(input->value->shape))
        return true;
    diag_error(diag, value_span(input->value), DIAG_NOT_SUPPORTED,
               "the shape %s of parameter '%s' leaves extents open, so it cannot be run",
               SHAPE_TEXT(input->value->shape), input->name);
    diag_help(diag, "give all its extents with '--shape %s=...'.", input->name);
    return false;
}

/* Whatever else has no shape or no items in memory. */
static bool results_known(const struct node *node, struct diag *diag)
{
    for (uint32_t i = 0; i < node->nout; i++) {
        const struct value *v = &node->out[i];
        if (shape_known(v->shape) && dtype_size(v->dtype) > 0)
            continue;
        diag_error(diag, node->span, DIAG_NOT_SUPPORTED,
                   "'%s', result of '%s', is %s%s and cannot be computed", VALUE_TEXT(v),
                   node->op->name, dtype_name(v->dtype), SHAPE_TEXT(v->shape));
        custom_note_origin(diag, v);
        return false;
    }
    return true;
}

bool support_check(const struct graph *graph, const struct live *live)
{
    struct diag *diag = graph->context->diag;
    bool ok = true;

    for (int i = 0; i < graph->ninput; i++)
        ok &= live->holds[graph->inputs[i].value->id] == 0 || input_known(&graph->inputs[i], diag);
    for (const struct node *n = graph->first; n && !diag_full(diag); n = n->next)
        ok &= !live->node[n->id] || node_supported(n, diag);
    for (const struct node *n = graph->first; n && ok; n = n->next)
        ok = !live->node[n->id] || results_known(n, diag);
    return ok;
}
