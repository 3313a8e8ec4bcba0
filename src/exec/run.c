/* run.c - nodes in their order, each by the kernel of its operator; see run.h */
#include "exec/run.h"

#include "base/team.h"
#include "diag/context.h"
#include "exec/live.h"
#include "exec/peak.h"
#include "exec/storage.h"
#include "exec/support.h"
#include "exec/work.h"
#include "ir/graph.h"
#include "op/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct graph *graph;
    struct diag *diag;
    struct live live;
    struct tensor *tensor; /* by value id: of its own, or a view of an input, storage, constant */
    uint32_t *left;        /* by value id: holds that remain in this step */
    struct tensor *input;  /* by index of the parameter */
    bool *fed;
    struct storage storage; /* what variables hold between steps */
    const struct tensor **in;
    struct tensor **out;
    int threads;       /* asked for; 0: team_processors() */
    struct team *team; /* NULL before the first step */
    run_progress progress;
    void *progress_data;
    bool stepped;             /* the last step succeeded: its updates are due */
    bool going;               /* a step was begun and is not over */
    const struct node *next;  /* of that step, to run; NULL: all have */
    const struct value *goal; /* of the last run_until(), which is held for it; NULL: none */
    int done;                 /* nodes of that step that have run */
};

/* --- making and freeing ------------------------------------------------------------------ */

static struct tensor view_of(const struct tensor *tensor)
{
    struct tensor view = *tensor;

    view.release = NULL;
    return view;
}

/* Room for the operands and results of the widest node. */
static bool allocate_operands(struct run *run)
{
    uint32_t nin = 1, nout = 1;

    for (const struct node *n = run->graph->first; n; n = n->next) {
        nin = n->nin > nin ? n->nin : nin;
        nout = n->nout > nout ? n->nout : nout;
    }
    run->in = calloc(nin, sizeof *run->in);
    run->out = calloc(nout, sizeof *run->out);
    return run->in && run->out;
}

static bool allocate(struct run *run, const struct graph *graph)
{
    run->graph = graph;
    run->diag = graph->context->diag;
    run->tensor = calloc((size_t)graph->value_count + 1, sizeof *run->tensor);
    run->left = calloc((size_t)graph->value_count + 1, sizeof *run->left);
    run->input = calloc((size_t)graph->ninput + 1, sizeof *run->input);
    run->fed = calloc((size_t)graph->ninput + 1, sizeof *run->fed);
    return live_find(graph, &run->live) && storage_fill(&run->storage, graph) &&
           allocate_operands(run) && run->tensor && run->left && run->input && run->fed;
}

static bool fits(const struct run *run)
{
    return peak_check(run->graph, &run->live, run->left, context_budget(run->graph->context));
}

struct run *run_new(const struct graph *graph)
{
    struct run *run = calloc(1, sizeof *run);
    bool ok = run && allocate(run, graph);

    if (!ok)
        diag_file_error(graph->context->diag, NULL, DIAG_RUN_MEMORY,
                        "not enough memory to prepare a run of %u nodes", graph->node_count);
    if (ok && support_check(graph, &run->live) && fits(run) && work_check(graph, &run->live))
        return run;
    run_free(run);
    return NULL;
}

static void drop_input(struct run *run, int index)
{
    context_account(run->graph->context, -tensor_memory(&run->input[index]));
    tensor_clear(&run->input[index]);
}

/* What is kept of the last step, and was the input, stays until the next. */
static void replace_input(struct run *run, int index, struct tensor *tensor)
{
    struct tensor *input = &run->input[index];
    struct tensor *seen = &run->tensor[run->graph->inputs[index].value->id];
    bool is_seen = seen->data && seen->data == input->data;

    context_account(run->graph->context, tensor_memory(tensor) - tensor_memory(input));
    if (is_seen)
        *seen = *input;
    else
        tensor_clear(input);
    *input = *tensor;
    *tensor = (struct tensor){0};
}

void run_free(struct run *run)
{
    if (!run)
        return;
    for (uint32_t i = 0; run->tensor && i < run->graph->value_count; i++)
        tensor_clear(&run->tensor[i]);
    for (int i = 0; run->input && i < run->graph->ninput; i++)
        drop_input(run, i);
    live_clear(&run->live);
    storage_clear(&run->storage);
    free(run->tensor);
    free(run->left);
    free(run->input);
    free(run->fed);
    free(run->in);
    free(run->out);
    team_free(run->team);
    free(run);
}

void run_set_threads(struct run *run, int threads)
{
    team_free(run->team);
    run->team = NULL;
    run->threads = threads;
}

void run_set_diag(struct run *run, struct diag *diag)
{
    run->diag = diag;
}

void run_set_progress(struct run *run, run_progress progress, void *data)
{
    run->progress = progress;
    run->progress_data = data;
}

void run_set_input(struct run *run, int index, struct tensor *tensor)
{
    assert(index >= 0 && index < run->graph->ninput);
    assert(tensor->dtype == run->graph->inputs[index].value->dtype);
    assert(shape_equal(&tensor->shape, run->graph->inputs[index].value->shape));
    replace_input(run, index, tensor);
    run->fed[index] = true;
    run->going = false; /* it has views of what was there */
}

bool run_has_input(const struct run *run, int index)
{
    return run->fed[index];
}

void run_keep(struct run *run, const struct value *value)
{
    run->live.holds[value->id]++;
}

const struct tensor *run_tensor(const struct run *run, const struct value *value)
{
    return &run->tensor[value->id];
}

bool run_is_going(const struct run *run)
{
    return run->going;
}

const struct tensor *run_input(const struct run *run, int index)
{
    return &run->input[index];
}

const struct tensor *run_variable(const struct run *run, const struct value *variable)
{
    const struct tensor *storage = storage_of(&run->storage, variable), *held = storage;

    for (const struct node *n = run->graph->first; n && run->stepped; n = n->next)
        if ((n->op->traits & OP_EFFECT) && storage_of(&run->storage, n->in[0].value) == storage)
            held = &run->tensor[n->out[0].id];
    return held;
}

/* --- one step ---------------------------------------------------------------------------- */

static bool no_memory(const struct run *run, const struct value *value, struct span span)
{
    size_t size = dtype_size(value->dtype) * (size_t)shape_volume(value->shape);

    return diag_error(run->diag, span, DIAG_RUN_MEMORY,
                      "not enough memory for tensor '%s' of shape %s: %zu bytes", VALUE_TEXT(value),
                      SHAPE_TEXT(value->shape), size);
}

bool run_check_inputs(const struct run *run)
{
    bool ok = true;

    for (int i = 0; i < run->graph->ninput; i++) {
        const struct port *port = &run->graph->inputs[i];
        if (run->fed[i] || run->live.holds[port->value->id] == 0)
            continue;
        ok = diag_error(run->diag, port->span, DIAG_INPUT_MISSING,
                        "parameter '%s' (%s%s) has no input", port->name,
                        dtype_name(port->value->dtype), SHAPE_TEXT(port->value->shape));
        diag_help(run->diag, "give --input %s=FILE, --random or --fill=V.", port->name);
    }
    return ok;
}

/* The operation that updates a variable hands over its result, whose operand 0 is the variable. */
static void commit_updates(struct run *run)
{
    for (const struct node *n = run->graph->first; n; n = n->next) {
        if (!(n->op->traits & OP_EFFECT))
            continue;
        struct tensor *result = &run->tensor[n->out[0].id];
        struct tensor *variable = storage_of(&run->storage, n->in[0].value);
        tensor_clear(variable);
        *variable = *result;
        *result = (struct tensor){0};
    }
}

static void begin_step(struct run *run)
{
    const struct graph *g = run->graph;

    if (run->stepped)
        commit_updates(run);
    run->stepped = false;
    for (uint32_t i = 0; i < g->value_count; i++)
        tensor_clear(&run->tensor[i]);
    memcpy(run->left, run->live.holds, g->value_count * sizeof *run->left);
    for (int i = 0; i < g->ninput; i++)
        run->tensor[g->inputs[i].value->id] = view_of(&run->input[i]);
    for (const struct source *v = g->variables.first; v; v = v->next)
        run->tensor[v->value->id] = view_of(storage_of(&run->storage, v->value));
}

/* One item may stand for a whole constant tensor: kernels see all of it. */
static bool spread_constant(struct run *run, const struct value *value)
{
    return tensor_spread(&run->tensor[value->id], value->source->tensor, value->shape) ||
           no_memory(run, value, value_span(value));
}

static bool load_constant(struct run *run, const struct value *value)
{
    const struct tensor *constant = value->source->tensor;
    struct tensor *tensor = &run->tensor[value->id];

    if (tensor->data)
        return true;
    if (!shape_equal(&constant->shape, value->shape))
        return spread_constant(run, value);
    *tensor = view_of(constant);
    return true;
}

static void release(struct run *run, const struct value *value)
{
    if (run->left[value->id] == 0)
        tensor_clear(&run->tensor[value->id]);
}

static void release_after(struct run *run, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        run->left[node->in[i].value->id]--;
        release(run, node->in[i].value);
    }
    for (uint32_t i = 0; i < node->nout; i++)
        release(run, &node->out[i]);
}

static bool bind_operands(struct run *run, const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        run->in[i] = &run->tensor[value->id];
        if (value->kind == VALUE_CONSTANT && !load_constant(run, value))
            return false;
    }
    for (uint32_t i = 0; i < node->nout; i++) {
        const struct value *value = &node->out[i];
        run->out[i] = &run->tensor[value->id];
        if (!tensor_allocate(run->out[i], value->dtype, value->shape))
            return no_memory(run, value, node->span);
    }
    return true;
}

static bool run_node(struct run *run, const struct node *node)
{
    struct eval eval = {.node = node,
                        .attrs = node->attrs,
                        .in = run->in,
                        .out = run->out,
                        .diag = run->diag,
                        .team = run->team};

    if (!bind_operands(run, node) || !node->op->eval(&eval))
        return false;
    release_after(run, node);
    return true;
}

/* Go on until the node of the goal has run, without one to the end. */
static bool run_nodes(struct run *run)
{
    const struct node *last = run->goal ? run->goal->producer : NULL;

    for (const struct node *node = run->next; node; node = run->next) {
        if (last && node->id > last->id)
            return true;
        run->next = node->next;
        if (!run->live.node[node->id])
            continue;
        if (!run_node(run, node))
            return false;
        if (run->progress)
            run->progress(run->progress_data, ++run->done, run->live.nodes);
    }
    return true;
}

/* An output that is a constant is read by no node. */
static bool load_outputs(struct run *run)
{
    bool ok = true;

    for (int i = 0; i < run->graph->noutput; i++) {
        const struct value *value = run->graph->outputs[i].value;
        ok &= value->kind != VALUE_CONSTANT || load_constant(run, value);
    }
    return ok;
}

bool run_begin(struct run *run)
{
    if (run->going)
        return true;
    run->goal = NULL;
    if (!run_check_inputs(run) || !fits(run))
        return false;
    begin_step(run);
    run->next = run->graph->first;
    run->done = 0;
    return run->going = true;
}

/* Hold this value instead of the one before; NULL: none. */
static void aim_at(struct run *run, const struct value *goal)
{
    const struct value *before = run->goal;

    run->goal = goal;
    if (goal)
        run->left[goal->id]++;
    if (!before)
        return;
    run->left[before->id]--;
    release(run, before);
}

static bool advance(struct run *run, const struct value *goal)
{
    if (!run_begin(run))
        return false;
    if (!run->team)
        run->team = team_new(run->threads);
    aim_at(run, goal);
    return run->going = run_nodes(run);
}

bool run_until(struct run *run, const struct value *result)
{
    return advance(run, result);
}

bool run_step(struct run *run)
{
    run->stepped = advance(run, NULL) && load_outputs(run);
    run->going = false;
    return run->stepped;
}
