/*
 * hooks.h - the part of nnefc.h for embedding: messages, progress, and stopping a call
 *
 *     struct nnefc_hooks hooks = {.size = sizeof hooks, .message = show, .user = window};
 *
 *     nnefc_model_set_hooks(model, &hooks);
 *     nnefc_model_load(model, path);           another thread: nnefc_model_cancel(model, true)
 */
#ifndef NNEFC_HOOKS_H
#define NNEFC_HOOKS_H

#include "nnefc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The work of a call.  `done` and `total` count: */
enum nnefc_work {
    NNEFC_WORK_LOAD,     /* the parts of loading an NNEF text: parsed, checked, expanded */
    NNEFC_WORK_DATA,     /* variables whose data are read */
    NNEFC_WORK_PASSES,   /* passes of a round of rewriting; there may be several rounds */
    NNEFC_WORK_RUN,      /* operations, or steps of the plan, of a step of a run */
    NNEFC_WORK_QUANTIZE, /* steps of runs on samples; there are NNEFC_WORK_RUN in each */
};

/* NULL: not called. */
struct nnefc_hooks {
    size_t size; /* sizeof(struct nnefc_hooks) */
    /*
     * Called once for each diagnostic, in the order of their list, at the end of the call that
     * reported it: only then it has all of its notes, help and fixes.  The thread is that of the
     * call, which holds no lock.  So the hook may call any function but those that free the model
     * or run.
     */
    void (*message)(void *user, const struct nnefc_diagnostic *message);
    /*
     * Called during a call, in its thread.  The only nnefc functions that the hook may call are
     * nnefc_model_cancel() and those of lists.  Runs in several threads call it at the same time.
     */
    void (*progress)(void *user, enum nnefc_work work, int64_t done, int64_t total);
    void *user; /* handed to both */
};

/* NULL: none.  The hooks are copied.  They do not get earlier messages. */
NNEFC_API enum nnefc_status nnefc_model_set_hooks(struct nnefc_model *model,
                                                  const struct nnefc_hooks *hooks);

/*
 * Stop all calls with the model and its runs; `cancel` = false allows calls again.  Any thread, and
 * a signal handler, may call this at any time.  Other calls look for it between the parts of
 * loading, between variables and passes, and between the operations of a step.  They then fail with
 * NNEFC_CANCELLED (or NULL if they return no status), and so does every later call until calls are
 * allowed again.  A step that was stopped has no results, and the next step starts from its
 * beginning.  If loading was stopped, the model can only be freed.
 */
NNEFC_API void nnefc_model_cancel(struct nnefc_model *model, bool cancel);

#ifdef __cplusplus
}
#endif

#endif
