/*
 * order.h - orders of dimensions: what transposes change (section 4.5.2)
 *
 * Dimension i of the result is dimension order.item[i] of the operand.
 */
#ifndef NNEFC_PASS_ORDER_H
#define NNEFC_PASS_ORDER_H

#include "pass/attributes.h"

/* The order of a transpose of known rank, with all dimensions: those that its axes leave out stay
 * where they are. */
struct dim_list order_of(const struct node *transpose);

/* The order of the transpose that undoes one by `order`. */
struct dim_list order_inverse(const struct dim_list *order);

/* The order of one transpose instead of one by `first` and then one by `second`. */
struct dim_list order_chain(const struct dim_list *first, const struct dim_list *second);

bool order_is_plain(const struct dim_list *order); /* every dimension stays where it is */
bool order_equal(const struct dim_list *a, const struct dim_list *b);

/* Do the dimensions of the result but for those of the list stand in the order of the operand? */
bool order_keeps_rest(const struct dim_list *order, const struct dim_list *without);

/* Do all items of a tensor of that shape stay in their row-major order? */
bool order_moves_nothing(const struct dim_list *order, const struct shape *shape);

/* The shape of the result of a transpose of a tensor of that shape. */
struct shape order_apply(const struct dim_list *order, const struct shape *shape);

/* A transpose, or the value itself where there is nothing to be done; NULL after a report. */
struct value *pass_transpose(struct pass *pass, struct value *value, const struct dim_list *order);

#endif
