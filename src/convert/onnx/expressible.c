/* expressible.c - tensors that cannot be in an ONNX model, whatever computes them */
#include "convert/onnx/expressible.h"

#include "diag/context.h"
#include "diag/diag.h"

static bool has_items(struct diag *diag, const struct value *value)
{
    if (value->dtype != DTYPE_STRING)
        return true;
    return diag_error(diag, value_span(value), DIAG_NOT_IN_ONNX,
                      "'%s' is a tensor of strings, expected scalars, integers or logical values "
                      "in an ONNX model",
                      VALUE_TEXT(value));
}

bool onnx_input_expressible(const struct graph *graph, const struct port *input)
{
    struct diag *diag = graph->context->diag;
    const struct shape *shape = input->value->shape;

    if (shape_known(shape))
        return has_items(diag, input->value);
    diag_error(diag, value_span(input->value), DIAG_NOT_IN_ONNX,
               "the shape %s of parameter '%s' leaves extents open, expected a known shape for "
               "an ONNX model",
               SHAPE_TEXT(shape), input->name);
    diag_help(diag, "give all its extents with '--shape %s=...'.", input->name);
    return false;
}

bool onnx_results_expressible(const struct graph *graph, const struct node *node)
{
    bool ok = true;

    for (uint32_t i = 0; i < node->nout; i++)
        ok &= has_items(graph->context->diag, &node->out[i]);
    return ok;
}

bool onnx_shapes_known(const struct node *node)
{
    bool ok = true;

    for (uint32_t i = 0; i < node->nin; i++)
        ok &= shape_known(node->in[i].value->shape);
    for (uint32_t i = 0; i < node->nout; i++)
        ok &= shape_known(node->out[i].shape);
    return ok;
}
