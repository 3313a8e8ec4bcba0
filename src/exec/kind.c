/* kind.c - what sort of work a step is; see kind.h */
#include "exec/kind.h"

#include "exec/step.h"
#include "op/convolve.h"
#include "op/op.h"

/* A channel of the result for each one of the input, of which there are several. */
static bool is_depthwise_node(const struct node *node)
{
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    int64_t channels = shape_extent(in, 1);

    return channels > 1 &&
           conv_groups(in, node->in[CONV_FILTER].value->shape, out, false) == channels;
}

const char *step_kind(const struct step *step)
{
    const struct op_desc *op = step->count > 0 ? step->nodes[0]->op : NULL;

    if (!op)
        return "reorder";
    if (op->id == OP_conv && is_depthwise_node(step->nodes[0]))
        return "depthwise";
    if (op->kind)
        return op->kind;
    return op->traits & OP_ELEMENTWISE ? "items" : op->name;
}
