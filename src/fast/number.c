/* number.c - constants that are one number; plugins have this file, too */
#include "fast/backend.h"
#include "tensor/tensor.h"

bool plan_number(const struct planner *planner, const struct value *value, double *number)
{
    const struct tensor *tensor = plan_constant(planner, value);

    if (!tensor || tensor->dtype != DTYPE_SCALAR || shape_volume(&tensor->shape) != 1)
        return false;
    *number = (double)*(const float *)tensor->data;
    return true;
}
