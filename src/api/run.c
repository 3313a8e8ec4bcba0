/*
 * run.c - runs as clients see them: making, steps, results (nnefc.h, backend.h)
 *
 * What a run does to its model goes on under the lock of the model; computing does not.
 */
#include "exec/run.h"

#include "api/open.h"
#include "api/prepare.h"
#include "api/weights.h"
#include "base/intern.h"
#include "base/team.h"
#include "base/text.h"
#include "file/data_file.h"
#include "file/npz.h"
#include "file/out.h"
#include "ir/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- making and freeing ------------------------------------------------------------------ */

/* Reports go to a list of its own while it computes. */
static struct nnefc_run *allocate_run(struct nnefc_model *model)
{
    struct nnefc_run *run = heap_array(1, sizeof *run);

    run->model = model;
    run->diag = diag_new(NULL);
    diag_follow(run->diag, model->context->diag); /* its options: limits, warnings */
    return run;
}

/* Also of a run that could not be started. */
static void free_run(struct nnefc_run *run)
{
    run_free(run->run); /* results may lie in memory of the parts */
    run->run = NULL;
    run_clear_parts(run);
    run_forget_plan(run);
    diag_free(run->diag);
    arena_free(run->listed);
    free(run->kept);
    free(run->note);
    free(run);
}

int threads_allowed(int threads)
{
    int most = team_most();

    threads = threads < 0 ? 0 : threads;
    return threads < most ? threads : most;
}

/* A plan is made for a number of threads, so another number takes another plan. */
static void set_threads(struct nnefc_run *run, int threads)
{
    threads = threads_allowed(threads);
    if (run->threads != threads)
        run_forget_plan(run);
    run->threads = threads;
    run_set_threads(run->run, threads);
}

/* Hand on the progress of a run to its own callback and to that of the model. */
static void tell_step(void *data, int done, int total)
{
    const struct nnefc_run *run = data;

    assert(done >= 0 && done <= total);
    if (run->progress)
        run->progress(run->progress_data, done, total);
    model_progress(run->model, NNEFC_WORK_RUN, done, total);
}

/* What is in the way of computing is found by the plan of the reference, whatever computes then. */
static bool start_run(struct nnefc_run *run, const struct graph *graph)
{
    const struct graph *open = run->model->open.interface;

    run->run = open ? run_new_open(open) : run_new(graph);
    if (!run->run)
        return false;
    run_set_diag(run->run, run->diag); /* for its steps, which hold no lock */
    run_set_progress(run->run, tell_step, run);
    return open || !run->backend || run_set_plan(run->run, NULL);
}

struct nnefc_run *api_run_new_with(struct nnefc_model *model,
                                   const struct nnefc_run_options *options)
{
    struct nnefc_run_options taken;

    if (!model || !model_interface(model)) {
        misuse(model, "a model that is not loaded cannot be run");
        return NULL;
    }
    if (!settings_take(model, options, &taken, sizeof taken))
        return NULL;
    const char *name = taken.backend ? taken.backend : "auto";
    model_lock(model);
    struct nnefc_run *run = allocate_run(model);
    bool weights = !model->graph || weights_load(model);
    if (weights && backend_choose(model, name, &run->backend) && start_run(run, model->graph)) {
        run->exact = taken.exact;
        set_threads(run, taken.threads);
        model->runs++; /* while there are any, the graph stays */
    } else {
        free_run(run);
        run = NULL;
    }
    model_unlock(model);
    return run;
}

struct nnefc_run *run_new_of(struct nnefc_model *model, const struct graph *graph, int threads)
{
    model_lock(model);
    struct nnefc_run *run = allocate_run(model);
    if (backend_choose(model, "portable", &run->backend) && start_run(run, graph)) {
        set_threads(run, threads);
        model->runs++;
    } else {
        free_run(run);
        run = NULL;
    }
    model_unlock(model);
    return run;
}

struct nnefc_run *nnefc_run_new(struct nnefc_model *model)
{
    const struct nnefc_run_options options = {.size = sizeof options, .backend = "reference"};

    return nnefc_run_new_with(model, &options);
}

/* A tensor of the graph body: a result, an external or a variable.  An open model has a graph when
 * there are inputs. */
static bool keep(struct nnefc_run *run, const char *name)
{
    const struct graph *graph = graph_of_run(run->run);
    const struct value *value = graph ? run_find_value(graph, name) : NULL;

    if (graph && !value)
        return diag_file_error(run->model->context->diag, NULL, DIAG_INPUT_UNKNOWN,
                               "graph '%s' has no tensor '%s' to keep", graph->name, name);
    run->kept = heap_list((void *)run->kept, run->nkept, sizeof *run->kept);
    run->kept[run->nkept++] = name;
    if (value)
        run_keep(run->run, value);
    return true;
}

struct nnefc_run *api_run_new_like(struct nnefc_run *like)
{
    if (!like)
        return NULL;
    model_lock(like->model);
    struct nnefc_run *run = allocate_run(like->model);
    run->backend = like->backend;
    run->exact = like->exact;
    run->measured = like->measured;
    run->image = like->image;
    bool ok = (like->model->open.interface || api_run_prepare(like)) &&
              start_run(run, like->model->graph);
    if (ok) {
        set_threads(run, like->threads);
        run->seed = like->seed;
        run_set_seed(run->run, like->seed);
        for (int i = 0; i < like->nkept; i++) /* for which the plan is made */
            keep(run, like->kept[i]);
        ok = run_prepare_like(run, like);
    }
    if (ok) {
        like->model->runs++;
    } else {
        free_run(run);
        run = NULL;
    }
    model_unlock(like->model);
    return run;
}

/* Under the lock, for runs of other threads may look at the plan that it shares. */
void nnefc_run_free(struct nnefc_run *run)
{
    if (!run)
        return;
    struct nnefc_model *model = run->model;

    model_lock(model);
    free_run(run);
    model->runs--;
    model_unlock(model);
    model_release(model);
}

void api_run_set_seed(struct nnefc_run *run, uint64_t seed)
{
    if (!run)
        return;
    run->seed = seed;
    run_set_seed(run->run, seed);
}

void api_run_set_threads(struct nnefc_run *run, int threads)
{
    if (!run)
        return;
    model_lock(run->model);
    set_threads(run, threads);
    model_unlock(run->model);
}

/* 0 threads are as many as there are processors for the process. */
int nnefc_run_threads(const struct nnefc_run *run)
{
    return run ? team_usable(run->threads) : 0;
}

void nnefc_run_set_progress(struct nnefc_run *run, nnefc_progress progress, void *data)
{
    if (!run)
        return;
    run->progress = progress;
    run->progress_data = data;
}

void api_run_set_note(struct nnefc_run *run, const char *note)
{
    if (!run)
        return;
    free(run->note);
    run->note = NULL; /* if memory runs out */
    run->note = note ? text_copy(note, strlen(note)) : NULL;
}

/* --- steps and results ------------------------------------------------------------------- */

bool api_run_keep(struct nnefc_run *run, const char *name)
{
    if (!name)
        return misuse(run->model, "there is no name of a tensor to keep");
    run_generalise(run); /* what is kept belongs to what a graph is made for */
    if (!keep(run, intern(run->model->context->names, name, strlen(name))))
        return false;
    run_forget_plan(run);
    return true;
}

enum nnefc_status api_run_step(struct nnefc_run *run)
{
    int before = run_enter(run);
    bool ready = false;

    if (run) { /* the part of a step that looks at the model */
        struct diag *diag = run->model->context->diag;
        diag_follow(run->diag, diag); /* options may have changed since the last step */
        ready = api_run_prepare(run) && run_begin(run->run);
        diag_move(diag, run->diag);
    }
    enum nnefc_status status = run_leave(run, before, ready);
    if (!run)
        return status;
    run->stepped = status == NNEFC_OK && run_step(run->run); /* without the lock */
    if (run->stepped && run->in_parts)
        run->stepped = run_rest(run);
    if (status != NNEFC_OK)
        return status;
    before = run_enter(run);
    diag_move(run->model->context->diag, run->diag);
    return run_leave(run, before, run->stepped);
}

/* A result of the last step. */
static const struct tensor *output_of(const struct nnefc_run *run, int index)
{
    return run->in_parts ? computed_output(run, index) : run_output(run->run, index);
}

const struct nnefc_tensor *nnefc_run_output(const struct nnefc_run *run, int index)
{
    if (!run || !run->stepped || index < 0 || index >= model_interface(run->model)->noutput)
        return NULL;
    return tensor_handle(output_of(run, index));
}

const struct nnefc_tensor *nnefc_run_tensor(const struct nnefc_run *run, const char *name)
{
    int count = run && run->stepped && name ? run->nkept : 0, i = 0;

    while (i < count && strcmp(run->kept[i], name) != 0)
        i++;
    if (i == count)
        return NULL;
    if (run->in_parts)
        return tensor_handle(computed_tensor(run, run->kept[i]));
    /* Without items if it was kept after the step, or if no result depends on it. */
    const struct value *value = run_find_value(graph_of_run(run->run), run->kept[i]);
    const struct tensor *tensor = run_tensor(run->run, value);
    return tensor->data ? tensor_handle(tensor) : NULL;
}

/* NULL while the run holds nothing for that variable. */
const struct nnefc_tensor *api_run_variable(const struct nnefc_run *run, int index)
{
    const struct source *variable = run ? variable_at(run->model, index) : NULL;

    if (!variable)
        return NULL;
    const struct tensor *held = run_variable(run->run, variable->value);
    if (held->bytes) { /* which no update changes */
        const int before = run_enter(run);
        const bool ok = source_fill(run->model->context, variable->value->source);
        run_leave(run, before, ok);
        if (!ok)
            return NULL;
        held = variable->tensor;
    }
    return held->data ? tensor_handle(held) : NULL;
}

/* Add a file of one result, or of all if `index` is -1, to the set. */
static bool put_output(const struct nnefc_run *run, struct out_set *set,
                       const struct nnefc_output_file *to)
{
    const struct graph *graph = model_interface(run->model);

    if (to->index >= 0)
        return data_put(set, to->path, output_of(run, to->index), NULL);
    struct out_file *file = out_open(set, to->path);
    struct npz_array *arrays = heap_array((size_t)graph->noutput, sizeof *arrays);
    for (int i = 0; i < graph->noutput; i++)
        arrays[i] = (struct npz_array){graph->outputs[i].name, output_of(run, i)};
    bool ok = file && npz_put(set->diag, file, &(struct npz_list){arrays, graph->noutput});
    free(arrays);
    return ok;
}

bool api_run_write_files(const struct nnefc_run *run, const struct nnefc_output_file *files)
{
    struct out_set set = {run->model->context->diag, run->model->force, .count = 0};
    bool ok = true, known = files && files->path;

    for (const struct nnefc_output_file *f = files; known && run->stepped && f->path; f++)
        known = f->index >= -1 && f->index < model_interface(run->model)->noutput;
    if (!known)
        return misuse(run->model, "there is no file to write results to, or no such result");
    if (!run->stepped)
        return misuse(run->model, "there are no results to write before the first step");
    for (const struct nnefc_output_file *f = files; ok && f->path; f++)
        ok = put_output(run, &set, f);
    return out_commit(&set, ok);
}

bool api_run_write_outputs(const struct nnefc_run *run, const char *path)
{
    return api_run_write_files(run, (struct nnefc_output_file[]){{-1, path}, {0}});
}
