/* hooks.c - what a model calls back while it works, and how it is stopped */
#include "api/api_priv.h"

enum nnefc_status api_model_set_hooks(struct nnefc_model *model, const struct nnefc_hooks *hooks)
{
    if (!model)
        return NNEFC_USAGE;
    if (hooks && hooks->size != sizeof *hooks)
        return misuse(model, "the hooks have %zu bytes, expected %zu", hooks->size, sizeof *hooks);
    model->lists->hooks = hooks ? *hooks : (struct nnefc_hooks){0};
    model->lists->told = diag_count(model->context->diag);
    return NNEFC_OK;
}

void nnefc_model_cancel(struct nnefc_model *model, bool cancel)
{
    if (model)
        atomic_store(&model->context->cancelled, cancel);
}

/* The next of the messages; NULL: all were handed on.  Two threads never get the same one. */
static const struct nnefc_diagnostic *next_message(const struct nnefc_model *model)
{
    const struct nnefc_diagnostic_list *list = nnefc_model_diagnostics(model);
    const struct nnefc_diagnostic *message = NULL;

    model_lock(model);
    if (model->lists->told < list->count)
        message = list->at[model->lists->told++];
    model_unlock(model);
    return message;
}

/* No lock is held, so that the client may call any function. */
void hooks_tell(const struct nnefc_model *model)
{
    const struct nnefc_hooks *hooks = &model->lists->hooks;

    for (const struct nnefc_diagnostic *m; hooks->message && (m = next_message(model));)
        hooks->message(hooks->user, m);
}

void model_progress(const struct nnefc_model *model, enum nnefc_work work, int64_t done,
                    int64_t total)
{
    const struct nnefc_hooks *hooks = &model->lists->hooks;

    if (hooks->progress)
        hooks->progress(hooks->user, work, done, total);
}
