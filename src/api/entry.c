/* entry.c - public functions, each within a boundary; see entry.h */
#include "api/entry.h"

#include "api/api_priv.h"

#include <assert.h>

void model_lock(const struct nnefc_model *model)
{
    pthread_mutex_lock(model->lock);
    recovery_count_lock(1); /* so that call_fail() gives it back */
}

void model_unlock(const struct nnefc_model *model)
{
    recovery_count_lock(-1);
    pthread_mutex_unlock(model->lock);
}

/* What the boundary marks if memory runs out: that of the model, of the model of a run, of results.
 * NULL of NULL. */
static struct lists *shared_of(const struct nnefc_model *model)
{
    return model ? model->lists : NULL;
}

static struct lists *shared_of_run(const struct nnefc_run *run)
{
    return run ? shared_of(run->model) : NULL;
}

static struct lists *shared_of_results(const struct nnefc_results *results)
{
    return shared_of(results_model(results));
}

/* In a boundary of its own, for there is no model yet that could be marked. */
struct context *try_context(void)
{
    struct context *volatile context = NULL;
    struct recovery recovery;

    recovery_begin(&recovery);
    if (setjmp(recovery.point) == 0)
        context = context_new();
    recovery_end(&recovery);
    return context;
}

/* Also of a call within a call, such as a list that is asked for while the client is called
 * back. */
bool call_enter(struct call *call, struct lists *shared)
{
    if (shared && atomic_load(&shared->out_of_memory))
        return false;
    call->shared = shared;
    recovery_begin(&call->recovery);
    return true;
}

void call_end(struct call *call)
{
    assert(call->recovery.locks == 0);
    recovery_end(&call->recovery);
}

/* Messages are handed on behind the boundary: the client may do what it likes. */
void call_leave(struct call *call)
{
    call_end(call);
    if (call->shared && call->shared->hooks.message)
        hooks_tell(call->shared->model);
}

/* The jump went past all that would have given back a lock. */
void call_fail(struct call *call)
{
    struct lists *shared = call->shared;

    recovery_end(&call->recovery); /* which counted the locks that the call holds */
    assert(shared || call->recovery.locks == 0);
    for (; call->recovery.locks > 0; call->recovery.locks--)
        pthread_mutex_unlock(&shared->lock);
    if (shared)
        atomic_store(&shared->out_of_memory, true);
}

#define ENTER(shared, failed)               \
    struct call call;                       \
                                            \
    if (!call_enter(&call, shared))         \
        return failed;                      \
    if (setjmp(call.recovery.point) != 0) { \
        call_fail(&call);                   \
        return failed;                      \
    }
#define BOUNDARY(type, name, failed, shared, parameters, value) \
    type nnefc_##name parameters                                \
    {                                                           \
        ENTER(shared, failed)                                   \
        type result = value;                                    \
        call_leave(&call);                                      \
        return result;                                          \
    }
#define ENTRY(type, name, failed, shared, parameters, arguments) \
    BOUNDARY(type, name, failed, shared, parameters, api_##name arguments)
#define OF_MODEL(name, parameters, value)                                           \
    BOUNDARY(enum nnefc_status, name, NNEFC_INTERNAL, shared_of(model), parameters, \
             (call.before = reports_of(model), status_of_call(model, call.before, value)))
#define MODEL(name, parameters, arguments) \
    OF_MODEL(name, parameters, (model) && api_##name arguments)
#define LOCKED(name, parameters, arguments)                                      \
    BOUNDARY(                                                                    \
        enum nnefc_status, name, NNEFC_INTERNAL, shared_of_run(run), parameters, \
        (call.before = run_enter(run), run_leave(run, call.before, run && api_##name arguments)))
#define OPTION(name, what, parameters, arguments) \
    OF_MODEL(name, parameters, before_loading(model, what) && api_##name arguments)
#define SETTING(name, what, parameter, assignment)          \
    OF_MODEL(name, (struct nnefc_model * model, parameter), \
             before_loading(model, what) && ((assignment), true))
#define ANYTIME(name, parameter, assignment) \
    OF_MODEL(name, (struct nnefc_model * model, parameter), model && ((assignment), true))
#define ENTRY_VOID(name, shared, parameters, arguments) \
    void nnefc_##name parameters                        \
    {                                                   \
        ENTER(shared, )                                 \
        api_##name arguments;                           \
        call_leave(&call);                              \
    }
#include "api/entries.def"
