/* dead.c - what no output and no update depends on */
#include "pass/pass_priv.h"

#include "ir/graph_edit.h"

static bool is_unwanted(const struct value *value, void *data)
{
    struct pass *pass = data;
    bool unwanted = !value_stays(pass, value);

    pass->changes += unwanted;
    return unwanted;
}

static void prune_inputs(struct pass *pass)
{
    struct graph *graph = pass->graph;
    int kept = 0;

    for (int i = 0; i < graph->ninput; i++)
        if (graph->inputs[i].value->uses || value_stays(pass, graph->inputs[i].value))
            graph->inputs[kept++] = graph->inputs[i];
    graph->ninput = kept;
    graph_erase_sources(graph, VALUE_EXTERNAL, is_unwanted, pass);
}

/* Backwards, so that each node is met after those that need it. */
static void remove_dead(struct pass *pass)
{
    struct graph *graph = pass->graph;

    for (struct node *n = graph->last, *prev; n; n = prev) {
        prev = n->prev;
        pass->changes += node_is_needed(pass, n) ? 0 : (graph_erase_node(graph, n), 1);
    }
    graph_erase_sources(graph, VALUE_VARIABLE, is_unwanted, pass);
    graph_erase_sources(graph, VALUE_CONSTANT, is_unwanted, pass);
    if (pass->options->prune_inputs)
        prune_inputs(pass);
}

const struct pass_desc pass_remove_dead = {
    .purpose = "remove operations and constants that no result depends on",
    .end = remove_dead,
};
