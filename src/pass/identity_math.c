/*
 * identity_math.c - elementwise operations that give back an operand
 *
 * For every item there may be: x * 1, x / 1, x - 0 and neg(neg(x)) are x even if that is infinite,
 * no number, or a negative zero; x + 0 is not for a negative zero, and max(x, 0) not for what is no
 * number.
 */
#include "pass/identity.h"

#include <assert.h>
#include <math.h>

enum { X, Y, Z };

static struct value *operand(const struct node *node, uint32_t index)
{
    assert(index < node->nin);
    return node->in[index].value;
}

/* The operand beside one whose items are all this number. */
static struct value *beside(const struct node *node, double number)
{
    if (value_is_all(operand(node, Y), number))
        return operand(node, X);
    return value_is_all(operand(node, X), number) ? operand(node, Y) : NULL;
}

/* --- arithmetic ----------------------------------------------------------------------------- */

static bool all_negative(const struct value *zeros)
{
    const struct tensor *items = value_items(zeros);

    for (int64_t i = 0, volume = shape_volume(&items->shape); i < volume; i++)
        if (!signbit(tensor_item(items, i)))
            return false;
    return true;
}

struct value *same_as_sum(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = beside(node, 0);

    (void)port;
    if (!x)
        return NULL;
    bool exact = all_negative(operand(node, x == operand(node, X) ? Y : X));
    return exact || zero_may_be_negative(pass, node, x) ? x : NULL;
}

struct value *same_as_difference(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = operand(node, X), *y = operand(node, Y);

    (void)port;
    if (!value_is_all(y, 0))
        return NULL;
    return !range_of_items(y).negative_zero || zero_may_be_negative(pass, node, x) ? x : NULL;
}

struct value *same_as_product(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass, (void)port;
    return beside(node, 1);
}

struct value *same_as_quotient(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass, (void)port;
    return value_is_all(operand(node, Y), 1) ? operand(node, X) : NULL;
}

struct value *same_as_power(const struct pass *pass, const struct node *node, uint32_t port)
{
    return same_as_quotient(pass, node, port);
}

struct value *same_as_prelu(const struct pass *pass, const struct node *node, uint32_t port)
{
    return same_as_quotient(pass, node, port);
}

struct value *same_as_leaky(const struct pass *pass, const struct node *node, uint32_t port)
{
    double alpha = attr_alpha(node);

    (void)pass, (void)port;
    return alpha <= 1 && alpha >= 1 ? operand(node, X) : NULL;
}

/* --- bounds --------------------------------------------------------------------------------- */

/* Bounds that are known. */
static bool bound_of(const struct value *value, struct range *bound)
{
    if (!value_items(value))
        return false;
    *bound = range_of_items(value);
    return !bound->nan;
}

/* Is x > low ? x : low the same as x?  Of two zeros it is the one of the bound. */
static bool stays_above(const struct pass *pass, const struct node *node, const struct value *x,
                        const struct range *low)
{
    struct range range = range_of(x);

    if (range.nan || range.low < low->high)
        return false;
    return range.low > low->high || low->high < 0 || low->high > 0 ||
           (!low->negative_zero && zero_may_be_negative(pass, node, x));
}

/* Is x < high ? x : high the same as x? */
static bool stays_below(const struct value *x, const struct range *high)
{
    struct range range = range_of(x);

    return !range.nan && range.high <= high->low &&
           (range.high < high->low || high->low < 0 || high->low > 0);
}

/* x > y ? x : y; what is no number stays where it stands second. */
struct value *same_as_greatest(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = operand(node, X), *y = operand(node, Y);
    struct range bound;

    (void)port;
    if (x == y || (bound_of(y, &bound) && stays_above(pass, node, x, &bound)))
        return x;
    return bound_of(x, &bound) && range_of(y).low >= bound.high ? y : NULL;
}

struct value *same_as_least(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = operand(node, X), *y = operand(node, Y);
    struct range bound;

    (void)pass, (void)port;
    if (x == y || (bound_of(y, &bound) && stays_below(x, &bound)))
        return x;
    return bound_of(x, &bound) && range_of(y).high <= bound.low ? y : NULL;
}

struct value *same_as_clamped(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = operand(node, X);
    struct range low, high;

    (void)port;
    return bound_of(operand(node, Y), &low) && bound_of(operand(node, Z), &high) &&
                   stays_below(x, &high) && stays_above(pass, node, x, &low)
               ? x
               : NULL;
}

struct value *same_as_relu(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct range zero = {0, 0, false, false};

    (void)port;
    return stays_above(pass, node, operand(node, X), &zero) ? operand(node, X) : NULL;
}

struct value *same_as_magnitude(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = operand(node, X);

    (void)port;
    return range_of(x).low >= 0 && zero_may_be_negative(pass, node, x) ? x : NULL;
}

/* --- what was done before ------------------------------------------------------------------- */

/* floor and ceil keep the sign of a zero, round() does not. */
struct value *same_as_rounded(const struct pass *pass, const struct node *node, uint32_t port)
{
    struct value *x = operand(node, X);

    (void)port;
    return is_whole(x) && (!is_op(node, OP_round) || zero_may_be_negative(pass, node, x)) ? x
                                                                                          : NULL;
}

struct value *same_as_sign(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass, (void)port;
    return made_by(operand(node, X), OP_sign) ? operand(node, X) : NULL;
}

/* neg(neg(x)), not(not(x)) */
struct value *same_as_negated_twice(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct value *x = operand(node, X);

    (void)pass, (void)port;
    return x->kind == VALUE_RESULT && x->producer->op == node->op ? operand(x->producer, X) : NULL;
}

/* --- choices -------------------------------------------------------------------------------- */

struct value *same_as_choice(const struct pass *pass, const struct node *node, uint32_t port)
{
    const struct value *condition = operand(node, X);

    (void)pass, (void)port;
    if (operand(node, Y) == operand(node, Z) || value_is_all(condition, 1))
        return operand(node, Y);
    return value_is_all(condition, 0) ? operand(node, Z) : NULL;
}

struct value *same_as_both(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass, (void)port;
    return operand(node, X) == operand(node, Y) ? operand(node, X) : beside(node, 1);
}

struct value *same_as_either(const struct pass *pass, const struct node *node, uint32_t port)
{
    (void)pass, (void)port;
    return operand(node, X) == operand(node, Y) ? operand(node, X) : beside(node, 0);
}
