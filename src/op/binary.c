/*
 * binary.c - elementwise operations on two operands (NNEF 1.0.5, sections 4.2.2 and 4.2.4)
 *
 *     z[i] = f(x[i], y[i])
 *
 * min and max are defined through select, so that a NaN as 'x' gives 'y' and a NaN as 'y' stays.
 */
#include "op/broadcast.h"

#include <math.h>

#define BINARY(operator, function, more)                                            \
    {                                                                               \
        .infer = infer_broadcast, .eval = eval_binary, .binary = function,          \
        OP_SIGNATURE(operator,(more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT) \
    }

static double sum(double x, double y)
{
    return x + y;
}

static double difference(double x, double y)
{
    return x - y;
}

static double product(double x, double y)
{
    return x * y;
}

static double quotient(double x, double y)
{
    return x / y;
}

static double is_less(double x, double y)
{
    return x < y;
}

static double is_greater(double x, double y)
{
    return x > y;
}

static double is_at_most(double x, double y)
{
    return x <= y;
}

static double is_at_least(double x, double y)
{
    return x >= y;
}

static double is_equal(double x, double y)
{
    return x == y;
}

static double is_different(double x, double y)
{
    return x != y;
}

static double both(double x, double y)
{
    return x != 0 && y != 0;
}

static double either(double x, double y)
{
    return x != 0 || y != 0;
}

static double lesser(double x, double y)
{
    return x < y ? x : y;
}

static double greater(double x, double y)
{
    return x > y ? x : y;
}

const struct op_desc op_add = BINARY(add, sum, OP_COMMUTATIVE);
const struct op_desc op_sub = BINARY(sub, difference, 0);
const struct op_desc op_mul = BINARY(mul, product, OP_COMMUTATIVE);
const struct op_desc op_div = BINARY(div, quotient, 0);
const struct op_desc op_pow = BINARY(pow, pow, 0);

const struct op_desc op_lt = BINARY(lt, is_less, 0);
const struct op_desc op_gt = BINARY(gt, is_greater, 0);
const struct op_desc op_le = BINARY(le, is_at_most, 0);
const struct op_desc op_ge = BINARY(ge, is_at_least, 0);
const struct op_desc op_eq = BINARY(eq, is_equal, OP_COMMUTATIVE);
const struct op_desc op_ne = BINARY(ne, is_different, OP_COMMUTATIVE);

const struct op_desc op_and = BINARY(and, both, OP_COMMUTATIVE);
const struct op_desc op_or = BINARY(or, either, OP_COMMUTATIVE);

const struct op_desc op_min = BINARY(min, lesser, 0);
const struct op_desc op_max = BINARY(max, greater, 0);
