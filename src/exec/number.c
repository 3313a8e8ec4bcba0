/* number.c - values of numbers, and constants among them; plugins have this file, too */
#include "exec/backend.h"
#include "tensor/tensor.h"

bool plan_number(const struct planner *planner, const struct value *value, double *number)
{
    const struct tensor *tensor = plan_constant(planner, value);

    if (!tensor || tensor->dtype != DTYPE_SCALAR || shape_volume(&tensor->shape) != 1)
        return false;
    *number = (double)*(const float *)tensor->data;
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
