/* computed.c - what operations compute, one after the other */
#include "api/api_priv.h"
#include "base/arena.h"
#include "ir/graph.h"

static void list_computed(struct nnefc_model *model)
{
    int count = 0;

    for (const struct node *n = model->graph->first; n; n = n->next)
        count += (int)n->nout;
    model->computed = arena_array_of(model->context->arena, const struct value *, count + 1);
    for (const struct node *n = model->graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            model->computed[model->ncomputed++] = &n->out[i];
}

static const struct value *computed_at(struct nnefc_model *model, int index)
{
    if (model->graph && !model->computed)
        list_computed(model);
    return index >= 0 && index < model->ncomputed ? model->computed[index] : NULL;
}

/* The result to be computed; NULL after a report of misuse, if there is a model to tell. */
static const struct value *wanted(const struct nnefc_run *run, int index)
{
    const struct value *value = run ? computed_at(run->model, index) : NULL;

    if (run && run->backend) {
        misuse(run->model, "only a run of the reference stops at operations");
        return NULL;
    }
    if (run && !value)
        misuse(run->model, "graph '%s' has no computed tensor %d: there are %d",
               run->model->graph->name, index, run->model->ncomputed);
    return value;
}

static bool advance(struct nnefc_run *run, int index)
{
    const struct value *value = wanted(run, index);

    if (!value)
        return false;
    run->stepped = false;
    bool ok = run_until(run->run, value);
    diag_move(run->model->context->diag, run->diag);
    return ok;
}

enum nnefc_status api_run_advance(struct nnefc_run *run, int index)
{
    int before = run_enter(run);

    return run_leave(run, before, advance(run, index));
}

static bool keep_computed(struct nnefc_run *run, int index)
{
    const struct value *value = wanted(run, index);

    if (value)
        run_keep(run->run, value);
    return value;
}

enum nnefc_status api_run_keep_computed(struct nnefc_run *run, int index)
{
    int before = run_enter(run);

    return run_leave(run, before, keep_computed(run, index));
}

static const struct nnefc_tensor *look_at(const struct nnefc_run *run, int index)
{
    const struct value *value = computed_at(run->model, index);

    if (!value || !(run->stepped || run_is_going(run->run)))
        return NULL;
    const struct tensor *tensor = run_tensor(run->run, value);
    return tensor->data ? tensor_handle(tensor) : NULL;
}

const struct nnefc_tensor *nnefc_run_computed(const struct nnefc_run *run, int index)
{
    const struct nnefc_tensor *tensor;

    if (!run)
        return NULL;
    run_enter(run);
    tensor = look_at(run, index);
    run_leave(run, 0, true);
    return tensor;
}
