/* identity.h - which operand a result is the same as; one rule per operation */
#ifndef NNEFC_PASS_IDENTITY_H
#define NNEFC_PASS_IDENTITY_H

#include "pass/edit.h"

/* The value that result `port` of the node equals item by item, NULL if there is none.  Types and
 * shapes are for the caller to compare, see value_may_replace(). */
typedef struct value *identity_rule(const struct pass *pass, const struct node *node,
                                    uint32_t port);

/* identity_math.c: elementwise operations */
identity_rule same_as_sum, same_as_difference, same_as_product, same_as_quotient, same_as_power,
    same_as_least, same_as_greatest, same_as_clamped, same_as_relu, same_as_magnitude, same_as_sign,
    same_as_rounded, same_as_negated_twice, same_as_choice, same_as_both, same_as_either,
    same_as_leaky, same_as_prelu;

/* identity_shape.c: items that are moved */
identity_rule same_as_operand, same_as_reshaped, same_as_transposed, same_as_section,
    same_as_padded, same_as_joined, same_as_part, same_as_gathered;

/* identity_window.c: windows of one item, factors and lanes of 1 */
identity_rule same_as_window_sum, same_as_window_maximum, same_as_mean, same_as_extreme;

/*
 * May `kept` stand for result 0 of the node, which differs from it in that a zero there is never
 * negative?  If `kept` has no such zeros, or nothing that depends on the result can tell.
 */
bool zero_may_be_negative(const struct pass *pass, const struct node *node,
                          const struct value *kept);

/* --- ranges (range.c) --------------------------------------------------------------------- */

/* Of a scalar value; looks no further than to the operands of its operation. */
struct range range_of(const struct value *value);

/* Of items that are known: the least and the greatest; NaN if any is that. */
struct range range_of_items(const struct value *value);

/* Are they whole numbers, infinite, or NaN? */
bool is_whole(const struct value *value);

/* --- zeros (identity_zero.c) --------------------------------------------------------------- */

struct identities {
    bool *told; /* by value id: a result depends on whether a zero there is negative */
    const struct value *refused; /* what cannot stand for a result just because of that */
};

/* identity_zero.c */
void zeros_begin(struct pass *pass, struct identities *identities);

#endif
