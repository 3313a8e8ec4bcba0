/*
 * serve_onnxruntime.c - the other side: ONNX Runtime through its C interface
 *
 * ORT_LIBRARY names its shared library.  A setting dim:NAME=N says what an extent is that the model
 * leaves open, and KEY=VALUE is an entry of the session's configuration.
 */
#include "serve.h"

#include "onnxruntime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OUTPUTS = 16 };

struct engine {
    const struct task *task;
    void *library;
    const struct ort_api_base *base;
    const struct ort_api *api;
    struct ort_env *env;
    struct ort_options *options;
    struct ort_session *session;
    struct ort_allocator *allocator; /* the library's */
    struct ort_memory *memory;
    struct ort_value *input;
    size_t outputs;
    char *output_name[MAX_OUTPUTS];
    struct ort_value *output[MAX_OUTPUTS];
};

const char engine_name[] = "onnxruntime";

/* --- the library -------------------------------------------------------------------------- */

/* Print what is wrong and drop the status. */
static bool ok(struct engine *engine, ort_result result)
{
    if (result) {
        serve_fault("%s", engine->api->message(result));
        engine->api->release_status(result);
    }
    return !result;
}

static bool open_library(struct engine *engine)
{
    const char *path = getenv("ORT_LIBRARY");
    ort_get_api_base get_base = NULL;

    engine->library = dlopen(path ? path : "libonnxruntime.so.1", RTLD_NOW);
    if (engine->library)
        *(void **)&get_base = dlsym(engine->library, "OrtGetApiBase");
    if (!get_base) {
        serve_fault("%s", dlerror());
        return false;
    }
    engine->base = get_base();
    engine->api = engine->base->api(ORT_VERSION);
    if (!engine->api)
        serve_fault("version %s is too old", engine->base->version());
    return engine->api;
}

struct engine *engine_new(const struct task *task)
{
    struct engine *engine = calloc(1, sizeof *engine);

    if (!engine) {
        serve_fault("out of memory");
        return NULL;
    }
    engine->task = task;
    if (open_library(engine) &&
        ok(engine, engine->api->create_env(ORT_LOG_ERRORS, "bench", &engine->env)))
        return engine;
    engine_free(engine);
    return NULL;
}

static void release_outputs(struct engine *engine)
{
    for (size_t i = 0; i < engine->outputs; i++) {
        engine->api->release_value(engine->output[i]);
        engine->output[i] = NULL;
    }
}

static void release_all(struct engine *engine)
{
    const struct ort_api *api = engine->api;

    release_outputs(engine);
    for (size_t i = 0; i < engine->outputs; i++)
        ok(engine, api->free(engine->allocator, engine->output_name[i]));
    api->release_value(engine->input);
    api->release_memory(engine->memory);
    api->release_session(engine->session);
    api->release_options(engine->options);
    api->release_env(engine->env);
}

void engine_free(struct engine *engine)
{
    if (engine && engine->api)
        release_all(engine);
    if (engine && engine->library)
        dlclose(engine->library);
    free(engine);
}

const char *engine_version(const struct engine *engine)
{
    return engine->base->version();
}

const char *engine_backend(const struct engine *engine)
{
    (void)engine;
    return "cpu";
}

/* --- from the file to what can be run ------------------------------------------------------ */

/* "dim:NAME=N" or "KEY=VALUE" */
static bool apply_setting(struct engine *engine, char *setting)
{
    static const char dimension[] = "dim:";
    bool is_dimension = strncmp(setting, dimension, sizeof dimension - 1) == 0;
    char *name = is_dimension ? setting + sizeof dimension - 1 : setting;
    char *equals = strchr(setting, '=');

    if (!equals)
        return serve_fault("there is no setting '%s'", setting);
    *equals = '\0';
    return ok(engine, is_dimension ? engine->api->fix_dimension(engine->options, name,
                                                                strtoll(equals + 1, NULL, 10))
                                   : engine->api->set_entry(engine->options, name, equals + 1));
}

static bool make_options(struct engine *engine)
{
    const struct ort_api *api = engine->api;
    bool made = ok(engine, api->create_options(&engine->options)) &&
                ok(engine, api->set_optimization(engine->options, ORT_OPTIMIZE_ALL)) &&
                ok(engine, api->set_intra_threads(engine->options, engine->task->threads)) &&
                ok(engine, api->set_inter_threads(engine->options, 1));

    for (char **setting = engine->task->settings; *setting && made; setting++)
        made = apply_setting(engine, *setting);
    return made;
}

bool engine_load(struct engine *engine)
{
    return make_options(engine) &&
           ok(engine, engine->api->create_session(engine->env, engine->task->model, engine->options,
                                                  &engine->session));
}

static bool list_ports(struct engine *engine)
{
    const struct ort_api *api = engine->api;
    size_t inputs, outputs;

    if (!ok(engine, api->input_count(engine->session, &inputs)) ||
        !ok(engine, api->output_count(engine->session, &outputs)) ||
        !ok(engine, api->default_allocator(&engine->allocator)))
        return false;
    if (inputs != 1 || outputs > MAX_OUTPUTS)
        return serve_fault("the model has %zu inputs and %zu results, expected one and up to %d",
                           inputs, outputs, MAX_OUTPUTS);
    while (engine->outputs < outputs) {
        char **name = &engine->output_name[engine->outputs];
        if (!ok(engine,
                api->output_name(engine->session, engine->outputs, engine->allocator, name)))
            return false;
        engine->outputs++;
    }
    return true;
}

/* The session is used with the items where they are. */
bool engine_shape(struct engine *engine, const struct array *input)
{
    const struct ort_api *api = engine->api;
    void *items;

    memcpy(&items, &input->items, sizeof items);
    api->release_value(engine->input);
    engine->input = NULL;
    return ok(engine,
              api->create_tensor(engine->memory, items, input->count * sizeof *input->items,
                                 input->extent, (size_t)input->rank, ORT_FLOAT, &engine->input));
}

bool engine_plan(struct engine *engine)
{
    return list_ports(engine) &&
           ok(engine,
              engine->api->cpu_memory(ORT_ARENA_ALLOCATOR, ORT_MEMORY_DEFAULT, &engine->memory)) &&
           engine_shape(engine, &engine->task->input);
}

/* --- running ------------------------------------------------------------------------------ */

bool engine_run(struct engine *engine)
{
    const struct ort_value *input = engine->input;
    const char *output_name[MAX_OUTPUTS];

    release_outputs(engine);
    for (size_t i = 0; i < engine->outputs; i++)
        output_name[i] = engine->output_name[i];
    return ok(engine, engine->api->run(engine->session, NULL, &engine->task->input_name, &input, 1,
                                       output_name, engine->outputs, engine->output));
}

int engine_output_count(const struct engine *engine)
{
    return (int)engine->outputs;
}

static bool describe(struct engine *engine, const struct ort_shape *shape, struct array *output)
{
    const struct ort_api *api = engine->api;
    size_t rank;
    int type;

    if (!ok(engine, api->tensor_type(shape, &type)) || !ok(engine, api->tensor_rank(shape, &rank)))
        return false;
    if (type != ORT_FLOAT || rank > MAX_EXTENTS)
        return serve_fault("a result is of type %d and rank %zu, expected floats of rank up to %d",
                           type, rank, MAX_EXTENTS);
    output->rank = (int)rank;
    return ok(engine, api->tensor_extents(shape, output->extent, rank)) &&
           ok(engine, api->tensor_count(shape, &output->count));
}

bool engine_output(struct engine *engine, int index, struct array *output)
{
    struct ort_value *value = engine->output[index];
    struct ort_shape *shape = NULL;
    void *items = NULL;
    bool got = ok(engine, engine->api->tensor_shape(value, &shape)) &&
               describe(engine, shape, output) &&
               ok(engine, engine->api->tensor_items(value, &items));

    output->items = items;
    engine->api->release_shape(shape);
    return got;
}
