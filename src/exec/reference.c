/*
 * reference.c - steps of reference kernels, in plain layout: for nodes that the backend does not
 * take, and for plans of the reference
 */
#include "base/arena.h"
#include "diag/diag.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

static struct tensor tensor_of(const struct value *value, void *data)
{
    return (struct tensor){.shape = *value->shape, .dtype = value->dtype, .data = data};
}

static bool run_reference(const struct step *step, const struct step_frame *frame)
{
    const struct node *node = step->nodes[0];

    /* The scratch memory holds a tensor for each operand and result, and the lists of them. */
    struct tensor *tensor = frame->scratch;
    struct tensor **list = (struct tensor **)(void *)(tensor + node->nin + node->nout);
    struct eval eval = {.node = node,
                        .attrs = node->attrs,
                        .in = (const struct tensor **)(void *)list,
                        .out = list + node->nin,
                        .diag = frame->diag,
                        .team = frame->team,
                        .seed = frame->seed,
                        .cycle = frame->cycle};

    for (uint32_t i = 0; i < node->nin; i++, tensor++) {
        *tensor = tensor_of(node->in[i].value, frame->data[step->in[i]]);
        list[i] = tensor;
    }
    for (uint32_t i = 0; i < node->nout; i++, tensor++) {
        *tensor = tensor_of(&node->out[i], step_out(step, frame, (int)i));
        if (!frame->zeroed)
            memset(tensor->data, 0, tensor_bytes(tensor));
        list[node->nin + i] = tensor;
    }
    return node->op->eval(&eval);
}

static const struct kernel reference = {.name = "reference", .run = run_reference};

bool reference_make(struct planner *planner, struct step *step)
{
    const struct node *node = step->nodes[0];
    bool ok = true;

    assert(step->count == 1 && node->op->eval);
    step->kernel = &reference;
    step->backend = reference.name;
    step->scratch =
        ((size_t)node->nin + node->nout) * (sizeof(struct tensor) + sizeof(struct tensor *));
    struct step *behind = arena_array_of(planner->scratch, struct step, (size_t)node->nout + 1);
    for (uint32_t i = 0; i < node->nin && ok; i++)
        ok = plan_read_wide(planner, step, node->in[i].value);
    for (uint32_t i = 0; i < node->nout && ok; i++)
        ok = plan_write_wide(planner, step, &node->out[i], &behind[i]);
    if (ok)
        add_step(planner, step);
    for (uint32_t i = 0; i < node->nout && ok; i++)
        if (behind[i].kernel)
            add_step(planner, &behind[i]);
    return ok;
}
