/*
 * plan.c - which steps of a run compute which operations
 *
 * A step is named after the result that it writes.  If no step writes the result of an operation,
 * the step of its first reader computes it: the operations are fused, or it became part of weights.
 */
#include "driver/memory.h"
#include "driver/view/facts.h"
#include "driver/view/strings.h"

#include <stdlib.h>

/* Names of steps, and which step is the first of each. */
struct step_names {
    struct strings names;
    int *step;
};

static int step_of_name(const struct step_names *known, const char *name)
{
    int number = strings_find(&known->names, name);

    return number < 0 ? -1 : known->step[number];
}

/* The step that writes a result of the operation, or the step of its first reader, which is known.
 */
static int step_of(const struct net *net, const struct planned *plan,
                   const struct step_names *known, int operation)
{
    int step = -1;

    for (int i = net->out.first[operation]; i < net->out.first[operation + 1] && step < 0; i++)
        step = step_of_name(known, net->value[net->out.value[i]].name);
    for (int i = net->out.first[operation]; i < net->out.first[operation + 1] && step < 0; i++) {
        const struct net_value *value = &net->value[net->out.value[i]];
        step = value->readers ? plan->step_of[value->first] : -1;
    }
    return step;
}

bool planned_new(struct planned *plan, struct nnefc_model *model, const struct net *net)
{
    struct step_names known = {{0}, NULL};
    size_t count = (size_t)net->operations->count;

    plan->run = nnefc_run_new_with(model, NULL);
    if (!plan->run || nnefc_run_prepare(plan->run) != NNEFC_OK)
        return false;
    plan->steps = nnefc_run_steps(plan->run);
    plan->step_of = zeroed_items(count, sizeof *plan->step_of);
    known.step = zeroed_items((size_t)plan->steps->count, sizeof *known.step);
    for (int i = plan->steps->count - 1; i >= 0; i--)
        if (plan->steps->at[i]->name && plan->steps->at[i]->operations)
            known.step[strings_add(&known.names, plan->steps->at[i]->name)] = i;
    for (int i = net->operations->count - 1; i >= 0; i--)
        plan->step_of[i] = step_of(net, plan, &known, i);
    strings_free(&known.names);
    free(known.step);
    return true;
}

void planned_free(struct planned *plan)
{
    nnefc_run_free(plan->run);
    free(plan->step_of);
}
