/* strides.c - see lie.h */
#include "exec/strides.h"

#include "exec/move.h"

struct lie lie_in_order(const struct shape *shape, enum layout layout)
{
    struct lie lie = {0};

    move_strides(shape, layout, lie.stride);
    return lie;
}

bool lie_is_in_order(const struct lie *lie, const struct shape *shape, enum layout layout)
{
    const struct lie order = lie_in_order(shape, layout);

    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] > 1 && lie->stride[i] != order.stride[i])
            return false;
    return true;
}
