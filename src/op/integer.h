/* integer.h - operations on integers, written in NNEF's own */
#ifndef NNEFC_OP_INTEGER_H
#define NNEFC_OP_INTEGER_H

#include "op/op.h"

/*
 * As op_desc.unroll: the same by operations on scalars, which hold integers below 2^24.  Reports
 * the node if its operands, or its result before it wraps, might be beyond that.
 */
bool integer_unroll(struct graph *graph, struct node *node, struct value **results);

#endif
