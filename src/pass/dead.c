/* dead.c - what no output and no update depends on */
#include "pass/pass_priv.h"

#include "ir/graph_edit.h"

/* Backwards, so that each node is met after those that need it. */
static void end(struct pass *pass)
{
    struct graph *graph = pass->graph;
    int kept = 0;

    for (struct node *n = graph->last, *prev; n; n = prev) {
        prev = n->prev;
        if (node_is_needed(pass, n))
            continue;
        graph_erase_node(graph, n);
        pass->changes++;
    }
    pass_drop_unused(pass, VALUE_VARIABLE);
    pass_drop_unused(pass, VALUE_CONSTANT);
    if (!pass->options->prune_inputs)
        return;
    for (int i = 0; i < graph->ninput; i++)
        if (graph->inputs[i].value->uses || value_stays(pass, graph->inputs[i].value))
            graph->inputs[kept++] = graph->inputs[i];
    graph->ninput = kept;
    pass_drop_unused(pass, VALUE_EXTERNAL);
}

const struct pass_desc pass_remove_dead = {
    .purpose = "remove operations and constants that no result depends on",
    .end = end,
};
