/* query.c - the questions that makers of steps ask a planner; see backend.h */
#include "exec/planner.h"
#include "op/window.h"
#include "tensor/tensor.h"

bool plan_number(const struct planner *planner, const struct value *value, double *number)
{
    const struct tensor *tensor = plan_constant(planner, value);

    if (!tensor || tensor->dtype != DTYPE_SCALAR || shape_volume(&tensor->shape) != 1)
        return false;
    *number = (double)*(const float *)tensor->data;
    return true;
}

bool plan_integer(const struct planner *planner, const struct value *value, int64_t *number)
{
    const struct tensor *tensor = plan_constant(planner, value);

    if (!tensor || tensor->dtype != DTYPE_INTEGER || shape_volume(&tensor->shape) != 1)
        return false;
    *number = tensor_integer(tensor, 0);
    return true;
}

bool has_numbers(const struct value *value)
{
    return value->dtype == DTYPE_SCALAR && shape_volume(value->shape) > 0;
}

const float *plan_items(const struct planner *planner, const struct value *value)
{
    const struct tensor *tensor = plan_constant(planner, value);
    bool whole =
        tensor && tensor->dtype == DTYPE_SCALAR && shape_equal(&tensor->shape, value->shape);

    return whole ? tensor->data : NULL;
}

bool plan_is_exact(const struct planner *planner, const struct value *result)
{
    bool exact = planner->plan->exact;

    for (const struct use *use = result->uses; use && !exact; use = use->next)
        exact = is_op(use->node, OP_cast) && use->node->out[0].dtype == DTYPE_INTEGER;
    return exact;
}

struct window plan_window(const struct node *node)
{
    bool reverse = is_op(node, OP_deconv);
    const struct shape *out = node->out[0].shape;
    struct window_source source = {.attrs = node->attrs,
                                   .input = node->in[0].value->shape,
                                   .rank = out->rank,
                                   .reverse = reverse};

    if (reverse || is_op(node, OP_conv) || is_op(node, OP_quantized_conv)) {
        source.filter = node->in[1].value->shape;
        source.first = 2;
    }
    return window_of(&source, out);
}
