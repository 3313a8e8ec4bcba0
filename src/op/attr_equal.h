/* attr_equal.h - do two nodes ask for the same? */
#ifndef NNEFC_OP_ATTR_EQUAL_H
#define NNEFC_OP_ATTR_EQUAL_H

#include "op/op.h"

/*
 * Of two structs of one operator, bit by bit: 0 is not -0.  False for all custom operations with
 * attributes.  Nodes for which it is true have the same hash.
 */
bool attrs_equal(const struct op_desc *op, const void *a, const void *b);
uint64_t attrs_hash(const struct node *node);

#endif
