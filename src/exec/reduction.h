/* reduction.h - a tensor seen as lanes along some of its axes that lie together */
#ifndef NNEFC_EXEC_REDUCTION_H
#define NNEFC_EXEC_REDUCTION_H

#include "exec/layout.h"
#include "op/attr.h"

/* Item [o, k, i] of lane (o, i) is number (o * length + k) * inner + i in memory. */
struct band {
    int64_t outer, length, inner;
};

/* False if they do not lie together in that layout, or if there are no items. */
bool band_of(const struct shape *shape, const struct integers *axes, enum layout layout,
             struct band *band);

#endif
