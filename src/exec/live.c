/* live.c - liveness, found by one walk from the end of the graph to its beginning */
#include "exec/live.h"

#include "ir/graph.h"
#include "op/op.h"

#include <stdlib.h>

static bool is_live(const struct node *node, const uint32_t *holds)
{
    bool live = node->op->traits & OP_EFFECT;

    for (uint32_t i = 0; i < node->nout; i++)
        live |= holds[node->out[i].id] > 0;
    return live;
}

static void enter(const struct node *node, struct live *live)
{
    live->node[node->id] = true;
    live->nodes++;
    for (uint32_t i = 0; i < node->nin; i++)
        live->holds[node->in[i].value->id]++;
    if (node->op->traits & OP_EFFECT)
        live->holds[node->out[0].id]++;
}

bool live_find(const struct graph *graph, struct live *live)
{
    *live = (struct live){.node = calloc((size_t)graph->node_count + 1, sizeof *live->node),
                          .holds = calloc((size_t)graph->value_count + 1, sizeof *live->holds)};
    if (!live->node || !live->holds)
        return false;
    for (int i = 0; i < graph->noutput; i++)
        live->holds[graph->outputs[i].value->id]++;
    for (const struct node *node = graph->last; node; node = node->prev)
        if (is_live(node, live->holds))
            enter(node, live);
    return true;
}

void live_clear(struct live *live)
{
    free(live->node);
    free(live->holds);
    *live = (struct live){0};
}
