/*
 * plan.c - a graph rewritten for speed and planned, and where its time goes; see
 * include/nnefc/backend.h
 */
#include "exec/plan.h"

#include "api/operations.h"
#include "api/prepare.h"
#include "base/arena.h"
#include "base/pool.h"
#include "base/text.h"
#include "convert/graphfile/graphfile.h"
#include "exec/backend.h"
#include "exec/execute.h"
#include "exec/packed.h"
#include "exec/step.h"
#include "ir/graph_edit.h"
#include "kernel/kernels.h"
#include "nnefc/backend.h"
#include "op/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What runs of one backend have together. */
struct prepared {
    struct graph *graph;          /* the model's, rewritten */
    struct pool *pool;            /* of what passes make, and of the plan */
    struct retained_tensor *made; /* by passes */
    struct plan *plan;
    int users;
};

/* --- backends ------------------------------------------------------------------------------ */

static const char *const names[] = {"auto", "reference", "portable"};

enum { NAMES = sizeof names / sizeof names[0], REFERENCE = 1, PORTABLE = 2 };

const char *nnefc_backend_name(int index)
{
    return index >= 0 && index < NAMES ? names[index] : NULL;
}

const char *nnefc_backend_facts(int index)
{
    if (index < 0 || index >= NAMES)
        return NULL;
    return index == PORTABLE ? kernels_variant(0)->name : "";
}

bool backend_choose(const struct nnefc_model *model, const char *name,
                    const struct backend **backend)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) {
            *backend = i == REFERENCE ? NULL : &backend_portable;
            return true;
        }
    misuse(model, "there is no backend '%s'", name);
    return false;
}

const char *nnefc_run_backend(const struct nnefc_run *run)
{
    return run && run->backend ? run->backend->name : "reference";
}

double nnefc_peak_flops(int threads)
{
    static const double seconds = 0.05;

    return kernels_peak(threads, seconds);
}

const char *nnefc_kernels_name(void)
{
    return kernels_variant(0)->name;
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

static int kept_values(const struct nnefc_run *run, const struct graph *graph,
                       const struct value ***values)
{
    int count = 0;

    for (const struct kept *k = run->kept; k; k = k->next)
        count++;
    *values = arena_array_of(run->model->context->arena, const struct value *, count + 1);
    count = 0;
    for (const struct kept *k = run->kept; k; k = k->next)
        if (((*values)[count] = run_find_value(graph, k->value->name)))
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

/* With `pack_into` what is packed is wanted for a file, and constants stay. */
static struct plan *make_plan(struct nnefc_run *run, struct prepared *prepared,
                              struct packed_list *pack_into)
{
    struct plan_options options = {.backend = run->backend,
                                   .threads = run->threads,
                                   .exact = run->exact,
                                   .pool = prepared->pool,
                                   .packed = pack_into ? NULL : run->model->packed,
                                   .pack_into = pack_into,
                                   .discard = pack_into ? NULL : discard,
                                   .discard_data = prepared};
    const struct value **kept;

    prepared->graph = graph_copy(run->model->graph);
    if (!rewrite(run, prepared))
        return NULL;
    unload_data(run->model);
    options.nretained = kept_values(run, prepared->graph, &kept);
    options.retained = kept;
    return plan_new(prepared->graph, &options);
}

static void drop_prepared(const struct nnefc_model *model, struct prepared *prepared)
{
    if (!prepared || --prepared->users > 0)
        return;
    plan_free(prepared->plan);
    retained_tensors_free(model->context, prepared->made);
    pool_free(prepared->pool);
    free(prepared);
}

static struct prepared *prepare(struct nnefc_run *run, struct packed_list *pack_into)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);
    struct pool *pool = pool_new();

    if (!prepared || !pool)
        arena_out_of_memory();
    prepared->users = 1;
    prepared->pool = pool;
    prepared->plan = make_plan(run, prepared, pack_into);
    if (prepared->plan)
        return prepared;
    drop_prepared(run->model, prepared);
    return NULL;
}

/* Faults of the execution, as those of its steps, go to the run's own list first. */
static bool use_prepared(struct nnefc_run *run, struct prepared *prepared)
{
    bool ok = run_set_plan(run->run, prepared->plan);

    run->prepared = prepared;
    diag_move(run->model->context->diag, run->diag);
    if (ok && run->measured)
        execution_measure(run_execution(run->run));
    if (!ok)
        run_forget_plan(run);
    return ok;
}

bool run_prepare(struct nnefc_run *run)
{
    if (!run->backend || run->prepared)
        return true;
    struct prepared *prepared = prepare(run, NULL);
    return prepared && use_prepared(run, prepared);
}

bool run_prepare_like(struct nnefc_run *run, const struct nnefc_run *like)
{
    if (!like->prepared)
        return true;
    like->prepared->users++;
    return use_prepared(run, like->prepared);
}

void run_forget_plan(struct nnefc_run *run)
{
    if (!run->backend)
        return;
    if (run->run)
        (void)run_set_plan(run->run, NULL);
    drop_prepared(run->model, run->prepared);
    run->prepared = NULL;
    run->stepped = false;
}

bool model_write_packed(struct nnefc_model *model, const struct nnefc_run_options *options,
                        const struct sink *sink)
{
    struct packed_list list = packed_nothing(model->context->arena);
    struct nnefc_run run = {.model = model, .threads = options->threads, .exact = options->exact};

    if (!backend_choose(model, options->backend ? options->backend : "auto", &run.backend))
        return false;
    if (!run.backend) {
        misuse(model, "the reference packs no weights");
        return false;
    }
    struct prepared *prepared = prepare(&run, &list);
    bool ok = prepared &&
              graphfile_write(prepared->graph, list.blocks.count > 0 ? &list.blocks : NULL, sink);
    drop_prepared(model, prepared);
    return ok;
}

int nnefc_run_packings(const struct nnefc_run *run, int *taken)
{
    int from_file = 0, wanted = 0;

    if (run && run->prepared)
        wanted = plan_packings(run->prepared->plan, &from_file);
    if (taken)
        *taken = from_file;
    return wanted;
}

enum nnefc_status api_run_prepare(struct nnefc_run *run)
{
    int before = run_enter(run);

    return run_leave(run, before, run && run_prepare(run));
}

static bool dump_plan(struct nnefc_run *run, struct text *text)
{
    if (!run->backend)
        misuse(run->model, "the reference has no plan");
    if (!run->backend || !run_prepare(run))
        return false;
    plan_print(run->prepared->plan, text);
    return true;
}

char *api_run_dump_plan(struct nnefc_run *run)
{
    struct text text = {0};
    int before = run_enter(run);

    run_leave(run, before, run && dump_plan(run, &text));
    return text.data;
}

/* --- where the time goes ------------------------------------------------------------------- */

static bool measure(struct nnefc_run *run)
{
    if (!run->backend) {
        misuse(run->model, "the reference has no steps to measure");
        return false;
    }
    run->measured = true;
    if (run->prepared)
        execution_measure(run_execution(run->run));
    return true;
}

enum nnefc_status api_run_measure(struct nnefc_run *run)
{
    int before = run_enter(run);

    return run_leave(run, before, run && measure(run));
}

static const char *operations_of(struct arena *arena, const struct step *step)
{
    struct text text = {0};

    for (int i = 0; i < step->count; i++)
        text_add(&text, "%s%s", i > 0 ? " + " : "", step->nodes[i]->op->name);
    const char *kept = step->count > 0 ? arena_strndup(arena, text.data, text.size) : NULL;
    text_free(&text);
    return kept;
}

static struct nnefc_step step_at(const struct nnefc_run *run, int index)
{
    const struct step_time time = execution_step_time(run_execution(run->run), index);
    const struct step *step = time.step;
    struct nnefc_step out = {.operations = operations_of(run->listed, step),
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

/* In an arena that is made anew each time, for times are measured on and on. */
static const void *list_steps(struct nnefc_run *run)
{
    arena_free(run->listed);
    run->listed = arena_new();
    struct list *list = list_new(run->listed);

    for (int i = 0; i < execution_step_count(run_execution(run->run)); i++) {
        const struct nnefc_step step = step_at(run, i);
        list_append(list, &step, sizeof step);
    }
    return list;
}

const struct nnefc_step_list *api_run_steps(struct nnefc_run *run)
{
    const void *list = list_nothing();

    run_enter(run);
    if (run && run->prepared)
        list = list_steps(run);
    run_leave(run, 0, true);
    return list;
}
