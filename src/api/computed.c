/*
 * computed.c - steps in parts (compare.h): what operations compute, one after the other
 *
 * Only a run of the reference stops at operations.  Its results go by their number in the order of
 * execution.
 */
#include "api/api_priv.h"
#include "ir/graph.h"

#include <assert.h>

/* The result of that number; NULL if there is none.  The model lists them once for each graph. */
static const struct value *computed_at(struct nnefc_model *model, int index)
{
    int count = 0;

    if (model->graph && !model->computed) {
        for (const struct node *n = model->graph->first; n; n = n->next)
            count += (int)n->nout;
        model->computed = arena_array_of(model->context->arena, const struct value *, count + 1);
        for (const struct node *n = model->graph->first; n; n = n->next)
            for (uint32_t i = 0; i < n->nout; i++)
                model->computed[model->ncomputed++] = &n->out[i];
        assert(model->ncomputed == count);
    }
    return index >= 0 && index < model->ncomputed ? model->computed[index] : NULL;
}

/* The result to be computed; NULL after a report of misuse. */
static const struct value *wanted_result(const struct nnefc_run *run, int index)
{
    const struct value *value = run->model->open.interface ? NULL : computed_at(run->model, index);

    if (run->model->open.interface)
        misuse(run->model, "a run of an open model does not stop at operations");
    else if (run->backend)
        misuse(run->model, "only a run of the reference stops at operations");
    else if (!value)
        misuse(run->model, "graph '%s' has no computed tensor %d: there are %d",
               run->model->graph->name, index, run->model->ncomputed);
    return run->backend ? NULL : value;
}

/* A step that is stopped at an operation has no results; whatever was computed so far can be
 * looked at. */
bool api_run_advance(struct nnefc_run *run, int index)
{
    const struct value *value = wanted_result(run, index);

    if (!value)
        return false;
    run->stepped = false;
    bool ok = run_until(run->run, value);
    diag_move(run->model->context->diag, run->diag);
    return ok;
}

/* Kept from the next step on, or in this one if it is not computed yet. */
bool api_run_keep_computed(struct nnefc_run *run, int index)
{
    const struct value *value = wanted_result(run, index);

    if (value)
        run_keep(run->run, value);
    return value;
}

/* NULL before it is computed, and after its last use if it is not kept. */
const struct nnefc_tensor *nnefc_run_computed(const struct nnefc_run *run, int index)
{
    const struct tensor *tensor = NULL;

    if (!run)
        return NULL;
    run_enter(run);
    const struct value *value = run->model->open.interface ? NULL : computed_at(run->model, index);
    if (value && (run->stepped || run_is_going(run->run)))
        tensor = run_tensor(run->run, value);
    run_leave(run, 0, true);
    return tensor && tensor->data ? tensor_handle(tensor) : NULL;
}
