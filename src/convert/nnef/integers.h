/* integers.h - operations on integers, written by those on scalars */
#ifndef NNEFC_CONVERT_NNEF_INTEGERS_H
#define NNEFC_CONVERT_NNEF_INTEGERS_H

#include "ir/graph.h"

#include <stdbool.h>

/*
 * Replace each operation on integers (op/integer.c) that may not stay by operations of NNEF, which
 * give the same integers for all that the operands can be.  False, with a report of the first one
 * for which that is not known, when the graph is not to be used.
 */
bool integers_as_scalars(struct graph *graph,
                         bool (*may_stay)(const void *data, const struct op_desc *op),
                         const void *data);

#endif
