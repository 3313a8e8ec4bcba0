/* plan_print.c - a plan as text: what each step reads, computes and writes, and where that lies */
#include "base/num.h"
#include "base/text.h"
#include "exec/planner.h"
#include "kernel/kernels.h"
#include "op/convolve.h"

#include <inttypes.h>
#include <math.h>

const char *step_kind(const struct step *step)
{
    const struct node *node = step->count > 0 ? step->nodes[0] : NULL;

    if (!node)
        return "reorder";
    if (is_op(node, OP_conv)) {
        /* depthwise: one group for each of several channels of the input */
        const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
        int64_t channels = shape_extent(in, 1);
        if (channels > 1 &&
            conv_groups(in, node->in[CONV_FILTER].value->shape, out, false) == channels)
            return "depthwise";
    }
    if (node->op->kind)
        return node->op->kind;
    return node->op->traits & OP_ELEMENTWISE ? "items" : node->op->name;
}

static const char *name_of(const struct buffer *buffer, char text[VALUE_TEXT_SIZE])
{
    return buffer->value ? value_text(buffer->value, text) : "-";
}

static void print_place(const struct plan *plan, const struct buffer *buffer, struct text *to)
{
    char name[VALUE_TEXT_SIZE];

    switch (buffer->place) {
    case PLACE_ARENA:
        if (buffer->swaps)
            text_add(to, "memory that a variable takes");
        else
            text_add(to, "arena at %zu", buffer->offset);
        if (buffer->whole != STEP_NONE)
            text_add(to, ", part of %s", name_of(&plan->buffers[buffer->whole], name));
        break;
    case PLACE_INPUT:
        text_add(to, "parameter '%s'", plan->graph->inputs[buffer->index].name);
        break;
    case PLACE_VARIABLE:
        text_add(to, "variable");
        break;
    case PLACE_CONSTANT:
        text_add(to, "constant");
        break;
    case PLACE_HEAP:
        text_add(to, "memory of its own");
        break;
    }
    text_add(to, ", %zu bytes\n", buffer->size);
}

static void print_buffer(const struct plan *plan, const char *what, int index, struct text *to)
{
    const struct buffer *buffer = &plan->buffers[index];
    char name[VALUE_TEXT_SIZE];

    text_add(to, "    %s %s: ", what, name_of(buffer, name));
    if (buffer->value)
        text_add(to, "%s%s, ", dtype_name((enum dtype)buffer->value->dtype),
                 SHAPE_TEXT(buffer->value->shape));
    print_place(plan, buffer, to);
}

static void print_step(const struct plan *plan, int at, struct text *to)
{
    const struct step *step = &plan->steps[at];
    char name[VALUE_TEXT_SIZE];

    text_add(to, "\n%d %s = ", at, name_of(&plan->buffers[step->out[0]], name));
    for (int i = 0; i < step->count; i++)
        text_add(to, "%s%s", i > 0 ? " + " : "", step->nodes[i]->op->name);
    if (step->count == 0)
        text_add(to, "%s", step_kind(step));
    text_add(to, "\n    by %s, %s, %s; packed %zu bytes, scratch %zu bytes\n", step->backend,
             step->kernel->name, layout_name(step->layout), step->packed, step->scratch);
    for (int i = 0; i < step->nin; i++)
        print_buffer(plan, "in", step->in[i], to);
    for (int i = 0; i < step->nout; i++)
        print_buffer(plan, "out", step->out[i], to);
}

struct plan_layers plan_layers(const struct plan *plan)
{
    struct plan_layers layers = {0};

    for (const struct node *n = plan->graph->first; n; n = n->next) {
        bool integers = n->out[0].dtype == DTYPE_INTEGER;
        if (!(n->op->traits & OP_PRODUCTS))
            continue;
        layers.count++;
        layers.macs = num_add_most(layers.macs, n->work);
        layers.integers += integers;
        layers.integer_macs = num_add_most(layers.integer_macs, integers ? n->work : 0);
    }
    return layers;
}

void plan_print(const struct plan *plan, struct text *to)
{
    const struct plan_layers layers = plan_layers(plan);

    text_add(to, "plan of graph %s\n", plan->graph->name);
    text_add(to, "backend %s, kernels %s, threads %d%s\n",
             plan_is_reference(plan) ? "reference" : plan->backend->name, plan->kernels->name,
             plan->threads, plan->exact ? ", exact" : "");
    text_add(to, "steps %d, arena %zu bytes, scratch %zu bytes, packed %zu bytes\n", plan->nstep,
             plan->tensors, plan->scratch, plan->packed);
    if (layers.integers > 0)
        text_add(to, "integers: %d of %d layers, %.1f%% of MACs\n", layers.integers, layers.count,
                 100 * (double)layers.integer_macs / fmax((double)layers.macs, 1));
    for (int i = 0; i < plan->nstep; i++)
        print_step(plan, i, to);
    text_add(to, "\n");
    for (int i = 0; i < plan->graph->noutput; i++) {
        const struct port *port = &plan->graph->outputs[i];
        text_add(to, "result %s: %s%s, ", port->name, dtype_name((enum dtype)port->value->dtype),
                 SHAPE_TEXT(port->value->shape));
        print_place(plan, &plan->buffers[plan->shown[port->value->id]], to);
    }
}
