/*
 * fuzz_bindings.c - open models give for each shape what fresh models of that shape give, bit by
 * bit
 *
 *     fuzz_bindings [--seed=S] [--count=N] [--print]
 *
 * Number k of a run with seed S is that of seed S + k - 1.  Each is a random document
 * (random_graph.h, random_layer.h) of which some extents are opened, and its export to ONNX with an
 * extent left open. Two runs of one model, by one backend with one or two threads, take random
 * shapes in turns, some of them again, and the model keeps 1, 2 or 64 graphs.  Where a fresh model
 * refuses a shape, the open one does, and goes on with the next.  --print shows the documents
 * instead.
 */
#include "base/text.h"
#include "nnefc/nnefc.h"
#include "support/random_graph.h"
#include "support/random_layer.h"
#include "support/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FAILURES = 10, STEPS = 6, INPUTS = 16, PATH_SIZE = 256, MEMORY = 1 << 28 };

/* What is open of an input, with the shapes of the step. */
struct input {
    const char *name;
    struct nnefc_type type; /* as the closed model has it */
    bool open[NNEFC_MAX_RANK];
};

struct trial {
    uint64_t seed, random;
    const char *folder;
    char path[PATH_SIZE]; /* of the model */
    struct input input[INPUTS];
    int ninput;
    struct nnefc_run_options how;
    struct nnefc_model *model; /* open */
    struct nnefc_run *run[2];
    int compared, refused;
};

static uint32_t draw(struct trial *t, uint32_t count)
{
    t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->random >> 33) % count;
}

static void make_text(uint64_t seed, struct text *to)
{
    if (seed % 2) {
        random_layer_text(seed, to);
        return;
    }
    struct random_graph *graph = random_graph_new(seed);
    random_graph_text(graph, to);
    random_graph_free(graph);
}

static struct nnefc_model *new_model(void)
{
    struct nnefc_model *model = nnefc_model_new();

    nnefc_model_set_limit(model, NNEFC_LIMIT_MEMORY, MEMORY);
    return model;
}

/* --- fresh models ------------------------------------------------------------------------------
 */

/* The model with these shapes, after one step; NULL if it cannot have them. */
static struct nnefc_run *fresh_run(const struct trial *t, const struct nnefc_type *shape,
                                   uint64_t seed, struct nnefc_model **model)
{
    struct nnefc_run *run = NULL;
    bool ok = true;

    *model = new_model();
    for (int i = 0; i < t->ninput; i++)
        nnefc_model_set_shape(*model, t->input[i].name, shape[i].rank, shape[i].extent);
    if (nnefc_model_load(*model, t->path) == NNEFC_OK)
        run = nnefc_run_new_with(*model, &t->how);
    for (int i = 0; run && i < t->ninput && ok; i++)
        ok = nnefc_run_randomize_input(run, i, seed) == NNEFC_OK;
    if (run && ok && nnefc_run_step(run) == NNEFC_OK)
        return run;
    nnefc_run_free(run);
    return NULL;
}

static bool same_tensor(const struct nnefc_tensor *a, const struct nnefc_tensor *b)
{
    struct nnefc_type x = nnefc_tensor_type(a), y = nnefc_tensor_type(b);
    size_t size = x.dtype == NNEFC_SCALAR    ? sizeof(float)
                  : x.dtype == NNEFC_INTEGER ? sizeof(int64_t)
                                             : 1;

    return x.dtype == y.dtype && x.rank == y.rank &&
           memcmp(x.extent, y.extent, (size_t)x.rank * sizeof *x.extent) == 0 &&
           memcmp(nnefc_tensor_items(a), nnefc_tensor_items(b),
                  (size_t)nnefc_tensor_count(a) * size) == 0;
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* Extents near those of the document, at which algorithms and layouts may change. */
static void draw_shapes(struct trial *t, struct nnefc_type *shape)
{
    static const int more[] = {0, 0, 1, 2, 4, 8, 16};
    int chosen = more[draw(t, sizeof more / sizeof *more)];

    for (int i = 0; i < t->ninput; i++) {
        shape[i] = t->input[i].type;
        for (int k = 0; k < shape[i].rank; k++)
            if (t->input[i].open[k])
                shape[i].extent[k] = draw(t, 16) ? shape[i].extent[k] + chosen : draw(t, 2);
    }
}

static bool complain(const struct trial *t, const char *what)
{
    printf("seed %" PRIu64 " (%s): %s\n", t->seed, t->path, what);
    nnefc_model_print_diagnostics(t->model, stdout, NNEFC_PRINT_SHORT, false);
    return false;
}

/* The open model takes what the fresh one was fed; or items of 0 where there is none. */
static bool feed(const struct trial *t, struct nnefc_run *run, const struct nnefc_run *fresh,
                 const struct nnefc_type *shape)
{
    bool ok = true;

    for (int i = 0; i < t->ninput && ok; i++) {
        struct nnefc_tensor *made = fresh ? NULL : nnefc_tensor_new(&shape[i]);
        const struct nnefc_tensor *tensor = fresh ? nnefc_run_input(fresh, i) : made;
        ok = tensor && nnefc_run_set_input(run, i, tensor) == NNEFC_OK;
        nnefc_tensor_free(made);
    }
    return ok;
}

static bool try_step(struct trial *t, struct nnefc_run *run, const struct nnefc_type *shape,
                     uint64_t seed)
{
    struct nnefc_model *model;
    struct nnefc_run *fresh = fresh_run(t, shape, seed, &model);
    nnefc_run_set_seed(run, 0); /* random numbers begin anew */
    bool fed = feed(t, run, fresh, shape), ok = fed || !fresh;
    enum nnefc_status status = fed ? nnefc_run_step(run) : NNEFC_INVALID;

    if (!ok)
        complain(t, "an input that a fresh model takes is refused");
    else if ((status == NNEFC_OK) != (fresh != NULL))
        ok = complain(t, fresh ? "a shape that a fresh model computes is refused"
                               : "a shape that a fresh model refuses is computed");
    else if (status == NNEFC_INTERNAL)
        ok = complain(t, "an internal error");
    for (int i = 0; ok && fresh && i < nnefc_model_outputs(model)->count; i++)
        if (!same_tensor(nnefc_run_output(run, i), nnefc_run_output(fresh, i)))
            ok = complain(t, "another result than that of a fresh model");
    if (fresh)
        t->compared++;
    else
        t->refused++;
    nnefc_run_free(fresh);
    nnefc_model_free(model);
    return ok;
}

/* All steps of a model that was loaded open. */
static bool try_steps(struct trial *t)
{
    struct nnefc_type shapes[STEPS][INPUTS];
    bool ok = true;

    t->run[0] = nnefc_run_new_with(t->model, &t->how);
    t->run[1] = t->run[0] ? nnefc_run_new_like(t->run[0]) : NULL;
    if (!t->run[0] || !t->run[1])
        return complain(t, "there is no run of an open model");
    for (int i = 0; i < STEPS && ok; i++) {
        uint32_t again = i > 0 ? draw(t, 2 * (uint32_t)i) : 1;
        if (again < (uint32_t)i)
            memcpy(shapes[i], shapes[again], sizeof shapes[i]);
        else
            draw_shapes(t, shapes[i]);
        ok = try_step(t, t->run[draw(t, 2)], shapes[i], t->seed + (uint64_t)i);
    }
    nnefc_run_free(t->run[0]);
    nnefc_run_free(t->run[1]);
    return ok;
}

/* --- models -------------------------------------------------------------------------------------
 */

static void choose_settings(struct trial *t)
{
    static const int64_t kept[] = {1, 2, 64};

    t->how = (struct nnefc_run_options){.size = sizeof t->how,
                                        .backend = draw(t, 4) ? "portable" : "reference",
                                        .threads = (int)draw(t, 2) + 1};
    t->model = new_model();
    nnefc_model_set_limit(t->model, NNEFC_LIMIT_PLANS, kept[draw(t, 3)]);
}

/* The document, with some extents opened; those that are equal may be joined by a name. */
static bool try_document(struct trial *t)
{
    bool any = false, ok = true;

    choose_settings(t);
    for (int i = 0; i < t->ninput; i++)
        for (int k = 0; k < t->input[i].type.rank; k++) {
            t->input[i].open[k] = draw(t, 3) == 0;
            if (t->input[i].open[k])
                nnefc_model_set_open(t->model, t->input[i].name, k, NULL);
            any |= t->input[i].open[k];
        }
    if (any)
        ok = nnefc_model_load(t->model, t->path) == NNEFC_OK ? try_steps(t)
                                                             : complain(t, "it does not load");
    nnefc_model_free(t->model);
    return ok;
}

/* Its export, with one extent open. */
static bool try_export(struct trial *t, struct nnefc_model *model)
{
    int input = (int)draw(t, (uint32_t)t->ninput), rank = t->input[input].type.rank;
    struct nnefc_dynamic open = {t->input[input].name, rank ? (int)draw(t, (uint32_t)rank) : 0,
                                 "n"};
    struct nnefc_onnx how = {.size = sizeof how, .dynamic = &open, .dynamic_count = 1};
    bool ok = true;

    snprintf(t->path, sizeof t->path, "%s/open.onnx", t->folder);
    if (rank == 0 || nnefc_model_write_onnx(model, t->path, &how) != NNEFC_OK)
        return true;
    choose_settings(t);
    nnefc_model_keep_open(t->model);
    for (int i = 0; i < t->ninput; i++)
        for (int k = 0; k < t->input[i].type.rank; k++)
            t->input[i].open[k] = i == input && k == open.axis;
    if (nnefc_model_load(t->model, t->path) != NNEFC_OK)
        ok = complain(t, "it does not load");
    /* Inputs that no result depends on are not in the file. */
    else if (nnefc_model_inputs(t->model)->count == t->ninput &&
             nnefc_model_open(t->model)->count > 0)
        ok = try_steps(t);
    nnefc_model_free(t->model);
    return ok;
}

/* A fresh model knows nothing of the steps before. */
static bool has_state(const struct nnefc_model *model)
{
    const struct nnefc_variable_list *variables = nnefc_model_variables(model);

    for (int i = 0; i < variables->count; i++)
        if (variables->at[i]->is_updated)
            return true;
    return false;
}

static bool try_text(struct trial *t, const struct text *text)
{
    struct nnefc_model *model = new_model();
    FILE *file;
    bool ok = true;

    snprintf(t->path, sizeof t->path, "%s/graph.nnef", t->folder);
    file = fopen(t->path, "w");
    if (!file || fputs(text->data, file) < 0 || fclose(file) != 0)
        abort();
    nnefc_model_set_keep(model, NNEFC_KEEP_ONNX);
    if (nnefc_model_load(model, t->path) == NNEFC_OK &&
        nnefc_model_init_weights(model, t->seed, true) == NNEFC_OK &&
        nnefc_model_inputs(model)->count > 0 && nnefc_model_inputs(model)->count <= INPUTS &&
        !has_state(model)) {
        t->ninput = nnefc_model_inputs(model)->count;
        for (int i = 0; i < t->ninput; i++)
            t->input[i] = (struct input){.name = nnefc_model_inputs(model)->at[i]->name,
                                         .type = nnefc_model_inputs(model)->at[i]->type};
        ok = try_document(t) && try_export(t, model);
    }
    nnefc_model_free(model);
    return ok;
}

int main(int argc, char *argv[])
{
    char folder[] = "/tmp/nnefc-bindings-XXXXXX", command[PATH_SIZE];
    uint64_t failed = 0, done = 0;
    int compared = 0, refused = 0;
    struct seeds seeds;

    if (!seeds_read(argc, argv, "fuzz_bindings", &seeds) || !mkdtemp(folder))
        return 2;
    for (; done < seeds.count && failed < MOST_FAILURES; done++) {
        struct trial trial = {
            .seed = seeds.first + done, .random = seeds.first + done, .folder = folder};
        struct text text = {0};
        make_text(trial.seed, &text);
        if (seeds.print)
            fputs(text.data, stdout);
        else
            failed += !try_text(&trial, &text);
        compared += trial.compared;
        refused += trial.refused;
        text_free(&text);
    }
    if (!seeds.print)
        printf("%" PRIu64 " passed, %" PRIu64 " failed: %d steps compared, %d refused\n",
               done - failed, failed, compared, refused);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 || failed > 0 || (!seeds.print && done > 100 && compared == 0);
}
