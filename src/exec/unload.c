/* unload.c - the memory of constants that are packed, given back while others are still to be */
#include "exec/planner.h"
#include "tensor/tensor.h"

enum { WORTH_IT = 1 << 16 }; /* bytes */

void plan_release(struct planner *planner, const struct value *value)
{
    if (planner->npacked < PACKED)
        planner->packed[planner->npacked++] = value;
}

static bool has_other(const struct source_list *list, const struct source *than)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s != than && s->tensor == than->tensor)
            return true;
    return false;
}

/* Does anybody but the step that has copied them read the items? */
static bool is_needed(const struct planner *planner, const struct value *value)
{
    const struct graph *graph = planner->graph;

    return planner->live.holds[value->id] > 1 || has_other(&graph->variables, value->source) ||
           has_other(&graph->constants, value->source);
}

void unload_packed(struct planner *planner)
{
    for (int i = 0; i < planner->npacked; i++) {
        const struct value *value = planner->packed[i];
        const struct tensor *tensor = plan_constant(planner, value);
        if (!tensor || tensor_bytes(tensor) < WORTH_IT)
            continue;
        tensor_unload(tensor);
        if (planner->options->discard && !is_needed(planner, value))
            planner->options->discard(planner->options->discard_data, tensor);
    }
    planner->npacked = 0;
}
