/* run.c - inputs, and the plan that computes from them; see run.h */
#include "exec/run.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/team.h"
#include "diag/context.h"
#include "diag/diag.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct state {
    int input, output;
    bool due;   /* a step has computed it, and the input is that of the step */
    bool begun; /* nobody has given the input, nor has a step */
};

struct run_arena {
    struct pool *pool; /* NULL: none was needed yet */
    void *memory;
    size_t size;
    int small;    /* how often in a row less than half of it was needed */
    int64_t made; /* how often it was made */
    struct team *team;
};

struct run {
    const struct graph *interface; /* its parameters count all that is by index */
    const struct graph *graph;     /* what is computed; NULL: not known yet */
    const int *from;               /* by parameter of the graph: its index; NULL: the same */
    struct diag *diag;
    struct live live;
    struct tensor *input; /* by index */
    struct tensor *shown; /* by index: a former input that results of the last step refer to */
    bool *fed;            /* by index: has it an input? */
    struct tensor *huge;  /* by index: views of results that are integers of 64 bits without sign */
    struct plan *own;     /* of the reference; NULL: the caller has made the plan */
    struct execution *execution;
    const struct graph *planned; /* the graph of its plan */
    execution_progress progress;
    void *progress_data;
    struct state *states; /* results that become inputs */
    int nstate;
    struct pool *pool;       /* of these; NULL: there are none */
    struct pool *owns;       /* of all results; NULL: they are where the plan has them */
    bool partial;            /* results of the interface are computed elsewhere */
    struct run_arena *arena; /* of an open run: its executions lie there one after the other */
    int64_t bound;           /* which one the execution lies in, by `made` */
    bool shares;             /* the arena is the caller's */
    struct held *held;       /* by variables, between two graphs; NULL: nothing */
    int nheld;
    uint64_t seed;
    uint32_t cycle; /* of the next step to begin */
};

static const struct tensor nothing;

/* --- making and freeing ------------------------------------------------------------------ */

enum {
    PATIENCE = 16 /* executions that need less than half of the memory, until it is given back */
};

/* Memory for an execution; NULL: there is not enough.  What runs share does not become smaller, for
 * all of them would lie in another place then. */
static void *arena_of(struct run_arena *arena, size_t size, bool shared)
{
    arena->small = size < arena->size / 2 && !shared ? arena->small + 1 : 0;
    if (arena->memory && size <= arena->size && arena->small < PATIENCE)
        return arena->memory;
    if (!arena->pool && !(arena->pool = pool_new()))
        return NULL;
    if (arena->memory)
        pool_give(arena->pool, arena->memory, arena->size);
    arena->memory = pool_take(arena->pool, size);
    arena->size = size;
    arena->small = 0;
    arena->made++;
    pool_trim(arena->pool); /* of what the new memory has not taken over */
    return arena->memory;
}

struct run_arena *run_arena_new(void)
{
    return calloc(1, sizeof(struct run_arena));
}

void run_arena_free(struct run_arena *arena)
{
    if (arena) {
        pool_free(arena->pool);
        team_free(arena->team);
    }
    free(arena);
}

static bool execute(struct run *run, const struct plan *plan)
{
    bool is_open = (run->shares || run->graph != run->interface) && !plan_is_reference(plan);
    void *memory = NULL;

    if (is_open && !run->arena && !(run->arena = run_arena_new()))
        arena_out_of_memory();
    if (is_open) {
        memory = arena_of(run->arena, execution_size(plan), run->shares);
        run->bound = run->arena->made;
    }
    run->execution = execution_new(plan, run->diag, memory);
    run->planned = plan->graph;
    if (run->execution)
        execution_set_progress(run->execution, run->progress, run->progress_data);
    if (run->execution && run->arena)
        execution_share_team(run->execution, &run->arena->team);
    return run->execution;
}

/* Without inputs; NULL after a report. */
static struct run *allocate_run(const struct graph *interface)
{
    struct run *run = calloc(1, sizeof *run);
    size_t inputs = (size_t)interface->ninput + 1;

    if (run)
        *run = (struct run){.interface = interface,
                            .diag = interface->context->diag,
                            .input = calloc(inputs, sizeof *run->input),
                            .shown = calloc(inputs, sizeof *run->shown),
                            .fed = calloc(inputs, sizeof *run->fed),
                            .huge = calloc((size_t)interface->noutput + 1, sizeof *run->huge)};
    if (run && run->input && run->shown && run->fed && run->huge)
        return run;
    diag_file_error(interface->context->diag, NULL, DIAG_RUN_MEMORY,
                    "not enough memory to prepare a run of %d parameters", interface->ninput);
    run_free(run);
    return NULL;
}

struct run *run_new_open(const struct graph *interface)
{
    return allocate_run(interface);
}

struct run *run_new(const struct graph *graph)
{
    struct run *run = allocate_run(graph);

    if (run && run_set_graph(run, graph, NULL, NULL))
        return run;
    run_free(run);
    return NULL;
}

static void drop_plan(struct run *run)
{
    execution_free(run->execution);
    plan_free(run->own);
    run->execution = NULL;
    run->own = NULL;
    for (int i = 0; i < run->nstate; i++)
        run->states[i].due = false;
}

/* Variables go on holding what steps have made them hold.  False: there is not enough memory. */
static bool hold_on(struct run *run)
{
    if (!run->execution || run->held || !execution_has_state(run->execution))
        return true;
    return execution_held(run->execution, &run->held, &run->nheld);
}

bool run_set_graph(struct run *run, const struct graph *graph, const int *from,
                   const struct plan *plan)
{
    bool kept = !run->execution || run_take_states(run);

    if (!hold_on(run))
        return diag_file_error(run->diag, NULL, DIAG_RUN_MEMORY,
                               "not enough memory for what variables hold");
    drop_plan(run);
    live_clear(&run->live);
    run->graph = graph;
    run->from = from;
    if (!graph || !kept)
        return kept;
    if (!live_find(graph, &run->live))
        return diag_file_error(run->diag, NULL, DIAG_RUN_MEMORY,
                               "not enough memory to prepare a run of %u nodes", graph->node_count);
    if (!plan)
        plan = run->own = plan_new(graph, &(struct plan_options){0});
    if (!plan || !execute(run, plan))
        return false;
    bool ok = execution_hold(run->execution, run->held, run->nheld);
    run->held = NULL;
    run->nheld = 0;
    assert(ok);
    return ok;
}

bool run_set_plan(struct run *run, const struct plan *plan)
{
    bool ok = !run->execution || run_take_states(run);

    drop_plan(run);
    return ok && (!plan || execute(run, plan));
}

const struct graph *graph_of_run(const struct run *run)
{
    return run->graph;
}

struct execution *run_execution(const struct run *run)
{
    return run->execution;
}

void run_free(struct run *run)
{
    if (!run)
        return;
    drop_plan(run);
    for (int i = 0; run->input && i < run->interface->ninput; i++) {
        context_account(run->interface->context, -tensor_memory(&run->input[i]));
        tensor_clear(&run->input[i]);
    }
    for (int i = 0; run->shown && i < run->interface->ninput; i++)
        tensor_clear(&run->shown[i]);
    for (int i = 0; i < run->nheld; i++)
        tensor_clear(&run->held[i].tensor);
    free(run->held);
    live_clear(&run->live);
    free(run->input);
    free(run->shown);
    free(run->fed);
    free(run->huge);
    free(run->states);
    pool_free(run->pool); /* inputs may be of it */
    if (!run->shares)
        run_arena_free(run->arena);
    free(run);
}

void run_set_threads(struct run *run, int threads)
{
    if (run->own)
        execution_set_threads(run->execution, threads);
}

void run_share_arena(struct run *run, struct run_arena *arena)
{
    assert(!run->arena);
    run->arena = arena;
    run->shares = true;
}

/* The arena was made anew since, for another execution. */
static bool bind_anew(struct run *run)
{
    struct execution *old = run->execution;
    const struct plan *plan = execution_plan(old);

    if (!run->shares || plan_is_reference(plan) || run->bound == run->arena->made)
        return true;
    bool ok = execute(run, plan);
    if (ok)
        execution_free(old);
    else
        run->execution = old;
    return ok;
}

void run_set_seed(struct run *run, uint64_t seed)
{
    run->seed = seed;
    run->cycle = 0;
}

void run_set_cycle(struct run *run, const struct run *of, int64_t number)
{
    run->seed = hash_mix(of->seed, (uint64_t)number);
    run->cycle = of->cycle - 1;
}

void run_set_diag(struct run *run, struct diag *diag)
{
    run->diag = diag;
    if (run->execution)
        execution_set_diag(run->execution, diag);
}

void run_set_progress(struct run *run, execution_progress progress, void *data)
{
    run->progress = progress;
    run->progress_data = data;
    if (run->execution)
        execution_set_progress(run->execution, progress, data);
}

/* --- inputs ------------------------------------------------------------------------------ */

/* Which parameter of the interface is parameter `i` of the graph? */
static int index_of(const struct run *run, int i)
{
    return run->from ? run->from[i] : i;
}

/* Does the reference show the input itself as the result of a step?  Other plans show a copy. */
static bool shows_input(const struct run *run, int index)
{
    for (int i = 0; run->own && i < run->graph->ninput; i++) {
        const struct value *value = run->graph->inputs[i].value;
        if (index_of(run, i) == index)
            return execution_shows(run->execution, value) &&
                   execution_result(run->execution, value)->data == run->input[index].data;
    }
    return false;
}

void run_set_input(struct run *run, int index, struct tensor *tensor)
{
    struct tensor *input = &run->input[index];

    assert(index >= 0 && index < run->interface->ninput);
    assert(tensor->dtype == run->interface->inputs[index].value->dtype);
    assert(shape_compatible(&tensor->shape, run->interface->inputs[index].value->shape));
    int64_t more = tensor_memory(tensor) - tensor_memory(input);
    if (more != 0)
        context_account(run->interface->context, more);
    if (input->data && shows_input(run, index)) {
        tensor_clear(&run->shown[index]);
        run->shown[index] = *input; /* until the next step begins */
    } else {
        tensor_clear(input);
    }
    *input = *tensor;
    for (int i = 0; i < run->nstate; i++) {
        run->states[i].due &= run->states[i].input != index;
        run->states[i].begun &= run->states[i].input != index;
    }
    input->is_unsigned = false; /* operations know it by their attributes */
    *tensor = (struct tensor){0};
    run->fed[index] = true;
    if (run->execution)
        execution_stop(run->execution);
}

bool run_has_input(const struct run *run, int index)
{
    assert(index >= 0 && index < run->interface->ninput);
    return run->fed[index];
}

const struct tensor *run_input(const struct run *run, int index)
{
    assert(index >= 0 && index < run->interface->ninput);
    return &run->input[index];
}

bool run_miss_input(const struct run *run, int index)
{
    const struct port *port = &run->interface->inputs[index];

    assert(!run_has_input(run, index));
    diag_error(run->diag, port->span, DIAG_INPUT_MISSING, "parameter '%s' (%s%s) has no input",
               port->name, dtype_name(port->value->dtype), SHAPE_TEXT(port->value->shape));
    return diag_help(run->diag, "give --input %s=FILE, --random or --fill=V.", port->name);
}

/* Has each parameter that a live node reads its tensor?  False after a report of all others. */
static bool check_inputs(const struct run *run)
{
    bool ok = true;

    for (int i = 0; i < run->graph->ninput; i++) {
        int index = index_of(run, i);
        if (!run->fed[index] && run->live.holds[run->graph->inputs[i].value->id] > 0)
            ok = run_miss_input(run, index);
    }
    return ok;
}

/* --- results that become inputs ------------------------------------------------------------ */

void run_add_state(struct run *run, int input, int output)
{
    /* The type of a result that an open model does not declare is known with the step. */
    assert(run->interface->outputs[output].value->dtype == DTYPE_UNKNOWN ||
           run->interface->outputs[output].value->dtype ==
               run->interface->inputs[input].value->dtype);
    if (!run->pool && !(run->pool = pool_new()))
        arena_out_of_memory();
    run->states = heap_list(run->states, run->nstate, sizeof *run->states);
    run->states[run->nstate++] = (struct state){.input = input, .output = output};
}

bool run_has_state(const struct run *run, int input)
{
    for (int i = 0; i < run->nstate; i++)
        if (run->states[i].input == input)
            return true;
    return false;
}

void run_begin_state(struct run *run, int input, struct tensor *tensor)
{
    run_set_input(run, input, tensor);
    for (int i = 0; i < run->nstate; i++)
        run->states[i].begun |= run->states[i].input == input;
}

bool run_has_begun(const struct run *run, int input)
{
    bool begun = false;

    for (int i = 0; i < run->nstate; i++)
        begun |= run->states[i].input == input && run->states[i].begun;
    return begun;
}

bool run_owes_states(const struct run *run)
{
    for (int i = 0; i < run->nstate; i++)
        if (run->states[i].due)
            return true;
    return false;
}

/* What an output is in the graph of the plan. */
static const struct value *output_value(const struct run *run, int index)
{
    return run->planned->outputs[index].value;
}

/* Does result `b` have items where result `a` has some? */
static bool share_memory(const struct run *run, int a, int b)
{
    const struct tensor *x = execution_result(run->execution, output_value(run, a));
    const struct tensor *y = execution_result(run->execution, output_value(run, b));
    uintptr_t first = (uintptr_t)x->data, second = (uintptr_t)y->data;

    return first < second + tensor_bytes(y) && second < first + tensor_bytes(x);
}

/* The result itself, or a copy, of the pool, if others need its memory or it is not its own.  False
 * after a report. */
static bool take_result(const struct run *run, int output, bool shared, struct pool *pool,
                        struct tensor *tensor)
{
    const struct value *value = output_value(run, output);
    const struct tensor *result = execution_result(run->execution, value);

    if (!shared && execution_take_result(run->execution, value, tensor))
        return true;
    if (!tensor_allocate_in(tensor, result->dtype, &result->shape, pool))
        return diag_file_error(run->diag, NULL, DIAG_RUN_MEMORY,
                               "not enough memory to keep result '%s' of shape %s",
                               run->planned->outputs[output].name, SHAPE_TEXT(&result->shape));
    memcpy(tensor->data, result->data, tensor_bytes(tensor));
    return true;
}

void run_set_partial(struct run *run, bool partial)
{
    run->partial = partial;
}

void run_own_outputs(struct run *run, struct pool *pool)
{
    run->owns = pool;
}

bool run_take_output(struct run *run, int index, struct pool *pool, struct tensor *tensor)
{
    bool shared = false;

    for (int i = index + 1; i < run->planned->noutput; i++)
        shared |= share_memory(run, index, i);
    return take_result(run, index, shared, pool, tensor);
}

/* Does the result fit the parameter?  False after a report. */
static bool state_fits(const struct run *run, const struct state *state,
                       const struct tensor *result)
{
    const struct port *input = &run->interface->inputs[state->input];

    return (result->dtype == input->value->dtype &&
            shape_compatible(&result->shape, input->value->shape)) ||
           diag_file_error(run->diag, NULL, DIAG_DATA_SHAPE,
                           "result '%s' of shape %s cannot become parameter '%s' of shape %s",
                           run->interface->outputs[state->output].name, SHAPE_TEXT(&result->shape),
                           input->name, SHAPE_TEXT(input->value->shape));
}

bool run_feed_states(struct run *run, const struct tensor *const *outputs)
{
    bool ok = true;

    for (int i = 0; i < run->nstate && ok; i++) {
        const struct tensor *from = outputs[run->states[i].output];
        struct tensor copy;
        ok = state_fits(run, &run->states[i], from) &&
             (tensor_allocate_in(&copy, from->dtype, &from->shape, run->pool) ||
              diag_file_error(run->diag, NULL, DIAG_RUN_MEMORY,
                              "not enough memory to keep result '%s'",
                              run->interface->outputs[run->states[i].output].name));
        if (!ok)
            break;
        memcpy(copy.data, from->data, tensor_bytes(from));
        run_set_input(run, run->states[i].input, &copy);
    }
    return ok;
}

bool run_take_states(struct run *run)
{
    bool ok = true;

    if (run->nstate == 0)
        return true;
    for (int i = 0; i < run->nstate; i++)
        if (run->states[i].due)
            ok &= state_fits(
                run, &run->states[i],
                execution_result(run->execution, output_value(run, run->states[i].output)));
    /* All of them first: a result may lie where the input of another one does. */
    struct tensor *taken = heap_array((size_t)run->nstate + 1, sizeof *taken);
    for (int i = 0; i < run->nstate && ok; i++) {
        const struct state *state = &run->states[i];
        bool shared = false;
        for (int k = i + 1; k < run->nstate; k++)
            shared |= run->states[k].due && share_memory(run, state->output, run->states[k].output);
        ok = !state->due || take_result(run, state->output, shared, run->pool, &taken[i]);
    }
    for (int i = 0; i < run->nstate; i++)
        if (taken[i].data && ok)
            run_set_input(run, run->states[i].input, &taken[i]);
        else
            tensor_clear(&taken[i]);
    free(taken);
    return ok;
}

/* --- steps ------------------------------------------------------------------------------- */

bool run_begin(struct run *run)
{
    assert(run->execution);
    if (execution_is_going(run->execution))
        return true;
    if (!run_take_states(run) || !check_inputs(run) || !bind_anew(run))
        return false;
    /* Inputs take memory, too, so that results of the reference may no longer fit. */
    if (run->own && !peak_check(run->graph, &run->live, context_budget(run->graph->context)))
        return false;
    for (int i = 0; i < run->interface->ninput; i++)
        tensor_clear(&run->shown[i]);
    for (int i = 0; i < run->graph->ninput; i++)
        if (run->fed[index_of(run, i)])
            execution_set_input(run->execution, i, &run->input[index_of(run, i)]);
    for (int i = 0; i < run->nstate && !run->partial; i++)
        execution_own_result(run->execution, output_value(run, run->states[i].output), run->pool);
    for (int i = 0; i < run->planned->noutput && run->owns; i++)
        execution_own_result(run->execution, output_value(run, i), run->owns);
    execution_set_seed(run->execution, run->seed, run->cycle++);
    execution_begin(run->execution);
    return true;
}

bool run_until(struct run *run, const struct value *result)
{
    return run_begin(run) && execution_until(run->execution, result);
}

/* Has the model that was read integers of 64 bits without a sign there? */
static bool is_huge(const struct port *port)
{
    return port->value->dtype == DTYPE_INTEGER && item_format_is_huge(&port->items);
}

bool run_step(struct run *run)
{
    bool ok = run_begin(run) && execution_step(run->execution);

    for (int i = 0; i < run->nstate; i++)
        run->states[i].due = ok && !run->partial;
    for (int i = 0; ok && !run->partial && i < run->graph->noutput; i++)
        if (is_huge(&run->graph->outputs[i])) {
            run->huge[i] = *execution_result(run->execution, run->planned->outputs[i].value);
            run->huge[i].release = NULL;
            run->huge[i].is_unsigned = true;
        }
    return ok;
}

bool run_is_going(const struct run *run)
{
    return run->execution && execution_is_going(run->execution);
}

void run_keep(struct run *run, const struct value *value)
{
    assert(value->id < run->graph->value_count);
    run->live.holds[value->id]++;
    if (run->own)
        execution_retain(run->execution, value);
}

/* --- results ----------------------------------------------------------------------------- */

static const struct value *named_source(const struct source_list *list, const char *name)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s->value->name == name)
            return s->value;
    return NULL;
}

const struct value *run_find_value(const struct graph *graph, const char *name)
{
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            if (n->out[i].name == name)
                return &n->out[i];
    const struct value *value = named_source(&graph->externals, name);
    return value ? value : named_source(&graph->variables, name);
}

/* The same value in the graph of the plan; NULL: there is none, or no plan. */
static const struct value *planned_value(const struct run *run, const struct value *value)
{
    if (!run->execution || run->planned == run->graph)
        return run->execution ? value : NULL;
    return run_find_value(run->planned, value->name);
}

const struct tensor *run_output(const struct run *run, int index)
{
    assert(index >= 0 && index < run->interface->noutput);
    if (!run->execution)
        return &nothing;
    return is_huge(&run->graph->outputs[index])
               ? &run->huge[index]
               : execution_result(run->execution, run->planned->outputs[index].value);
}

const struct tensor *run_tensor(const struct run *run, const struct value *value)
{
    const struct value *same = planned_value(run, value);

    return same ? execution_result(run->execution, same) : &nothing;
}

const struct tensor *run_variable(const struct run *run, const struct value *variable)
{
    assert(variable && variable->kind == VALUE_VARIABLE);
    const struct value *same = planned_value(run, variable);

    if (same)
        return execution_variable(run->execution, same);
    return variable->source->tensor ? variable->source->tensor : &nothing;
}
