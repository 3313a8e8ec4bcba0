/*
 * op_attr.h - attributes between data of the language and the struct of an operator's family
 */
#ifndef NNEFC_OP_OP_ATTR_H
#define NNEFC_OP_OP_ATTR_H

#include "op/op_build.h"

/*
 * Decode the arguments of infer->call into a new struct at infer->attrs, by the operator's table,
 * or copy the struct that it brings.  Attributes that are not given stay zero.  Reports every item
 * below its minimum and every unknown name; returns false if there was any.
 */
bool attrs_decode(struct infer *infer);

/* Can this attribute have the value that a struct `attrs` of the operator's family holds? */
bool attr_valid(const struct op_attr *attr, const void *attrs);

/*
 * Of two structs of one operator, bit by bit: 0 is not -0.  False for all custom operations with
 * attributes.  Nodes for which it is true have the same hash.
 */
bool attrs_equal(const struct op_desc *op, const void *a, const void *b);
uint64_t attrs_hash(const struct node *node);

#endif
