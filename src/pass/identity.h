/* identity.h - which operand a result is the same as; one rule per operation */
#ifndef NNEFC_PASS_IDENTITY_H
#define NNEFC_PASS_IDENTITY_H

#include "pass/edit.h"

/* A result that a rule is asked about: result `port` of the node. */
struct node_result {
    const struct pass *pass;
    const struct node *node;
    uint32_t port;
};

/* The value that the result equals item by item, NULL if there is none.  Types and shapes are for
 * the caller to compare, see value_may_replace(). */
typedef struct value *identity_rule(const struct node_result *r);

/* identity_math.c: elementwise operations */
identity_rule same_as_sum, same_as_difference, same_as_product, same_as_quotient, same_as_extremum,
    same_as_clamped, same_as_relu, same_as_magnitude, same_as_sign, same_as_rounded,
    same_as_negated_twice, same_as_choice, same_as_both, same_as_either, same_as_leaky;

/* identity_shape.c: items that are moved */
identity_rule same_as_operand, same_as_reshaped, same_as_transposed, same_as_section,
    same_as_padded, same_as_joined, same_as_part, same_as_gathered;
bool pads_nothing(const struct pairs *padding);

/* identity_window.c: windows of one item, factors and lanes of 1 */
identity_rule same_as_window_sum, same_as_window_maximum, same_as_mean, same_as_extreme;

/* --- ranges (range.c) --------------------------------------------------------------------- */

/* The range of the items of a scalar value; looks no further than to the operands of its
 * operation. */
struct range range_of(const struct value *value);

/* The least and the greatest of items that are known. */
struct range range_of_items(const struct value *value);

/* Is each item a whole number, infinite, or NaN? */
bool is_whole(const struct value *value);

/* --- zeros (identity_zero.c) --------------------------------------------------------------- */

/* The data of the pass. */
struct identities {
    bool *sign_matters; /* by value id: a result depends on whether a zero there is negative */
    bool known;         /* is that found?  Only if it is asked for. */
    const struct value *refused; /* what cannot stand for a result just because of that */
};

/*
 * May `kept` stand for result 0 of the node, which differs from it in that a zero there is never
 * negative?  It may if `kept` has no such zeros, or if nothing that depends on the result can tell.
 * Else it is noted as refused.
 */
bool zero_may_be_negative(const struct node_result *r, const struct value *kept);

#endif
