/*
 * unroll.h - operations of NNEF in place of a node, for op_desc.unroll
 *
 * New nodes stand where the node stands in the text.  Each function returns NULL after a report, or
 * if an operand is NULL: only the last result of a composition needs to be looked at.
 */
#ifndef NNEFC_OP_UNROLL_H
#define NNEFC_OP_UNROLL_H

#include "op/op_build.h"

struct unroll {
    struct graph *graph;
    const struct node *node; /* that is unrolled */
};

/* Report that operations of NNEF cannot compute what the node does; `with` says with what, and may
 * be
 * "".  Returns false. */
bool unroll_refuse(const struct unroll *u, const char *with);

/* '?' stands for the type of the first operand of type '?'. */
struct node *unroll_node(const struct unroll *u, struct op_spec spec, struct value *const *in,
                         int count);

/* The first result of such a node; of two operands, and of an operator without attributes. */
struct value *unroll_first(const struct unroll *u, struct op_spec spec, struct value *const *in,
                           int count);
struct value *unroll_pair(const struct unroll *u, struct op_spec spec, struct value *x,
                          struct value *y);
struct value *unroll_plain(const struct unroll *u, enum op_id op, struct value *x, struct value *y);

struct value *unroll_select(const struct unroll *u, struct value *condition, struct value *x,
                            struct value *y);
struct value *unroll_cast(const struct unroll *u, struct value *x, enum dtype dtype);

/* Items begin <= i < end of an axis. */
struct value *unroll_slice(const struct unroll *u, struct value *x, int64_t axis, int64_t begin,
                           int64_t end);

/* An extent of 0 stands for that of x. */
struct value *unroll_reshape(const struct unroll *u, struct value *x, const struct shape *shape);

/* A constant of these items, all scalars or all integers, or of a single one everywhere. */
struct value *unroll_constant(const struct unroll *u, const struct shape *shape,
                              const struct datum *items, int count);
struct value *unroll_filled(const struct unroll *u, const struct shape *shape, double value);

/* x, but a tensor of that shape if it is a number. */
struct value *unroll_spread(const struct unroll *u, struct value *x, const struct shape *shape);

/* A literal. */
struct value *unroll_number(const struct unroll *u, double value);

#endif
