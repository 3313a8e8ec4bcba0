/* hooks.c - what a model calls back while it works, and how it is stopped (hooks.h) */
#include "api/api_priv.h"

#include <assert.h>

bool api_model_set_hooks(struct nnefc_model *model, const struct nnefc_hooks *hooks)
{
    struct nnefc_hooks taken;

    if (!settings_take(model, hooks, &taken, sizeof taken))
        return false;
    model->lists->hooks = taken;
    model->lists->told = diag_count(model->context->diag);
    return true;
}

void nnefc_model_cancel(struct nnefc_model *model, bool cancel)
{
    if (model)
        atomic_store(&model->context->cancelled, cancel);
}

/* No lock is held while the client is called, so that it may call any function. */
void hooks_tell(const struct nnefc_model *model)
{
    struct lists *shared = model->lists;
    const struct nnefc_diagnostic *message;

    do {
        const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);
        message = NULL;
        model_lock(model);
        if (shared->hooks.message && shared->told < list->count)
            message = list->at[shared->told++]; /* two threads never get the same one */
        model_unlock(model);
        if (message)
            shared->hooks.message(shared->hooks.user, message);
    } while (message);
}

void model_progress(const struct nnefc_model *model, enum nnefc_work work, int64_t done,
                    int64_t total)
{
    const struct nnefc_hooks *hooks = &model->lists->hooks;

    assert(done >= 0 && total >= 0);
    if (hooks->progress)
        hooks->progress(hooks->user, work, done, total);
}
