/*
 * reference.c - steps of reference kernels, in plain layout: for what the backend does not take,
 * and for plans of the reference
 */
#include "diag/diag.h"
#include "exec/planner.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <string.h>

/* The tensors that a kernel sees, in the scratch memory. */
struct reference_tensors {
    struct tensor *tensor;
    const struct tensor **in;
    struct tensor **out;
};

static size_t reference_scratch(const struct node *node)
{
    return ((size_t)node->nin + node->nout) * (sizeof(struct tensor) + sizeof(struct tensor *));
}

static struct tensor tensor_of(const struct value *value, void *data)
{
    return (struct tensor){.shape = *value->shape, .dtype = value->dtype, .data = data};
}

static struct reference_tensors bind(const struct step *step, const struct step_frame *frame)
{
    const struct node *node = step->nodes[0];
    size_t tensors = (size_t)node->nin + node->nout;
    struct tensor *tensor = frame->scratch;
    struct tensor **list = (struct tensor **)(void *)(tensor + tensors);
    struct reference_tensors seen = {tensor, (const struct tensor **)(void *)list,
                                     list + node->nin};

    for (uint32_t i = 0; i < node->nin; i++) {
        tensor[i] = tensor_of(node->in[i].value, frame->data[step->in[i]]);
        seen.in[i] = &tensor[i];
    }
    for (uint32_t i = 0; i < node->nout; i++) {
        struct tensor *out = &tensor[node->nin + i];
        *out = tensor_of(&node->out[i], step_out(step, frame, (int)i));
        if (!frame->zeroed)
            memset(out->data, 0, tensor_bytes(out));
        seen.out[i] = out;
    }
    return seen;
}

static bool run_reference(const struct step *step, const struct step_frame *frame)
{
    const struct node *node = step->nodes[0];
    struct reference_tensors seen = bind(step, frame);
    struct eval eval = {.node = node,
                        .attrs = node->attrs,
                        .in = seen.in,
                        .out = seen.out,
                        .diag = frame->diag,
                        .team = frame->team};

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
    step->scratch = reference_scratch(node);
    for (uint32_t i = 0; i < node->nin && ok; i++)
        ok = plan_read(planner, step, node->in[i].value, LAYOUT_PLAIN);
    for (uint32_t i = 0; i < node->nout && ok; i++)
        ok = plan_write(planner, step, &node->out[i]);
    if (ok)
        add_step(planner, step);
    return ok;
}
