/*
 * plan.c - a graph rewritten for speed and planned, and where its time goes (backend.h)
 */
#include "exec/plan.h"

#include "api/open.h"
#include "api/prepare.h"
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

/* What runs share that were made by nnefc_run_new_like(): a plan, and what it is made of. */
struct prepared {
    struct graph *graph;          /* rewritten */
    struct pool *pool, *own;      /* holds what passes make, and what the plan packs */
    struct retained_tensor *made; /* by passes */
    struct plan *plan;            /* NULL while it is made */
    int users;                    /* runs; the last one frees all of this */
};

/* --- backends ------------------------------------------------------------------------------ */

/* By these indices, which clients count: nnefc_backend_name(). */
static const char *const names[] = {"auto", "reference", "portable"};

enum { NAMES = sizeof names / sizeof names[0], REFERENCE = 1, PORTABLE = 2 };

const char *nnefc_backend_name(int index)
{
    return index >= 0 && index < NAMES ? names[index] : NULL;
}

/* Only the portable backend has several kinds of kernels. */
const char *nnefc_backend_facts(int index)
{
    if (index < 0 || index >= NAMES)
        return NULL;
    return index == PORTABLE ? kernels_variant(0)->name : "";
}

/* "auto" is the portable backend. */
bool backend_choose(const struct nnefc_model *model, const char *name,
                    const struct backend **backend)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) {
            *backend = i == REFERENCE ? NULL : &backend_portable;
            return true;
        }
    return misuse(model, "there is no backend '%s'", name);
}

const char *nnefc_run_backend(const struct nnefc_run *run)
{
    if (!run)
        return NULL;
    return run->backend ? run->backend->name : names[REFERENCE];
}

double nnefc_peak_flops(int threads)
{
    static const double seconds = 0.05;

    return kernels_peak(threads_allowed(threads), seconds);
}

const char *nnefc_kernels_name(void)
{
    return kernels_variant(0)->name;
}

/* --- planning ------------------------------------------------------------------------------ */

/* Passes leave alone what is kept: it is found again by its name, in a graph that was copied. */
static bool is_kept(const void *data, const struct value *value)
{
    const struct nnefc_run *run = data;

    for (int i = 0; i < run->nkept; i++)
        if (run->kept[i] == value->name)
            return true;
    return false;
}

/* The plan has packed a constant.  What passes have made is nobody else's, so it may go. */
static void discard(void *data, const struct tensor *tensor)
{
    const struct prepared *prepared = data;

    retained_tensor_clear(prepared->graph->context, prepared->made, tensor);
}

/* Whatever was read of the data of variables is not needed by now. */
static void unload(struct tensor *const *tensor)
{
    for (; *tensor; tensor++)
        tensor_unload(*tensor);
}

/* The data of variables; NULL behind the last. */
static struct tensor **data_of(const struct graph *graph)
{
    struct tensor **all =
        arena_array_of(graph->context->arena, struct tensor *, graph->variables.count + 1);
    int count = 0;

    for (const struct source *s = graph->variables.first; s; s = s->next)
        if (s->tensor)
            all[count++] = s->tensor;
    return all;
}

/* The plan of the graph; NULL after a report.  With `pack_into` what is packed is wanted for a
 * file, and constants stay. */
static struct plan *make_plan(struct nnefc_run *run, struct prepared *prepared,
                              struct packed_list *pack_into)
{
    const struct nnefc_model *model = run->model;
    struct arena *arena = prepared->graph->context->arena;
    struct tensor *const *data = data_of(prepared->graph);
    bool *enabled = arena_array_of(arena, bool, pass_count());
    struct pass_report report;
    const struct pass_options passes = {.enabled = enabled,
                                        .rounds = PASS_ROUNDS,
                                        .growth = PASS_GROWTH,
                                        .pool = prepared->pool,
                                        .pinned = run->nkept > 0 ? is_kept : NULL,
                                        .pin_data = run};
    struct plan_options options = {.backend = run->backend,
                                   .threads = run->threads,
                                   .exact = run->exact,
                                   .pool = prepared->pool,
                                   .warm = !prepared->own,
                                   .packed = pack_into ? NULL : model->graph_file.packed,
                                   .pack_into = pack_into,
                                   .discard = pack_into ? NULL : discard,
                                   .discard_data = prepared};

    assert(run->backend && prepared->users == 1);
    for (int i = 0; i < pass_count(); i++)
        enabled[i] = pass_at(i).for_plans;
    if (!prepared->graph->provisional &&
        !passes_run(prepared->graph, &passes, &prepared->made, &report))
        return NULL;
    if (shared_has_made(prepared->graph->context->shared)) /* else hardly anything was read */
        unload(data);
    const struct value **kept = arena_array_of(arena, const struct value *, run->nkept + 1);
    for (int i = 0; i < run->nkept; i++)
        if ((kept[options.nretained] = run_find_value(prepared->graph, run->kept[i])))
            options.nretained++;
    options.retained = kept;
    return plan_new(prepared->graph, &options);
}

/* One of those that share it goes; the last takes all of it along. */
void prepared_drop(struct context *context, struct prepared *prepared)
{
    assert(!prepared || prepared->users > 0);
    if (!prepared || --prepared->users > 0)
        return;
    plan_free(prepared->plan);
    retained_tensors_free(context, prepared->made);
    pool_free(prepared->own);
    free(prepared);
}

static struct prepared *prepare(struct nnefc_run *run, struct graph *graph,
                                struct packed_list *pack_into)
{
    struct prepared *prepared = heap_array(1, sizeof *prepared);
    struct shared_user *shared = graph->context->shared;

    prepared->users = 1;
    prepared->graph = graph;
    prepared->own = shared ? NULL : pool_new();
    prepared->pool = shared ? shared_pool(shared) : prepared->own;
    if (!prepared->pool)
        arena_out_of_memory();
    prepared->plan = make_plan(run, prepared, pack_into);
    if (prepared->plan)
        return prepared;
    prepared_drop(graph->context, prepared);
    return NULL;
}

struct prepared *prepared_new(struct nnefc_run *run, struct graph *graph)
{
    return prepare(run, graph, NULL);
}

const struct graph *prepared_graph(const struct prepared *prepared)
{
    return prepared->graph;
}

const struct plan *prepared_plan(const struct prepared *prepared)
{
    return prepared->plan;
}

/* Faults of the execution, as those of its steps, go to the run's own list first. */
static bool use_prepared(struct nnefc_run *run, struct prepared *prepared)
{
    assert(!run->prepared && prepared->plan);
    bool ok = run_set_plan(run->run, prepared->plan);

    run->prepared = prepared;
    diag_move(run->model->context->diag, run->diag);
    if (ok && run->measured)
        execution_measure(run_execution(run->run));
    if (!ok)
        run_forget_plan(run);
    return ok;
}

/* The graph of the model stays as it is: passes rewrite a copy. */
bool api_run_prepare(struct nnefc_run *run)
{
    run->stepped &= !run_owes_states(run->run); /* results move to where inputs are */
    if (!run_take_states(run->run) || !states_begin(run))
        return false;
    if (run->model->open.interface)
        return run_specialise(run);
    if (!run->backend || run->prepared)
        return true;
    struct prepared *prepared = prepared_new(run, graph_copy(graph_of_run(run->run)));
    return prepared && use_prepared(run, prepared);
}

bool run_prepare_like(struct nnefc_run *run, const struct nnefc_run *like)
{
    if (!like->prepared || like->special)
        return true;
    like->prepared->users++;
    return use_prepared(run, like->prepared);
}

/* The next step plans anew.  A run of the reference has one plan for ever. */
void run_forget_plan(struct nnefc_run *run)
{
    run_generalise(run);
    if (!run->backend)
        return;
    if (run->run && !run->model->open.interface)
        (void)run_set_plan(run->run, NULL);
    prepared_drop(run->model->context, run->prepared);
    run->prepared = NULL;
    run->stepped = false;
}

/* A run that never starts: it only makes its plan, of which the weights are kept. */
bool model_write_packed(struct nnefc_model *model, const struct nnefc_run_options *options,
                        const struct sink *sink)
{
    struct packed_list list = packed_nothing(model->context->arena);
    struct nnefc_run run = {
        .model = model, .threads = threads_allowed(options->threads), .exact = options->exact};

    if (!backend_choose(model, options->backend ? options->backend : "auto", &run.backend))
        return false;
    if (!run.backend)
        return misuse(model, "the reference packs no weights");
    struct prepared *prepared = prepare(&run, graph_copy(model->graph), &list);
    bool ok = prepared &&
              graphfile_write(prepared->graph, list.blocks.count > 0 ? &list.blocks : NULL, sink);
    prepared_drop(model->context, prepared);
    return ok;
}

/* How many weights the plan has packed, and how many of these came from the file. */
int nnefc_run_packings(const struct nnefc_run *run, int *taken)
{
    int from_file = 0, wanted = 0;

    if (run && run->prepared)
        wanted = plan_packings(run->prepared->plan, &from_file);
    if (taken)
        *taken = from_file;
    return wanted;
}

struct nnefc_layers nnefc_run_layers(const struct nnefc_run *run)
{
    struct plan_layers l = {0};

    if (run && run->prepared)
        l = plan_layers(run->prepared->plan);
    return (struct nnefc_layers){l.count, l.integers, l.macs, l.integer_macs};
}

char *api_run_dump_plan(struct nnefc_run *run)
{
    struct text text = {0};
    int before = run_enter(run);

    if (run && !run->backend)
        misuse(run->model, "the reference has no plan");
    else if (run && api_run_prepare(run))
        plan_print(run->prepared->plan, &text);
    run_leave(run, before, text.data);
    return text.data;
}

/* --- where the time goes ------------------------------------------------------------------- */

/* Holds also for plans that are made later. */
bool api_run_measure(struct nnefc_run *run)
{
    if (!run->backend)
        return misuse(run->model, "the reference has no steps to measure");
    run->measured = true; /* also of plans that are made later */
    if (run->prepared)
        execution_measure(run_execution(run->run));
    return true;
}

/* The last run of a step. */
static const struct nnefc_span_list *spans_of(struct arena *arena, const struct step_time *time)
{
    struct list *list = list_new(arena);

    if (time->runs > 0)
        LIST_ADD(list, (struct nnefc_span){0, time->last.begin, time->last.end});
    for (int i = 1; i < time->members; i++)
        if (time->spans[i].begin > 0)
            LIST_ADD(list, (struct nnefc_span){i, time->spans[i].begin, time->spans[i].end});
    return (const void *)list;
}

/* A node of a graph, to be found by where it comes from, which its copies in plans have, too. */
struct node_origin {
    const struct node *node;
    int index; /* in the order of the graph */
};

static int by_origin(const void *a, const void *b)
{
    const struct node *x = ((const struct node_origin *)a)->node;
    const struct node *y = ((const struct node_origin *)b)->node;
    const uintptr_t from = (uintptr_t)x->site, to = (uintptr_t)y->site;

    if (from != to)
        return from < to ? -1 : 1;
    if (x->span.begin != y->span.begin)
        return x->span.begin < y->span.begin ? -1 : 1;
    return (x->span.end > y->span.end) - (x->span.end < y->span.end);
}

/* Those of all nodes, sorted; none without a graph. */
static struct node_origin *node_origins_of(const struct graph *graph, struct arena *arena,
                                           size_t *count)
{
    struct node_origin *origins =
        arena_array_of(arena, struct node_origin, graph ? graph->node_count : 0);

    *count = 0;
    for (const struct node *n = graph ? graph->first : NULL; n; n = n->next) {
        origins[*count] = (struct node_origin){n, (int)*count};
        (*count)++;
    }
    if (*count > 0)
        qsort(origins, *count, sizeof *origins, by_origin);
    return origins;
}

/* The last node of the origin of a step's last one, which a pass may have made of several; -1: the
 * graph has none. */
static int operation_of(const struct step *step, const struct node_origin *origins, size_t count)
{
    int index = -1;

    for (int k = step->count - 1; k >= 0 && index < 0 && count > 0; k--) {
        const struct node_origin wanted = {step->nodes[k], 0};
        const struct node_origin *at = bsearch(&wanted, origins, count, sizeof wanted, by_origin);
        while (at && at > origins && by_origin(at - 1, &wanted) == 0)
            at--;
        for (; at && at < origins + count && by_origin(at, &wanted) == 0; at++)
            index = at->index > index ? at->index : index;
    }
    return index;
}

void steps_list(struct list *list, struct arena *arena, const struct execution *execution,
                const struct graph *graph)
{
    size_t count;
    const struct node_origin *origins = node_origins_of(graph, arena, &count);

    for (int i = 0; i < execution_step_count(execution); i++) {
        const struct step_time time = execution_step_time(execution, i);
        const struct step *step = time.step;
        struct text text = {0};
        int64_t work = 0; /* a multiplication and an addition of each product */
        for (int k = 0; k < step->count; k++) {
            text_add(&text, "%s%s", k > 0 ? " + " : "", step->nodes[k]->op->name);
            work += 2 * macs_of(step->nodes[k]);
        }
        const char *operations = text_keep(&text, arena);
        assert(step->kernel && time.runs >= 0);
        LIST_ADD(list, (struct nnefc_step){.name = time.result ? time.result->name : NULL,
                                           .operations = step->count > 0 ? operations : NULL,
                                           .operation = operation_of(step, origins, count),
                                           .kind = step_kind(step),
                                           .backend = step->backend,
                                           .kernel = step->kernel->name,
                                           .layout = layout_name(step->layout),
                                           .work = work,
                                           .shortens = step->kernel->shortens,
                                           .runs = time.runs,
                                           .least = time.least,
                                           .total = time.total,
                                           .last = spans_of(arena, &time)});
    }
}

const struct nnefc_step_list *api_run_steps(struct nnefc_run *run)
{
    struct list *list = NULL;

    run_enter(run);
    if (run && run->prepared) {
        /* In an arena that is made anew each time, because times change with each run. */
        arena_free(run->listed);
        run->listed = arena_new();
        list = list_new(run->listed);
        steps_list(list, run->listed, run_execution(run->run),
                   run->model->open.interface ? NULL : run->model->graph);
        steps_list_parts(list, run);
    }
    run_leave(run, 0, true);
    return list ? (const void *)list : list_nothing();
}
