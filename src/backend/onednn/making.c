/* making.c - see making.h */
#include "backend/onednn/making.h"

#include "tensor/tensor.h"

#include <stdlib.h>

bool making_begin(struct making *m, struct planner *planner, const struct task *task,
                  struct step *step)
{
    *m = (struct making){.planner = planner, .task = task, .step = step, .work = work_new(planner)};
    if (!m->work)
        return false;
    m->threads_before = work_set_threads(m->work->threads);
    return true;
}

static void repeat(float *to, float item, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = item;
}

/* The items of a constant in memory of their own if one stands for all; free(*own). */
static float *items_of(const struct tensor *tensor, int64_t count, float **own)
{
    *own = NULL;
    if (shape_volume(&tensor->shape) == count)
        return tensor->data;
    *own = malloc((size_t)count * sizeof **own);
    if (*own)
        repeat(*own, *(const float *)tensor->data, count);
    return *own;
}

bool making_pack(struct making *m, int name, const struct value *value, const struct md *from,
                 const struct md *to)
{
    const struct tensor *tensor = plan_constant(m->planner, value);
    struct argument packed = {.name = name, .origin = ORIGIN_PLAN, .md = *to};
    float *own;
    float *items = items_of(tensor, shape_volume(value->shape), &own);

    if (items)
        packed.data = work_pack(m->planner, m->work, items, from, to);
    free(own);
    if (!packed.data)
        return false;
    plan_release(m->planner, value);
    return work_add(m->work, &packed);
}

bool making_bias(struct making *m, const struct value *value, int64_t count, const struct md *md)
{
    const struct tensor *tensor = plan_constant(m->planner, value);
    const float *items = tensor->data;
    float *memory = plan_memory(m->planner, (size_t)count * sizeof *memory);
    bool one = shape_volume(&tensor->shape) == 1;

    if (!memory)
        return false;
    for (int64_t i = 0; i < count; i++)
        memory[i] = items[one ? 0 : i];
    return work_add(m->work,
                    &(struct argument){
                        .name = DNNL_ARG_BIAS, .origin = ORIGIN_PLAN, .data = memory, .md = *md});
}

dnnl_primitive_attr_t making_attributes(struct making *m, int operands)
{
    struct fusion fusion = {.planner = m->planner,
                            .task = m->task,
                            .work = m->work,
                            .output = &m->on.output,
                            .operands = operands};

    return fused_attributes(&fusion);
}

int64_t padding_after(const struct window_dim *dim, int64_t small, int64_t large)
{
    int64_t end = (small - 1) * dim->stride + (dim->size - 1) * dim->dilation + 1 - dim->before;

    return end > large ? end - large : 0;
}

bool making_input_output(struct making *m)
{
    return work_add(m->work, &(struct argument){.name = DNNL_ARG_SRC, .md = m->on.input}) &&
           work_add(m->work, &(struct argument){.name = DNNL_ARG_DST,
                                                .origin = ORIGIN_RESULT,
                                                .md = m->on.output});
}

bool making_end(struct making *m, bool ok)
{
    work_set_threads(m->threads_before);
    md_drop(&m->on.input);
    md_drop(&m->on.weights);
    md_drop(&m->on.bias);
    md_drop(&m->on.output);
    if (!ok)
        work_drop(m->work);
    return ok;
}
