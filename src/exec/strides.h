/* strides.h - how the items of a tensor lie in a buffer, if not simply in the order of its layout */
#ifndef NNEFC_EXEC_STRIDES_H
#define NNEFC_EXEC_STRIDES_H

#include "exec/layout.h"

/* The first item, and the distance of neighbours along each dimension of NNEF, in items. */
struct lie {
    int64_t at, stride[MAX_RANK];
};

struct lie lie_in_order(const struct shape *shape, enum layout layout);
bool lie_is_in_order(const struct lie *lie, const struct shape *shape, enum layout layout);

#endif
