/* work.c - see work.h */
#include "backend/onednn/work.h"

#include "tensor/shape.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- threads ------------------------------------------------------------------------------ */

int work_set_threads(int threads)
{
    int before = omp_get_max_threads();

    if (before != threads)
        omp_set_num_threads(threads);
    return before;
}

void work_call(int size, void (*job)(void *data, int member), void *data)
{
#pragma omp parallel num_threads(size)
    job(data, omp_get_thread_num());
}

/* --- an execution's own -------------------------------------------------------------------- */

struct binding {
    const struct work *work;
    dnnl_stream_t stream;
    void *data[WORK_ARGUMENTS]; /* as the library knows it */
    dnnl_exec_arg_t argument[WORK_ARGUMENTS];
};

static void unbind(void *own)
{
    struct binding *b = own;

    for (int i = 0; i < b->work->count; i++)
        if (b->argument[i].memory)
            dnnl_memory_destroy(b->argument[i].memory);
    if (b->stream)
        dnnl_stream_destroy(b->stream);
    free(b);
}

static bool set_data(struct binding *b, int index, void *data)
{
    if (b->data[index] == data)
        return true;
    b->data[index] = data;
    return dnnl_memory_set_data_handle(b->argument[index].memory, data) == dnnl_success;
}

static bool bind_argument(struct binding *b, int index)
{
    const struct argument *a = &b->work->argument[index];

    b->argument[index] = (dnnl_exec_arg_t){a->name, md_memory(&a->md, b->work->engine)};
    return b->argument[index].memory && (a->origin != ORIGIN_PLAN || set_data(b, index, a->data));
}

static void *bind(const struct step *step)
{
    const struct work *work = step->state;
    struct binding *b = calloc(1, sizeof *b);
    bool ok = b;

    if (!ok)
        return NULL;
    b->work = work;
    if (dnnl_stream_create(&b->stream, work->engine, dnnl_stream_default_flags) != dnnl_success)
        ok = false;
    for (int i = 0; i < work->count && ok; i++)
        ok = bind_argument(b, i);
    if (ok)
        return b;
    unbind(b);
    return NULL;
}

/* --- running ------------------------------------------------------------------------------- */

static bool point(struct binding *b, int index, const struct step *step, const struct frame *frame)
{
    const struct argument *a = &b->work->argument[index];

    switch (a->origin) {
    case ORIGIN_OPERAND:
        return set_data(b, index, frame->data[step->in[a->index]]);
    case ORIGIN_RESULT:
        return set_data(b, index, step_out(step, frame, 0));
    case ORIGIN_SCRATCH:
        return set_data(b, index, frame->scratch);
    case ORIGIN_PLAN:
        break;
    }
    return true;
}

static bool run(const struct step *step, const struct frame *frame)
{
    const struct work *work = step->state;
    struct binding *b = frame->own;
    bool ok = true;

    for (int i = 0; i < work->count && ok; i++)
        ok = point(b, i, step, frame);
    if (!ok)
        return false;
    if (work->sum != STEP_NONE && step_in(step, frame, work->sum) != step_out(step, frame, 0))
        memcpy(step_out(step, frame, 0), step_in(step, frame, work->sum), work->sum_size);
    int before = work_set_threads(work->threads);
    ok = dnnl_primitive_execute(work->primitive, b->stream, work->count, b->argument) ==
             dnnl_success &&
         dnnl_stream_wait(b->stream) == dnnl_success;
    work_set_threads(before);
    return ok;
}

/* --- making ------------------------------------------------------------------------------- */

struct work *work_new(const struct planner *planner)
{
    struct work *work = calloc(1, sizeof *work);

    if (!work)
        return NULL;
    work->threads = plan_threads(planner);
    work->sum = STEP_NONE;
    if (dnnl_engine_create(&work->engine, dnnl_cpu, 0) == dnnl_success)
        return work;
    free(work);
    return NULL;
}

void work_drop(void *state)
{
    struct work *work = state;

    for (int i = 0; i < work->count; i++)
        md_drop(&work->argument[i].md);
    if (work->primitive)
        dnnl_primitive_destroy(work->primitive);
    dnnl_engine_destroy(work->engine);
    free(work);
}

bool work_add(struct work *work, const struct argument *argument)
{
    struct argument *added = &work->argument[work->count];

    *added = *argument;
    if (!md_copy(&added->md, &argument->md))
        return false;
    work->count++;
    return true;
}

static bool reorder(const struct work *work, dnnl_primitive_t primitive, dnnl_exec_arg_t pair[2])
{
    dnnl_stream_t stream;

    if (dnnl_stream_create(&stream, work->engine, dnnl_stream_default_flags) != dnnl_success)
        return false;
    bool ok = dnnl_primitive_execute(primitive, stream, 2, pair) == dnnl_success &&
              dnnl_stream_wait(stream) == dnnl_success;
    dnnl_stream_destroy(stream);
    return ok;
}

static bool fill(const struct work *work, void *to, void *from, const struct md md[2])
{
    dnnl_primitive_desc_t pd = pd_reorder(work->engine, &md[0], &md[1], NULL);
    dnnl_exec_arg_t pair[2] = {{DNNL_ARG_FROM, md_memory(&md[0], work->engine)},
                               {DNNL_ARG_TO, md_memory(&md[1], work->engine)}};
    dnnl_primitive_t primitive = NULL;
    bool ok = pd && pair[0].memory && pair[1].memory &&
              dnnl_primitive_create(&primitive, pd) == dnnl_success &&
              dnnl_memory_set_data_handle(pair[0].memory, from) == dnnl_success &&
              dnnl_memory_set_data_handle(pair[1].memory, to) == dnnl_success &&
              reorder(work, primitive, pair);

    for (int i = 0; i < 2; i++)
        if (pair[i].memory)
            dnnl_memory_destroy(pair[i].memory);
    if (primitive)
        dnnl_primitive_destroy(primitive);
    if (pd)
        dnnl_primitive_desc_destroy(pd);
    return ok;
}

void *work_pack(struct planner *planner, const struct work *work, void *data, const struct md *from,
                const struct md *to)
{
    void *memory = plan_memory(planner, md_size(to));

    return memory && fill(work, memory, data, (const struct md[]){*from, *to}) ? memory : NULL;
}

/* Loops without any code made for them are no gain. */
static bool is_slow(const char *name)
{
    return strncmp(name, "ref", 3) == 0 || strncmp(name, "simple", 6) == 0;
}

bool work_use(struct work *work, struct step *step, dnnl_primitive_desc_t pd)
{
    struct argument scratch = {.name = DNNL_ARG_SCRATCHPAD, .origin = ORIGIN_SCRATCH};
    bool ok = !is_slow(pd_name(pd)) && dnnl_primitive_create(&work->primitive, pd) == dnnl_success;

    (void)snprintf(work->name, sizeof work->name, "%s", pd_name(pd));
    work->kernel = (struct kernel){.name = work->name,
                                   .shortens = strstr(work->name, "wino") != NULL,
                                   .run = run,
                                   .drop = work_drop,
                                   .open = bind,
                                   .close = unbind};
    if (ok && md_wanted(&scratch.md, pd, dnnl_query_scratchpad_md, 0) && md_size(&scratch.md) > 0)
        ok = work_add(work, &scratch);
    step->scratch = md_size(&scratch.md);
    md_drop(&scratch.md);
    step->kernel = &work->kernel;
    step->state = work;
    dnnl_primitive_desc_destroy(pd);
    return ok;
}

/* --- how values lie ------------------------------------------------------------------------ */

bool md_of(struct md *md, const struct shape *shape, enum layout layout)
{
    int64_t stride[MAX_RANK], channels = shape_extent(shape, 1);

    shape_strides(shape, stride);
    if (layout == LAYOUT_CHANNELS_LAST && shape->rank > 2) {
        for (int axis = 2; axis < shape->rank; axis++)
            stride[axis] *= channels;
        stride[1] = 1;
    }
    return md_strided(md, shape->rank, shape->extent, stride);
}
