/* execute.c - the steps of a plan, one after the other; see execute.h */
#include "exec/execute.h"

#include "base/clock.h"
#include "base/intern.h"
#include "base/pool.h"
#include "base/team.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/planner.h"
#include "exec/storage.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct execution {
    const struct plan *plan;
    struct diag *diag;
    struct team **team, *own_team; /* `team`: where it is, there or at the caller's */
    int threads;                   /* of the team, which the first step starts */
    uint64_t seed;                 /* of random numbers, with the number of the step */
    uint32_t cycle;
    char *memory;         /* arena and scratch */
    bool borrowed;        /* it is the caller's */
    void **data;          /* by buffer; NULL: it has no memory now */
    struct tensor *owned; /* by buffer: memory of its own, see can_own() */
    void **own;           /* by step: what its kernel keeps; NULL */
    struct storage storage;
    struct tensor *seen;    /* by value id: what lies in the buffer that shows it, if one does */
    struct tensor *renewed; /* by renewal: what the last step has computed for the variable */
    struct step_time *times;
    struct team_span *spans; /* by step and member, if times are taken; of the last runs */
    int members;             /* for which there is room */
    execution_progress progress;
    void *progress_data;
    bool astray;              /* buffers still point to memory that a caller took */
    bool stepped;             /* the last step succeeded: its updates are due */
    bool going;               /* a step was begun and is not over */
    int next;                 /* the step of the plan to run next */
    const struct value *goal; /* of the last execution_until(), which retains it; NULL: none */
    bool *retained; /* by value id: kept beyond the last use, of a plan of the reference */
};

/* --- making and freeing ------------------------------------------------------------------- */

size_t execution_size(const struct plan *plan)
{
    return plan->tensors + plan->scratch + 1;
}

static void see(struct execution *e, const struct value *value)
{
    int buffer = e->plan->shown[value->id];

    if (buffer != NO_BUFFER)
        e->seen[value->id] =
            (struct tensor){.shape = *value->shape, .dtype = value->dtype, .data = e->data[buffer]};
}

/* Several threads may read results at a time, so that reading them writes nothing: `seen` changes
 * only with the memory of a buffer. */
static void see_all(struct execution *e)
{
    const struct graph *graph = e->plan->graph;

    for (const struct source *s = graph->externals.first; s; s = s->next)
        see(e, s->value);
    for (const struct source *s = graph->variables.first; s; s = s->next)
        see(e, s->value);
    for (const struct source *s = graph->constants.first; s; s = s->next)
        see(e, s->value);
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            see(e, &n->out[i]);
}

/* Room for tensors of buffers that get memory of their own, which few plans need. */
static bool can_own(struct execution *e)
{
    if (!e->owned)
        e->owned = calloc((size_t)e->plan->nbuffer + 1, sizeof *e->owned);
    return e->owned;
}

/* Does the buffer have memory of its own? */
static bool is_owned(const struct execution *e, int index)
{
    return e->owned && e->owned[index].data;
}

/* Give each variable that an update changes memory of its own, and the update some to exchange with
 * it.  With the reference the update brings the memory, but bytes are made integers first. */
static bool own_variables(struct execution *e)
{
    struct pool *pool = e->plan->pool; /* whose memory is aligned as that of other buffers */

    for (int i = 0; i < e->plan->nrenewal; i++) {
        const struct renewal *r = &e->plan->renewals[i];
        struct tensor *variable = &e->storage.tensor[r->storage];
        struct tensor own = {0};
        if (plan_is_reference(e->plan) && !variable->bytes)
            continue;
        if (r->swaps &&
            !tensor_allocate_in(&e->owned[r->buffer], variable->dtype, &variable->shape, pool))
            return false;
        if (variable->release)
            continue;
        if (!tensor_allocate_in(&own, variable->dtype, &variable->shape, pool))
            return false;
        tensor_fill(own.data, variable, shape_volume(&variable->shape));
        *variable = own;
    }
    return true;
}

static bool allocate_execution(struct execution *e)
{
    const struct plan *plan = e->plan;
    bool reference = plan_is_reference(plan);
    size_t values = (size_t)plan->graph->value_count + 1;

    /* The pool has memory that the planner no longer needs; the reference needs scratch only. */
    if (!e->borrowed)
        e->memory =
            reference ? malloc(execution_size(plan)) : pool_take(plan->pool, execution_size(plan));
    if (!reference && !plan->warm)
        pool_trim(plan->pool);
    e->data = calloc((size_t)plan->nbuffer + 1, sizeof *e->data);
    e->seen = malloc(values * sizeof *e->seen); /* see_all() sets those that are shown */
    e->renewed = calloc((size_t)plan->nrenewal + 1, sizeof *e->renewed);
    e->retained = calloc(values, sizeof *e->retained);
    e->own = calloc((size_t)plan->nstep + 1, sizeof *e->own);
    e->threads = plan->threads;
    bool ok = (!(reference || plan->nrenewal > 0) || can_own(e)) && e->memory && e->data &&
              e->seen && e->renewed && e->retained && e->own &&
              storage_fill(&e->storage, plan->graph, &plan->storage) && own_variables(e);
    for (int i = 0; i < plan->nstep && ok; i++) {
        const struct step *step = &plan->steps[i];
        if (!step->kernel->open)
            continue;
        e->own[i] = step->kernel->open(step);
        ok = e->own[i] != NULL;
    }
    return ok;
}

struct execution *execution_new(const struct plan *plan, struct diag *diag, void *memory)
{
    struct execution *e = calloc(1, sizeof *e);

    if (e) {
        e->plan = plan;
        e->diag = diag;
        e->memory = memory;
        e->borrowed = memory != NULL;
        e->team = &e->own_team;
    }
    if (!e || !allocate_execution(e)) {
        diag_file_error(diag, NULL, DIAG_RUN_MEMORY,
                        "not enough memory for the tensors of a run: %zu bytes",
                        execution_size(plan));
        execution_free(e);
        return NULL;
    }
    for (int i = 0; i < plan->nbuffer; i++) {
        const struct buffer *b = &plan->buffers[i];
        int root = buffer_root(plan, i);
        if (b->place == PLACE_ARENA)
            e->data[i] =
                (plan->buffers[root].swaps ? (char *)e->owned[root].data : e->memory) + b->offset;
        else if (b->place == PLACE_CONSTANT)
            e->data[i] = b->data;
        else if (b->place == PLACE_VARIABLE)
            e->data[i] = e->storage.tensor[b->index].data;
    }
    see_all(e);
    return e;
}

void execution_free(struct execution *e)
{
    if (!e)
        return;
    for (int i = 0; e->own && i < e->plan->nstep; i++)
        if (e->own[i])
            e->plan->steps[i].kernel->close(e->own[i]);
    for (int i = 0; e->owned && i < e->plan->nbuffer; i++)
        tensor_clear(&e->owned[i]);
    team_free(e->own_team);
    storage_clear(&e->storage);
    if (e->memory && !e->borrowed && !plan_is_reference(e->plan)) {
        pool_give(e->plan->pool, e->memory, execution_size(e->plan));
        if (!e->plan->warm)
            pool_trim(e->plan->pool);
    } else if (!e->borrowed) {
        free(e->memory);
    }
    free(e->own);
    free(e->data);
    free(e->owned);
    free(e->seen);
    free(e->renewed);
    free(e->retained);
    free(e->times);
    free(e->spans);
    free(e);
}

void execution_set_input(struct execution *e, int index, const struct tensor *tensor)
{
    int buffer = e->plan->inputs[index];

    assert(index >= 0 && index < e->plan->graph->ninput);
    if (buffer == NO_BUFFER)
        return;
    e->data[buffer] = tensor->data;
    see(e, e->plan->graph->inputs[index].value);
}

void execution_set_progress(struct execution *e, execution_progress progress, void *data)
{
    e->progress = progress;
    e->progress_data = data;
}

void execution_share_team(struct execution *e, struct team **team)
{
    e->team = team;
}

void execution_set_threads(struct execution *e, int threads)
{
    if (team_size(*e->team) != team_usable(threads)) {
        team_free(*e->team);
        *e->team = NULL;
    }
    e->threads = threads;
}

void execution_set_seed(struct execution *e, uint64_t seed, uint32_t cycle)
{
    e->seed = seed;
    e->cycle = cycle;
}

void execution_set_diag(struct execution *e, struct diag *diag)
{
    e->diag = diag;
}

bool execution_shows(const struct execution *e, const struct value *value)
{
    const struct graph *graph = e->plan->graph;
    bool shows = e->retained[value->id];

    for (int i = 0; i < graph->noutput; i++)
        shows |= graph->outputs[i].value == value;
    return shows;
}

void execution_retain(struct execution *e, const struct value *value)
{
    assert(plan_is_reference(e->plan)); /* a backend's plan has placed what it retains */
    e->retained[value->id] = true;
}

/* --- memory of results, of a plan of the reference ------------------------------------------ */

/* Give the buffer memory if it has none.  Kernels see all items of a constant, even if one item
 * stands for all of them in the graph. */
static bool provide(struct execution *e, int index)
{
    const struct buffer *b = &e->plan->buffers[index];
    const struct value *value = b->value;
    struct tensor *owned = &e->owned[index];

    assert(index >= 0 && index < e->plan->nbuffer);
    if (b->place != PLACE_HEAP || owned->data)
        return true;
    bool ok = b->from ? tensor_spread(owned, b->from, value->shape)
                      : tensor_allocate(owned, value->dtype, value->shape);
    e->data[index] = owned->data;
    see(e, value);
    if (ok)
        return true;
    return diag_error(e->diag, value_span(value), DIAG_RUN_MEMORY,
                      "not enough memory for tensor '%s' of shape %s: %zu bytes", VALUE_TEXT(value),
                      SHAPE_TEXT(value->shape),
                      dtype_size(value->dtype) * (size_t)shape_volume(value->shape));
}

static void drop(struct execution *e, int index)
{
    assert(e->plan->buffers[index].place == PLACE_HEAP);
    tensor_clear(&e->owned[index]);
    e->data[index] = NULL;
    see(e, e->plan->buffers[index].value);
}

/* Drop the buffer if no step to come needs it. */
static void drop_if_over(struct execution *e, int index)
{
    const struct buffer *b = &e->plan->buffers[index];

    if (b->place == PLACE_HEAP && b->last < e->next && b->value != e->goal &&
        !e->retained[b->value->id])
        drop(e, index);
}

/* --- one step ------------------------------------------------------------------------------ */

/* The data of a buffer lie there from now on. */
static void move_data(struct execution *e, int index, void *to)
{
    const struct plan *plan = e->plan;

    e->data[index] = to;
    for (uint32_t id = 0; id < plan->graph->value_count; id++)
        if (plan->shown[id] == index)
            e->seen[id].data = to;
}

/* A buffer of a backend's plan, and its parts, lie there instead of in the arena. */
static void move_buffer(struct execution *e, int index, char *to)
{
    const struct plan *plan = e->plan;
    const struct buffer *buffers = plan->buffers;

    for (int i = 0; i < plan->nbuffer; i++)
        if (buffers[i].place == PLACE_ARENA && buffer_root(plan, i) == index)
            move_data(e, i, to + (buffers[i].offset - buffers[index].offset));
}

/* The variable gets what was computed for it, and the next result the memory that it had. */
static void swap_variable(struct execution *e, const struct renewal *renewal)
{
    struct tensor *variable = &e->storage.tensor[renewal->storage];
    struct tensor *computed = &e->owned[renewal->buffer], before = *variable;
    const struct plan *plan = e->plan;

    *variable = *computed;
    *computed = before;
    move_buffer(e, renewal->buffer, computed->data);
    for (int i = 0; i < plan->nbuffer; i++)
        if (plan->buffers[i].place == PLACE_VARIABLE && plan->buffers[i].index == renewal->storage)
            move_data(e, i, variable->data);
}

/* Updates take effect: variables take over the memory of results.  What has to be copied comes
 * first, from memory that may be taken over then. */
static void take_effect(struct execution *e)
{
    const struct plan *plan = e->plan;

    for (int i = 0; i < plan->nrenewal; i++) {
        const struct renewal *r = &plan->renewals[i];
        struct tensor *variable = &e->storage.tensor[r->storage];
        if (plan->renewals[i].swaps)
            continue;
        if (plan_is_reference(plan) && e->owned[r->buffer].data) {
            tensor_clear(variable);
            *variable = e->owned[r->buffer];
            e->owned[r->buffer] = (struct tensor){0};
        } else {
            memcpy(variable->data, e->data[r->buffer], r->size);
        }
    }
    for (int i = 0; i < plan->nrenewal; i++)
        if (plan->renewals[i].swaps)
            swap_variable(e, &plan->renewals[i]);
}

/* Put results whose memory was taken, and which got no other, back into the arena. */
static void settle(struct execution *e)
{
    const struct buffer *buffers = e->plan->buffers;

    for (int i = 0; i < e->plan->nbuffer; i++)
        if (buffers[i].place == PLACE_ARENA && buffers[i].whole == STEP_NONE && !is_owned(e, i) &&
            e->data[i] != e->memory + buffers[i].offset)
            move_buffer(e, i, e->memory + buffers[i].offset);
    e->astray = false;
}

void execution_begin(struct execution *e)
{
    const struct plan *plan = e->plan;
    bool reference = plan_is_reference(plan);

    if (e->going)
        return;
    if (e->astray)
        settle(e);
    if (e->stepped)
        take_effect(e);
    for (int i = 0; i < plan->nbuffer && reference; i++)
        if (plan->buffers[i].place == PLACE_HEAP)
            drop(e, i);
        else if (plan->buffers[i].place == PLACE_VARIABLE)
            e->data[i] = e->storage.tensor[plan->buffers[i].index].data;
    if (reference)
        see_all(e);
    e->stepped = false;
    e->next = 0;
    e->goal = NULL;
    e->going = true;
}

void execution_stop(struct execution *e)
{
    e->going = false;
}

bool execution_is_going(const struct execution *e)
{
    return e->going;
}

/* The times of the next step. */
static void begin_time(struct execution *e)
{
    struct team_span *spans = e->spans ? e->spans + (ptrdiff_t)e->next * e->members : NULL;

    if (spans)
        memset(spans, 0, (size_t)e->members * sizeof *spans);
    team_watch(*e->team, spans);
    e->times[e->next].last.begin = clock_seconds();
}

static void end_time(struct execution *e)
{
    struct step_time *time = &e->times[e->next];

    time->last.end = clock_seconds();
    double seconds = time->last.end - time->last.begin;
    if (time->runs == 0 || seconds < time->least)
        time->least = seconds;
    time->total += seconds;
    time->runs++;
    team_watch(*e->team, NULL);
}

/* Run the next step of the plan.  False after a report. */
static bool run_next(struct execution *e, struct step_frame *frame)
{
    const struct step *step = &e->plan->steps[e->next];
    bool owns = plan_is_reference(e->plan), ok = true;
    int before = diag_count(e->diag);

    for (int i = 0; i < step->nin && owns && ok; i++)
        ok = provide(e, step->in[i]);
    for (int i = 0; i < step->nout && owns && ok; i++)
        ok = provide(e, step->out[i]);
    frame->own = e->own[e->next];
    if (e->times)
        begin_time(e);
    ok = ok && step->kernel->run(step, frame);
    if (e->times)
        end_time(e);
    if (!ok && diag_count(e->diag) == before) /* only memory fails without a report */
        diag_file_error(e->diag, NULL, DIAG_RUN_MEMORY, "kernel '%s' has failed for want of memory",
                        step->kernel->name);
    e->next += ok;
    for (int i = 0; i < step->nin && owns && ok; i++)
        drop_if_over(e, step->in[i]);
    for (int i = 0; i < step->nout && owns && ok; i++)
        drop_if_over(e, step->out[i]);
    return ok;
}

bool execution_until(struct execution *e, const struct value *goal)
{
    const struct plan *plan = e->plan;
    bool owns = plan_is_reference(plan);

    assert(!goal || (owns && goal->kind == VALUE_RESULT));
    execution_begin(e);
    int before = e->goal ? plan->shown[e->goal->id] : NO_BUFFER;
    e->goal = goal; /* retained from now on, instead of the last goal */
    if (before != NO_BUFFER)
        drop_if_over(e, before);
    if (*e->team && !team_is_here(*e->team)) { /* the process was forked */
        team_free(*e->team);
        *e->team = NULL;
    }
    if (!*e->team)
        *e->team = team_new(e->threads);
    if (e->times && e->members < team_size(*e->team)) {
        free(e->spans);
        e->members = team_size(*e->team);
        e->spans = calloc((size_t)plan->nstep * (size_t)e->members + 1, sizeof *e->spans);
    }
    struct step_frame frame = {.data = e->data,
                               .scratch = e->memory + plan->tensors,
                               .team = *e->team,
                               .diag = e->diag,
                               .zeroed = owns,
                               .seed = e->seed,
                               .cycle = e->cycle};
    while (e->next < plan->nstep) {
        if (goal && plan->steps[e->next].nodes[0]->id > goal->producer->id)
            break;
        if (context_cancelled(plan->graph->context) || !run_next(e, &frame))
            return e->going = false;
        if (e->progress)
            e->progress(e->progress_data, e->next, plan->nstep);
    }
    return true;
}

bool execution_step(struct execution *e)
{
    const struct graph *graph = e->plan->graph;

    e->stepped = execution_until(e, NULL);
    /* No step reads an output that is a constant, so that it has no memory yet. */
    for (int i = 0; i < graph->noutput && e->stepped && plan_is_reference(e->plan); i++)
        e->stepped = provide(e, e->plan->shown[graph->outputs[i].value->id]);
    e->going = false;
    for (int i = 0; i < e->plan->nrenewal && e->stepped; i++) {
        const struct renewal *r = &e->plan->renewals[i];
        const struct tensor *variable = &e->storage.tensor[r->storage];
        e->renewed[i] = (struct tensor){
            .shape = variable->shape, .dtype = variable->dtype, .data = e->data[r->buffer]};
    }
    return e->stepped;
}

/* --- looking at it ------------------------------------------------------------------------- */

const struct plan *execution_plan(const struct execution *e)
{
    return e->plan;
}

const struct tensor *execution_result(const struct execution *e, const struct value *value)
{
    static const struct tensor nothing;

    assert(value->id < e->plan->graph->value_count);
    return e->plan->shown[value->id] == NO_BUFFER ? &nothing : &e->seen[value->id];
}

const struct tensor *execution_variable(const struct execution *e, const struct value *variable)
{
    const struct tensor *storage = storage_of(&e->storage, variable);

    for (int i = 0; i < e->plan->nrenewal && e->stepped; i++)
        if (&e->storage.tensor[e->plan->renewals[i].storage] == storage)
            return &e->renewed[i];
    return storage;
}

/* --- results that become inputs -------------------------------------------------------------- */

/* The buffer of a result that nothing else lies in, and that no variable takes; NO_BUFFER: there is
 * none. */
static int buffer_of_result(const struct execution *e, const struct value *value)
{
    const struct plan *plan = e->plan;
    int index = plan->shown[value->id];

    if (index == NO_BUFFER || plan->buffers[index].value != value ||
        plan->buffers[index].whole != STEP_NONE)
        return NO_BUFFER;
    for (int i = 0; i < plan->nrenewal; i++)
        if (plan->renewals[i].buffer == index)
            return NO_BUFFER;
    return plan->buffers[index].place == (plan_is_reference(plan) ? PLACE_HEAP : PLACE_ARENA)
               ? index
               : NO_BUFFER;
}

bool execution_own_result(struct execution *e, const struct value *value, struct pool *pool)
{
    int index = buffer_of_result(e, value);

    if (index == NO_BUFFER)
        return false;
    if (plan_is_reference(e->plan) || is_owned(e, index))
        return true;
    assert(e->plan->buffers[index].size ==
           dtype_size(value->dtype) * (size_t)shape_volume(value->shape));
    bool ok = can_own(e) && tensor_allocate_in(&e->owned[index], value->dtype, value->shape, pool);
    if (ok)
        move_buffer(e, index, e->owned[index].data);
    return ok;
}

bool execution_take_result(struct execution *e, const struct value *value, struct tensor *tensor)
{
    int index = buffer_of_result(e, value);

    if (index == NO_BUFFER || !is_owned(e, index))
        return false;
    *tensor = e->owned[index];
    e->owned[index] = (struct tensor){0};
    if (plan_is_reference(e->plan)) {
        e->data[index] = NULL;
        see(e, value);
    } else {
        e->astray = true;
    }
    return true;
}

/* --- another execution ---------------------------------------------------------------------- */

/* Of the variable that holds the tensor of that index. */
static const char *label_of(const struct execution *e, int index)
{
    const struct graph *graph = e->plan->graph;
    const struct source *s = graph->variables.first;

    while ((int)e->storage.place[s->value->id] != index)
        s = s->next;
    return intern(graph->context->names, s->label, strlen(s->label));
}

bool execution_has_state(const struct execution *e)
{
    return e->plan->nrenewal > 0;
}

bool execution_held(const struct execution *e, struct held **held, int *count)
{
    *held = calloc((size_t)e->plan->nrenewal + 1, sizeof **held);
    *count = 0;
    for (int i = 0; *held && i < e->plan->nrenewal; i++) {
        int index = e->plan->renewals[i].storage;
        const struct tensor *from = e->stepped ? &e->renewed[i] : &e->storage.tensor[index];
        struct tensor *to = &(*held)[*count].tensor;
        if (!e->stepped && !from->release)
            continue; /* it holds what it had at first */
        if (!tensor_allocate(to, from->dtype, &from->shape))
            return false;
        memcpy(to->data, from->data, tensor_bytes(from));
        (*held)[(*count)++].label = label_of(e, index);
    }
    return *held;
}

/* Into the tensor of its variable, wherever that is; false if there is none of that label. */
static bool hold(struct execution *e, struct held *held)
{
    int index = 0;

    while (index < e->storage.count && label_of(e, index) != held->label)
        index++;
    if (index == e->storage.count)
        return false;
    struct tensor *to = &e->storage.tensor[index];
    assert(to->dtype == held->tensor.dtype && shape_equal(&to->shape, &held->tensor.shape));
    if (to->release) { /* steps go by where it is */
        memcpy(to->data, held->tensor.data, tensor_bytes(to));
        return true;
    }
    *to = held->tensor;
    held->tensor = (struct tensor){0};
    return true;
}

bool execution_hold(struct execution *e, struct held *held, int count)
{
    bool ok = true;

    for (int i = 0; i < count; i++) {
        ok &= hold(e, &held[i]);
        tensor_clear(&held[i].tensor);
    }
    free(held);
    return ok;
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

    assert(index >= 0 && index < plan->nstep);
    if (execution->times)
        time = execution->times[index];
    if (execution->spans) {
        time.spans = execution->spans + (ptrdiff_t)index * execution->members;
        time.members = execution->members;
    }
    time.step = step;
    time.result = step->nout > 0 ? plan->buffers[step->out[0]].value : NULL;
    return time;
}
