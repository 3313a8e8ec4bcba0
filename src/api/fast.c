/* fast.c - a graph rewritten, planned and run; see include/nnefc/backend.h */
#include "api/fast.h"

#include "api/backends.h"
#include "api/operations.h"
#include "base/arena.h"
#include "base/pool.h"
#include "base/text.h"
#include "convert/graphfile/graphfile.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/kind.h"
#include "exec/packed.h"
#include "exec/plan.h"
#include "exec/step.h"
#include "ir/graph_edit.h"
#include "nnefc/backend.h"
#include "op/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What runs have together. */
struct prepared {
    struct backend backend;       /* that of the run it was made for */
    struct graph *graph;          /* the model's, rewritten */
    struct pool *pool;            /* of what passes make, and of the plan */
    struct retained_tensor *made; /* by passes */
    struct plan *plan;
    int users;
};

struct fast_run {
    struct backend backend; /* its table is elsewhere */
    int threads;
    bool exact, measured;
    struct prepared *prepared;     /* NULL: not planned yet */
    struct packed_list *pack_into; /* what is packed is wanted for a file; NULL: it is not */
    struct execution *execution;
    nnefc_progress progress;
    void *progress_data;
};

/* --- making ------------------------------------------------------------------------------- */

bool fast_new(struct nnefc_model *model, const struct nnefc_run_options *options,
              struct fast_run **fast)
{
    const char *name = options && options->backend ? options->backend : "auto";

    *fast = NULL;
    if (!backend_is_known(model, name))
        return false;
    if (strcmp(name, "reference") == 0)
        return true;
    *fast = calloc(1, sizeof **fast);
    if (!*fast)
        arena_out_of_memory();
    (*fast)->backend = backend_portable;
    if (options) {
        (*fast)->threads = options->threads;
        (*fast)->exact = options->exact;
    }
    return true;
}

/* --- freeing ------------------------------------------------------------------------------- */

static void drop_prepared(const struct nnefc_model *model, struct prepared *prepared)
{
    if (!prepared || --prepared->users > 0)
        return;
    plan_free(prepared->plan);
    retained_tensors_free(model->context, prepared->made);
    pool_free(prepared->pool);
    free(prepared);
}

static void drop_plan(const struct nnefc_model *model, struct fast_run *fast)
{
    execution_free(fast->execution);
    drop_prepared(model, fast->prepared);
    fast->execution = NULL;
    fast->prepared = NULL;
}

void fast_free(const struct nnefc_model *model, struct fast_run *fast)
{
    if (!fast)
        return;
    drop_plan(model, fast);
    free(fast);
}

void fast_forget_plan(struct nnefc_run *run)
{
    drop_plan(run->model, run->fast);
    run->stepped = false;
}

void fast_set_threads(struct nnefc_run *run, int threads)
{
    if (run->fast->threads != threads)
        fast_forget_plan(run);
    run->fast->threads = threads;
}

void fast_set_progress(struct nnefc_run *run, nnefc_progress progress, void *data)
{
    run->fast->progress = progress;
    run->fast->progress_data = data;
    if (run->fast->execution)
        execution_set_progress(run->fast->execution, progress, data);
}

/* --- rewriting ----------------------------------------------------------------------------- */

/* Names that are kept stay, and with them what they stand for. */
static bool is_kept(const void *data, const struct value *value)
{
    const struct nnefc_run *run = data;

    for (const struct kept *k = run->kept; k; k = k->next)
        if (k->value->name == value->name)
            return true;
    return false;
}

/* What is by default, and what makes one operation of many. */
static void enable(bool *enabled)
{
    static const char *const more[] = {"find-powers",     "find-silu",      "find-softmax",
                                       "find-layer-norm", "find-attention", "find-gelu",
                                       "bn-to-scale"};

    for (int i = 0; i < pass_count(); i++)
        enabled[i] = pass_at(i).by_default;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        int pass = pass_find(more[i]);
        assert(pass >= 0);
        enabled[pass] = true;
    }
}

static bool rewrite(struct nnefc_run *run, struct prepared *prepared)
{
    struct arena *arena = run->model->context->arena;
    bool *enabled = arena_array_of(arena, bool, pass_count());
    struct pass_report report = {.settled = true};
    const struct pass_options options = {.enabled = enabled,
                                         .rounds = PASS_ROUNDS,
                                         .growth = PASS_GROWTH,
                                         .pool = prepared->pool,
                                         .pinned = run->kept ? is_kept : NULL,
                                         .pin_data = run};

    enable(enabled);
    return prepared->graph->provisional ||
           passes_run(prepared->graph, &options, &prepared->made, &report);
}

/* --- planning ------------------------------------------------------------------------------ */

static const struct value *same_name(const struct source_list *list, const char *name)
{
    for (const struct source *s = list->first; s; s = s->next)
        if (s->value->name == name)
            return s->value;
    return NULL;
}

/* What goes by that name in the rewritten graph. */
static const struct value *find(const struct graph *graph, const char *name)
{
    for (const struct node *n = graph->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++)
            if (n->out[i].name == name)
                return &n->out[i];
    const struct value *value = same_name(&graph->externals, name);
    return value ? value : same_name(&graph->variables, name);
}

static int kept_values(const struct nnefc_run *run, const struct graph *graph,
                       const struct value ***values)
{
    int count = 0;

    for (const struct kept *k = run->kept; k; k = k->next)
        count++;
    *values = arena_array_of(run->model->context->arena, const struct value *, count + 1);
    count = 0;
    for (const struct kept *k = run->kept; k; k = k->next)
        if (((*values)[count] = find(graph, k->value->name)))
            count++;
    return count;
}

/* What passes have read of the model's own data is not needed by now. */
static void unload_data(const struct nnefc_model *model)
{
    for (const struct source *s = model->graph->variables.first; s; s = s->next)
        if (s->tensor)
            tensor_unload(s->tensor);
}

/* What passes have made is nobody else's. */
static void discard(void *data, const struct tensor *tensor)
{
    const struct prepared *prepared = data;

    retained_tensor_clear(prepared->graph->context, prepared->made, tensor);
}

static bool make_plan(struct nnefc_run *run, struct prepared *prepared)
{
    const struct fast_run *fast = run->fast;
    struct plan_options options = {.backend = &prepared->backend,
                                   .threads = fast->threads,
                                   .exact = fast->exact,
                                   .pool = prepared->pool,
                                   .packed = fast->pack_into ? NULL : run->model->packed,
                                   .pack_into = fast->pack_into,
                                   .discard = fast->pack_into ? NULL : discard,
                                   .discard_data = prepared};
    const struct value **kept;

    prepared->graph = graph_copy(run->model->graph);
    if (!rewrite(run, prepared))
        return false;
    unload_data(run->model);
    options.nkept = kept_values(run, prepared->graph, &kept);
    options.kept = kept;
    prepared->plan = plan_new(prepared->graph, &options);
    return prepared->plan;
}

static bool need_plan(struct nnefc_run *run)
{
    if (run->fast->prepared)
        return true;
    struct prepared *prepared = calloc(1, sizeof *prepared);
    struct pool *pool = pool_new();
    if (!prepared || !pool)
        arena_out_of_memory();
    prepared->users = 1;
    prepared->pool = pool;
    prepared->backend = run->fast->backend;
    run->fast->prepared = prepared;
    return make_plan(run, prepared);
}

/* With faults of the run's own list, where those of its steps go. */
static bool need_execution(struct nnefc_run *run)
{
    struct fast_run *fast = run->fast;

    if (!fast->execution)
        fast->execution = execution_new(fast->prepared->plan, run->diag);
    diag_move(run->model->context->diag, run->diag);
    if (!fast->execution)
        return false;
    execution_set_progress(fast->execution, fast->progress, fast->progress_data);
    if (fast->measured)
        execution_measure(fast->execution);
    return true;
}

bool fast_prepare(struct nnefc_run *run)
{
    if (run->fast->execution || (need_plan(run) && need_execution(run)))
        return true;
    drop_plan(run->model, run->fast);
    return false;
}

bool fast_write(struct nnefc_model *model, const struct nnefc_run_options *options,
                const struct sink *sink)
{
    struct packed_list list = packed_nothing(model->context->arena);
    struct nnefc_run run = {.model = model};

    if (!fast_new(model, options, &run.fast))
        return false;
    if (!run.fast) {
        misuse(model, "the reference packs no weights");
        return false;
    }
    run.fast->pack_into = &list;
    bool ok = need_plan(&run) && graphfile_write(run.fast->prepared->graph,
                                              list.blocks.count > 0 ? &list.blocks : NULL, sink);
    fast_free(model, run.fast);
    return ok;
}

int nnefc_run_packings(const struct nnefc_run *run, int *taken)
{
    bool is_planned = run && run->fast && run->fast->prepared && run->fast->prepared->plan;
    int from_file = 0, wanted = 0;

    if (is_planned)
        wanted = plan_packings(run->fast->prepared->plan, &from_file);
    if (taken)
        *taken = from_file;
    return wanted;
}

bool fast_new_like(struct nnefc_run *run, const struct nnefc_run *like)
{
    struct fast_run *fast = calloc(1, sizeof *fast);

    if (!fast)
        arena_out_of_memory();
    *fast = *like->fast;
    fast->execution = NULL;
    fast->progress = NULL;
    fast->prepared->users++;
    run->fast = fast;
    return need_execution(run);
}

enum nnefc_status nnefc_run_prepare(struct nnefc_run *run)
{
    int before = run_enter(run);

    return run_leave(run, before, run && (!run->fast || fast_prepare(run)));
}

static bool dump_plan(struct nnefc_run *run, struct text *text)
{
    if (!run->fast)
        misuse(run->model, "the reference has no plan");
    if (!run->fast || !fast_prepare(run))
        return false;
    plan_print(run->fast->prepared->plan, text);
    return true;
}

char *nnefc_run_dump_plan(struct nnefc_run *run)
{
    struct text text = {0};
    int before = run_enter(run);

    run_leave(run, before, run && dump_plan(run, &text));
    return text.data;
}

const char *nnefc_run_backend(const struct nnefc_run *run)
{
    return run && run->fast ? run->fast->backend.name : "reference";
}

/* --- running ------------------------------------------------------------------------------- */

bool fast_begin(struct nnefc_run *run)
{
    if (!run_check_inputs(run->run) || !fast_prepare(run))
        return false;
    for (int i = 0; i < run->model->graph->ninput; i++)
        if (run_has_input(run->run, i))
            execution_set_input(run->fast->execution, i, run_input(run->run, i));
    return true;
}

bool fast_compute(struct nnefc_run *run)
{
    return execution_step(run->fast->execution);
}

const struct tensor *fast_output(const struct nnefc_run *run, int index)
{
    return execution_result(run->fast->execution, run->fast->prepared->graph->outputs[index].value);
}

const struct tensor *fast_kept(const struct nnefc_run *run, const struct value *value)
{
    static const struct tensor nothing;
    const struct value *same = find(run->fast->prepared->graph, value->name);

    return same ? execution_result(run->fast->execution, same) : &nothing;
}

const struct tensor *fast_variable(const struct nnefc_run *run, const struct value *variable)
{
    const struct fast_run *fast = run->fast;
    const struct value *same = fast->execution ? find(fast->prepared->graph, variable->name) : NULL;

    return same ? execution_variable(fast->execution, same) : variable->source->tensor;
}

/* --- where the time goes ------------------------------------------------------------------- */

static bool measure(struct nnefc_run *run)
{
    if (!run->fast) {
        misuse(run->model, "the reference has no steps to measure");
        return false;
    }
    run->fast->measured = true;
    if (run->fast->execution)
        execution_measure(run->fast->execution);
    return true;
}

enum nnefc_status nnefc_run_measure(struct nnefc_run *run)
{
    int before = run_enter(run);

    return run_leave(run, before, run && measure(run));
}

int nnefc_run_step_count(const struct nnefc_run *run)
{
    return run && run->fast && run->fast->execution ? execution_step_count(run->fast->execution)
                                                    : 0;
}

static const char *operations_of(struct nnefc_run *run, const struct step *step)
{
    struct arena *arena = run->model->context->arena;
    struct text text = {0};

    for (int i = 0; i < step->count; i++)
        text_add(&text, "%s%s", i > 0 ? " + " : "", step->nodes[i]->op->name);
    const char *kept = step->count > 0 ? arena_strndup(arena, text.data, text.size) : NULL;
    text_free(&text);
    return kept;
}

static struct nnefc_step step_at(struct nnefc_run *run, int index)
{
    const struct step_time time = execution_step_time(run->fast->execution, index);
    const struct step *step = time.step;
    struct nnefc_step out = {.operations = operations_of(run, step),
                             .kind = step_kind(step),
                             .backend = step->backend,
                             .kernel = step->kernel->name,
                             .layout = layout_name(step->layout),
                             .shortens = step->kernel->shortens,
                             .runs = time.runs,
                             .least = time.least,
                             .total = time.total};

    if (time.result)
        out.name = time.result->name;
    for (int i = 0; i < step->count; i++)
        out.work += 2 * macs_of(step->nodes[i]);
    return out;
}

struct nnefc_step nnefc_run_step_at(struct nnefc_run *run, int index)
{
    if (index < 0 || index >= nnefc_run_step_count(run))
        return (struct nnefc_step){0};
    run_enter(run);
    const struct nnefc_step step = step_at(run, index);
    run_leave(run, 0, true);
    return step;
}
