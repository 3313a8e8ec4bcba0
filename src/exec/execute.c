/* execute.c - the steps of a plan, one after the other; see execute.h */
#include "exec/execute.h"

#include "base/clock.h"
#include "base/pool.h"
#include "base/team.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/planner.h"
#include "exec/storage.h"
#include "tensor/tensor.h"

#include <stdlib.h>
#include <string.h>

struct execution {
    const struct plan *plan;
    struct diag *diag;
    struct team *team;
    char *memory; /* arena and scratch */
    void **data;  /* by buffer */
    void **own;   /* by step: what its kernel keeps; NULL */
    struct storage storage;
    struct tensor *seen; /* by value id: views of what can be looked at */
    struct step_time *times;
    execution_progress progress;
    void *progress_data;
    bool stepped; /* the last step succeeded: its updates are due */
};

/* --- making and freeing ------------------------------------------------------------------- */

static size_t memory_size(const struct plan *plan)
{
    return plan->tensors + plan->scratch + 1;
}

static void bind_buffers(struct execution *e)
{
    for (int i = 0; i < e->plan->nbuffer; i++) {
        const struct buffer *b = &e->plan->buffers[i];
        if (b->place == PLACE_ARENA)
            e->data[i] = e->memory + b->offset;
        else if (b->place == PLACE_CONSTANT)
            e->data[i] = b->data;
        else if (b->place == PLACE_VARIABLE)
            e->data[i] = e->storage.tensor[b->index].data;
    }
}

/* Variables that are updated need memory of their own. */
static bool own_variables(struct execution *e)
{
    for (int i = 0; i < e->plan->nrenewal; i++) {
        struct tensor *variable = &e->storage.tensor[e->plan->renewals[i].storage];
        struct tensor own = {0};
        if (variable->release)
            continue;
        if (!tensor_allocate(&own, variable->dtype, &variable->shape))
            return false;
        memcpy(own.data, variable->data, tensor_bytes(variable));
        *variable = own;
    }
    return true;
}

static bool open_steps(struct execution *e)
{
    bool ok = true;

    for (int i = 0; i < e->plan->nstep && ok; i++) {
        const struct step *step = &e->plan->steps[i];
        if (!step->kernel->open)
            continue;
        e->own[i] = step->kernel->open(step);
        ok = e->own[i] != NULL;
    }
    return ok;
}

static void close_steps(struct execution *e)
{
    for (int i = 0; e->own && i < e->plan->nstep; i++)
        if (e->own[i])
            e->plan->steps[i].kernel->close(e->own[i]);
    free(e->own);
}

/* The memory of what planning is done with, and some more. */
static char *take_memory(const struct plan *plan)
{
    char *memory = pool_take(plan->pool, memory_size(plan));

    pool_trim(plan->pool);
    return memory;
}

static void give_memory(const struct plan *plan, char *memory)
{
    if (!memory)
        return;
    pool_give(plan->pool, memory, memory_size(plan));
    pool_trim(plan->pool);
}

static bool allocate(struct execution *e)
{
    const struct plan *plan = e->plan;

    e->memory = take_memory(plan);
    e->data = calloc((size_t)plan->nbuffer + 1, sizeof *e->data);
    e->seen = calloc((size_t)plan->graph->value_count + 1, sizeof *e->seen);
    e->own = calloc((size_t)plan->nstep + 1, sizeof *e->own);
    e->team = team_new(plan->threads);
    return e->memory && e->data && e->seen && e->own && storage_fill(&e->storage, plan->graph) &&
           own_variables(e) && open_steps(e);
}

struct execution *execution_new(const struct plan *plan, struct diag *diag)
{
    struct execution *e = calloc(1, sizeof *e);

    if (e) {
        e->plan = plan;
        e->diag = diag;
    }
    if (!e || !allocate(e)) {
        diag_file_error(diag, NULL, DIAG_RUN_MEMORY,
                        "not enough memory for the tensors of a run: %zu bytes", memory_size(plan));
        execution_free(e);
        return NULL;
    }
    bind_buffers(e);
    return e;
}

void execution_free(struct execution *e)
{
    if (!e)
        return;
    close_steps(e);
    team_free(e->team);
    storage_clear(&e->storage);
    give_memory(e->plan, e->memory);
    free(e->data);
    free(e->seen);
    free(e->times);
    free(e);
}

void execution_set_input(struct execution *e, int index, const struct tensor *tensor)
{
    int buffer = e->plan->inputs[index];

    if (buffer != NO_BUFFER)
        e->data[buffer] = tensor->data;
}

void execution_set_progress(struct execution *e, execution_progress progress, void *data)
{
    e->progress = progress;
    e->progress_data = data;
}

/* --- one step ------------------------------------------------------------------------------ */

static void commit_updates(struct execution *e)
{
    for (int i = 0; i < e->plan->nrenewal; i++) {
        const struct renewal *r = &e->plan->renewals[i];
        memcpy(e->storage.tensor[r->storage].data, e->data[r->buffer], r->size);
    }
}

static void note_time(struct step_time *time, double seconds)
{
    if (time->runs == 0 || seconds < time->least)
        time->least = seconds;
    time->total += seconds;
    time->runs++;
}

static bool run_step_of_plan(struct execution *e, int at, struct frame *frame)
{
    const struct step *step = &e->plan->steps[at];

    frame->own = e->own[at];
    if (!e->times)
        return step->kernel->run(step, frame);
    double begin = clock_seconds();
    bool ok = step->kernel->run(step, frame);
    note_time(&e->times[at], clock_seconds() - begin);
    return ok;
}

static bool fail(const struct execution *e, int at, int before)
{
    if (diag_count(e->diag) == before)
        diag_file_error(e->diag, NULL, DIAG_RUN_MEMORY, "kernel '%s' has failed for want of memory",
                        e->plan->steps[at].kernel->name);
    return false;
}

bool execution_step(struct execution *e)
{
    struct frame frame = {
        .data = e->data, .scratch = e->memory + e->plan->tensors, .team = e->team, .diag = e->diag};
    int before = diag_count(e->diag);

    if (e->stepped)
        commit_updates(e);
    e->stepped = false;
    for (int i = 0; i < e->plan->nstep; i++) {
        if (!run_step_of_plan(e, i, &frame))
            return fail(e, i, before);
        if (e->progress)
            e->progress(e->progress_data, i + 1, e->plan->nstep);
    }
    return e->stepped = true;
}

/* --- looking at it ------------------------------------------------------------------------- */

const struct tensor *execution_result(const struct execution *e, const struct value *value)
{
    struct tensor *seen = &e->seen[value->id];
    int buffer = e->plan->shown[value->id];

    if (buffer != NO_BUFFER)
        *seen =
            (struct tensor){.shape = *value->shape, .dtype = value->dtype, .data = e->data[buffer]};
    return seen;
}

static const struct renewal *renewal_of(const struct execution *e, const struct tensor *storage)
{
    for (int i = 0; i < e->plan->nrenewal; i++)
        if (&e->storage.tensor[e->plan->renewals[i].storage] == storage)
            return &e->plan->renewals[i];
    return NULL;
}

const struct tensor *execution_variable(const struct execution *e, const struct value *variable)
{
    const struct tensor *storage = storage_of(&e->storage, variable);
    const struct renewal *renewal = e->stepped ? renewal_of(e, storage) : NULL;
    struct tensor *seen = &e->seen[variable->id];

    if (!renewal)
        return storage;
    *seen = *storage;
    seen->release = NULL;
    seen->data = e->data[renewal->buffer];
    return seen;
}

/* --- where the time goes ------------------------------------------------------------------- */

void execution_measure(struct execution *e)
{
    if (!e->times)
        e->times = calloc((size_t)e->plan->nstep + 1, sizeof *e->times);
}

int execution_step_count(const struct execution *e)
{
    return e->plan->nstep;
}

struct step_time execution_step_time(const struct execution *execution, int index)
{
    const struct plan *plan = execution->plan;
    const struct step *step = &plan->steps[index];
    struct step_time time = {0};

    if (execution->times)
        time = execution->times[index];
    time.step = step;
    time.result = step->nout > 0 ? plan->buffers[step->out[0]].value : NULL;
    return time;
}
