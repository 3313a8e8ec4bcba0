/*
 * plan.c - which steps of a run compute which operations
 *
 * A step goes by the operation whose result it leaves.  Operations of which no step leaves the
 * result are computed where that is read first: they are done together, or became part of weights.
 */
#include "driver/memory.h"
#include "driver/view/facts.h"

#include <stdlib.h>

/* The step of what reads a result first, which is known. */
static int step_of_reader(const struct net *net, const struct planned *plan, int operation)
{
    int step = -1;

    for (int i = net->out.first[operation]; i < net->out.first[operation + 1] && step < 0; i++) {
        const struct net_value *value = &net->value[net->out.value[i]];
        step = value->readers ? plan->step_of[value->first] : -1;
    }
    return step;
}

struct planned planned_of(struct nnefc_run *run, const struct net *net)
{
    struct planned plan = {.steps = nnefc_run_steps(run)};
    const int count = net->operations->count;

    plan.step_of = zeroed_items((size_t)count, sizeof *plan.step_of);
    for (int i = 0; i < count; i++)
        plan.step_of[i] = -1;
    for (int i = plan.steps->count - 1; i >= 0; i--) {
        int operation = plan.steps->at[i]->operation;
        if (operation >= 0 && operation < count)
            plan.step_of[operation] = i;
    }
    for (int i = count - 1; i >= 0; i--)
        if (plan.step_of[i] < 0)
            plan.step_of[i] = step_of_reader(net, &plan, i);
    return plan;
}

bool planned_new(struct planned *plan, struct nnefc_model *model, const struct net *net)
{
    struct nnefc_run *run = nnefc_run_new_with(model, NULL);
    bool ok = run && nnefc_run_prepare(run) == NNEFC_OK;

    if (ok)
        *plan = planned_of(run, net);
    plan->run = run;
    return ok;
}

void planned_free(struct planned *plan)
{
    nnefc_run_free(plan->run);
    free(plan->step_of);
}
