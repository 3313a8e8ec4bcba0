/*
 * emitted.c - the side that is C: a network that a program has written as C
 *
 * emit.js compiles it together with serve.c, the network, and a file that says how to call it.
 * MODEL is the file of its weights.
 */
#include "emitted.h"
#include "serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

struct engine {
    const struct task *task;
    void *weights;
    const float *input;
    float **results;
};

const char engine_name[] = "emitted";

static float *new_items(int64_t count)
{
    return aligned_alloc(ALIGNMENT, ((size_t)count * sizeof(float) / ALIGNMENT + 1) * ALIGNMENT);
}

struct engine *engine_new(const struct task *task)
{
    struct engine *engine = calloc(1, sizeof *engine);
    bool ok = engine && (engine->results = calloc((size_t)emitted_results, sizeof(float *)));

    for (int i = 0; i < emitted_results && ok; i++)
        ok = (engine->results[i] = new_items(emitted_items[i]));
    if (!ok) {
        serve_fault("out of memory");
        engine_free(engine);
        return NULL;
    }
    engine->task = task;
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    for (int i = 0; i < emitted_results && engine->results; i++)
        free(engine->results[i]);
    free(engine->results);
    free(engine->weights);
    free(engine);
}

const char *engine_version(const struct engine *engine)
{
    (void)engine;
    return "0";
}

const char *engine_backend(const struct engine *engine)
{
    (void)engine;
    return "c";
}

bool engine_load(struct engine *engine)
{
    FILE *file = fopen(engine->task->model, "rb");
    int64_t count = 0;
    bool ok = file && fseek(file, 0, SEEK_END) == 0 &&
              (count = (int64_t)ftell(file) / (int64_t)sizeof(float)) >= 0 &&
              fseek(file, 0, SEEK_SET) == 0 && (engine->weights = new_items(count)) &&
              fread(engine->weights, sizeof(float), (size_t)count, file) == (size_t)count;

    if (!ok)
        serve_fault("'%s' cannot be read: %s", engine->task->model, strerror(errno));
    if (file)
        fclose(file);
    return ok;
}

bool engine_plan(struct engine *engine)
{
    return engine_shape(engine, &engine->task->input);
}

bool engine_shape(struct engine *engine, const struct array *input)
{
    engine->input = input->items;
    return input->count == engine->task->input.count ||
           serve_fault("the shape of the input is fixed");
}

bool engine_run(struct engine *engine)
{
    int status = emitted_run(engine->weights, engine->input, engine->results);

    return status == 0 || serve_fault("the data of step %d is at fault", status);
}

int engine_output_count(const struct engine *engine)
{
    (void)engine;
    return emitted_results;
}

bool engine_output(struct engine *engine, int index, struct array *output)
{
    *output = (struct array){.rank = 1,
                             .extent = {emitted_items[index]},
                             .count = (size_t)emitted_items[index],
                             .items = engine->results[index]};
    return true;
}
