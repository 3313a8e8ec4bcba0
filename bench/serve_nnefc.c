/* serve_nnefc.c - our side: a client of the library */
#include "serve.h"

#include <nnefc/nnefc.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    const struct task *task;
    struct nnefc_model *model;
    struct nnefc_run *run;
    struct nnefc_run_options options;
    bool open; /* the input has a shape of its own each time */
};

const char engine_name[] = "nnefc";

struct engine *engine_new(const struct task *task)
{
    struct engine *engine = calloc(1, sizeof *engine);

    if (!engine) {
        serve_fault("out of memory");
        return NULL;
    }
    engine->task = task;
    engine->model = nnefc_model_new();
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    nnefc_run_free(engine->run);
    nnefc_model_free(engine->model);
    free(engine);
}

const char *engine_version(const struct engine *engine)
{
    (void)engine;
    return nnefc_version();
}

const char *engine_backend(const struct engine *engine)
{
    return nnefc_run_backend(engine->run);
}

/* Print what there is to say; false if it was an error. */
static bool told(struct engine *engine)
{
    nnefc_model_print_diagnostics(engine->model, stderr, NNEFC_PRINT_SHORT, false);
    return nnefc_model_status(engine->model) == NNEFC_OK;
}

/* --- settings ----------------------------------------------------------------------------- */

/* "backend=NAME", whose names the library knows, or "open": extents are those of the input. */
static bool apply_settings(struct engine *engine)
{
    static const char backend[] = "backend=";

    engine->options.size = sizeof engine->options;
    engine->options.threads = engine->task->threads;
    for (char **setting = engine->task->settings; *setting; setting++) {
        if (strcmp(*setting, "open") == 0) {
            engine->open = true;
            continue;
        }
        if (strncmp(*setting, backend, sizeof backend - 1) != 0)
            return serve_fault("there is no setting '%s'", *setting);
        engine->options.backend = *setting + sizeof backend - 1;
    }
    return true;
}

/* --- from the file to what can be run ------------------------------------------------------ */

bool engine_load(struct engine *engine)
{
    const struct task *task = engine->task;

    if (!apply_settings(engine))
        return false;
    if (engine->open)
        nnefc_model_keep_open(engine->model);
    else
        nnefc_model_set_shape(engine->model, task->input_name, task->input.rank,
                              task->input.extent);
    nnefc_model_load(engine->model, task->model);
    if (!told(engine))
        return false;
    return nnefc_model_inputs(engine->model)->count == 1 ||
           serve_fault("'%s' has %d inputs, expected one", task->model,
                       nnefc_model_inputs(engine->model)->count);
}

/* The items are used where they are, as on the other side. */
bool engine_shape(struct engine *engine, const struct array *input)
{
    struct nnefc_type type = {NNEFC_SCALAR, input->rank, {0}};

    for (int i = 0; i < input->rank; i++)
        type.extent[i] = input->extent[i];
    nnefc_run_view_input_as(engine->run, 0, &type, input->items,
                            input->count * sizeof *input->items);
    return told(engine);
}

bool engine_plan(struct engine *engine)
{
    engine->run = nnefc_run_new_with(engine->model, &engine->options);
    if (engine->run && !engine->open)
        nnefc_run_prepare(engine->run);
    return told(engine) && engine->run && engine_shape(engine, &engine->task->input);
}

/* --- running ------------------------------------------------------------------------------ */

bool engine_run(struct engine *engine)
{
    return nnefc_run_step(engine->run) == NNEFC_OK || told(engine);
}

int engine_output_count(const struct engine *engine)
{
    return nnefc_model_outputs(engine->model)->count;
}

bool engine_output(struct engine *engine, int index, struct array *output)
{
    const struct nnefc_tensor *tensor = nnefc_run_output(engine->run, index);
    struct nnefc_type type = nnefc_tensor_type(tensor);

    if (type.dtype != NNEFC_SCALAR)
        return serve_fault("result %d is not of scalars", index);
    output->rank = type.rank;
    memcpy(output->extent, type.extent, sizeof output->extent);
    output->count = (size_t)nnefc_tensor_count(tensor);
    output->items = nnefc_tensor_items(tensor);
    return true;
}
