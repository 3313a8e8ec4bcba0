/*
 * identity_math.c - elementwise operations that give back an operand
 *
 * For every item there may be: x * 1, x / 1, x - 0 and neg(neg(x)) are x even if that is infinite,
 * no number, or a negative zero; x + 0 is not for a negative zero.
 */
#include "pass/identity.h"

#include <assert.h>
#include <math.h>

enum { X, Y, Z };

static struct value *operand(const struct node_result *r, uint32_t index)
{
    assert(index < r->node->nin);
    return r->node->in[index].value;
}

/* The operand beside one whose items are all this number. */
static struct value *beside(const struct node_result *r, double number)
{
    if (value_is_all(operand(r, Y), number))
        return operand(r, X);
    return value_is_all(operand(r, X), number) ? operand(r, Y) : NULL;
}

/* --- arithmetic ----------------------------------------------------------------------------- */

/* x + -0 is x, and x + 0 but for a negative zero. */
struct value *same_as_sum(const struct node_result *r)
{
    struct value *x = beside(r, 0);
    const struct tensor *zeros = x ? value_items(operand(r, x == operand(r, X) ? Y : X)) : NULL;
    bool exact = true;

    for (int64_t i = 0, volume = zeros ? shape_volume(&zeros->shape) : 0; i < volume; i++)
        exact = exact && signbit(tensor_item(zeros, i));
    return x && (exact || zero_may_be_negative(r, x)) ? x : NULL;
}

/* x - 0 is x, and x - -0 but for a negative zero. */
struct value *same_as_difference(const struct node_result *r)
{
    struct value *x = operand(r, X), *y = operand(r, Y);

    if (!value_is_all(y, 0))
        return NULL;
    return !range_of_items(y).negative_zero || zero_may_be_negative(r, x) ? x : NULL;
}

struct value *same_as_product(const struct node_result *r)
{
    return beside(r, 1);
}

/* div, pow and prelu by 1 */
struct value *same_as_quotient(const struct node_result *r)
{
    return value_is_all(operand(r, Y), 1) ? operand(r, X) : NULL;
}

struct value *same_as_leaky(const struct node_result *r)
{
    double alpha = attr_alpha(r->node);

    return alpha <= 1 && alpha >= 1 ? operand(r, X) : NULL;
}

/* --- bounds --------------------------------------------------------------------------------- */

/* The range of a bound; false if it is not known, or no number. */
static bool bound_of(const struct value *value, struct range *bound)
{
    if (!value_items(value))
        return false;
    *bound = range_of_items(value);
    return !bound->nan;
}

/* Is the greater one of x and a bound, or the lesser one, the same as x?  NaN is NaN in any case.
 */
static bool stays_above(const struct value *x, const struct range *low)
{
    return range_of(x).low >= low->high;
}

static bool stays_below(const struct value *x, const struct range *high)
{
    return range_of(x).high <= high->low;
}

/* May y stand for max(x, y) or min(x, y) of a bound x, of which it is on the right side?  Of two
 * zeros the result is the one of the bound. */
static bool zeros_agree(const struct node_result *r, const struct value *y,
                        const struct range *bound)
{
    return bound->low > 0 || bound->high < 0 ||
           (!bound->negative_zero && zero_may_be_negative(r, y));
}

/* max and min */
struct value *same_as_extremum(const struct node_result *r)
{
    struct value *x = operand(r, X), *y = operand(r, Y);
    bool (*stays)(const struct value *, const struct range *) =
        is_op(r->node, OP_max) ? stays_above : stays_below;
    struct range bound;

    if (x == y || (bound_of(y, &bound) && stays(x, &bound)))
        return x;
    return bound_of(x, &bound) && stays(y, &bound) && zeros_agree(r, y, &bound) ? y : NULL;
}

struct value *same_as_clamped(const struct node_result *r)
{
    struct value *x = operand(r, X);
    struct range low, high;

    return bound_of(operand(r, Y), &low) && bound_of(operand(r, Z), &high) &&
                   stays_below(x, &high) && stays_above(x, &low)
               ? x
               : NULL;
}

struct value *same_as_relu(const struct node_result *r)
{
    const struct range zero = {0, 0, false, false};

    return stays_above(operand(r, X), &zero) ? operand(r, X) : NULL;
}

struct value *same_as_magnitude(const struct node_result *r)
{
    struct value *x = operand(r, X);

    return range_of(x).low >= 0 && zero_may_be_negative(r, x) ? x : NULL;
}

/* --- what was done before ------------------------------------------------------------------- */

/* floor and ceil keep the sign of a zero, round() does not. */
struct value *same_as_rounded(const struct node_result *r)
{
    struct value *x = operand(r, X);
    bool keeps_sign = !is_op(r->node, OP_round);

    return is_whole(x) && (keeps_sign || zero_may_be_negative(r, x)) ? x : NULL;
}

struct value *same_as_sign(const struct node_result *r)
{
    return made_by(operand(r, X), OP_sign) ? operand(r, X) : NULL;
}

/* neg(neg(x)), not(not(x)) */
struct value *same_as_negated_twice(const struct node_result *r)
{
    const struct node *inner = made_by(operand(r, X), r->node->op->id);

    return inner ? inner->in[X].value : NULL;
}

/* --- choices -------------------------------------------------------------------------------- */

struct value *same_as_choice(const struct node_result *r)
{
    const struct value *condition = operand(r, X);

    if (operand(r, Y) == operand(r, Z) || value_is_all(condition, 1))
        return operand(r, Y);
    return value_is_all(condition, 0) ? operand(r, Z) : NULL;
}

/* x and true; x and x */
struct value *same_as_both(const struct node_result *r)
{
    return operand(r, X) == operand(r, Y) ? operand(r, X) : beside(r, 1);
}

/* x or false; x or x */
struct value *same_as_either(const struct node_result *r)
{
    return operand(r, X) == operand(r, Y) ? operand(r, X) : beside(r, 0);
}
