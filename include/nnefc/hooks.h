/*
 * hooks.h - the part of nnefc.h for embedders: messages, progress, and how to stop a call
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

/* What goes on within a call.  `done` of `total` are: */
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
     * Each diagnostic once, in the order of their list, when the call that reported it is over:
     * only then it has all of its notes, help and fixes.  It is called in the thread of that call,
     * which holds no lock, so that it may call any function but those that free the model or run.
     */
    void (*message)(void *user, const struct nnefc_diagnostic *message);
    /*
     * It is called in the thread of the call, while that goes on: of nnefc functions it may call
     * only nnefc_model_cancel() and those of lists.  Runs in several threads call it at the same
     * time.
     */
    void (*progress)(void *user, enum nnefc_work work, int64_t done, int64_t total);
    void *user; /* handed to both */
};

/* NULL: none.  The hooks are copied.  Messages before are not handed on. */
NNEFC_API enum nnefc_status nnefc_model_set_hooks(struct nnefc_model *model,
                                                  const struct nnefc_hooks *hooks);

/*
 * Stop whatever goes on with the model and its runs, or let it go on again (false).  Any thread may
 * call it at any time, a signal handler too.  A call looks at it between the parts of loading,
 * variables, passes, and operations of a step; it then fails with NNEFC_CANCELLED (NULL where there
 * is no status), and so does every later one until it is taken back.  A step that was stopped has
 * no results, and the next begins anew.  A model of which loading was stopped can only be freed.
 */
NNEFC_API void nnefc_model_cancel(struct nnefc_model *model, bool cancel);

#ifdef __cplusplus
}
#endif

#endif
