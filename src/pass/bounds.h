/*
 * bounds.h - the integers that the values of a graph can hold
 *
 * Bounds follow from what computes a value: one pass over the nodes, each of which looks at its
 * operands only.
 */
#ifndef NNEFC_PASS_BOUNDS_H
#define NNEFC_PASS_BOUNDS_H

#include "ir/graph.h"
#include "op/op.h"

#include <stdbool.h>
#include <stdint.h>

struct interval {
    int64_t low, high; /* both included; low <= high */
};

/* Is it one of those of op/integer.c? */
bool is_integer_operation(const struct op_desc *op);

/* What an operation on scalars is on integers, and the other way round; OP_COUNT: there is none. */
enum op_id integer_form(enum op_id op);
enum op_id scalar_form(enum op_id op);

/*
 * For each value, by id, an interval that has its items, whatever the inputs are.  Among scalars,
 * one that is no number counts as 0, and one beyond 64 bits as the extreme.  An integer of 64 bits
 * without a sign is looked at as it is stored.  Time, and memory of the arena, are linear in the
 * nodes and the items of constants.  If `open`, extents may be others than those of the graph.
 */
const struct interval *bounds_of_values(const struct graph *graph, bool open);

/* Of the items of a tensor of integers; without items, all integers. */
struct interval bounds_of_items(const struct tensor *tensor);

/* Of an operation on integers: all that its width can hold; the item all of whose bits are 1; and
 * its operand `index`, of that width if nothing else is known of it (stdlib/nnefc-ext.nnef). */
struct interval bounds_of_width(const struct node *node);
int64_t bounds_of_ones(const struct node *node);
struct interval bounds_of_operand(const struct interval *bounds, const struct node *node,
                                  uint32_t index);

/*
 * What an operation on integers computes before it wraps, partial sums included.  False: that is
 * not known, or beyond 64 bits.
 */
bool bounds_before_wrap(const struct interval *bounds, const struct node *node,
                        struct interval *result);

/* Is that so many sums of the operands' bounds as extents say? */
bool bounds_go_by_extents(const struct op_desc *op);

/* Has the operation 64 bits without a sign, makes it a difference, and may an operand be negative
 * as it is stored? */
bool bounds_mistake_sign(const struct interval *bounds, const struct node *node);

static inline bool interval_has(struct interval outer, struct interval inner)
{
    return inner.low >= outer.low && inner.high <= outer.high;
}

#endif
