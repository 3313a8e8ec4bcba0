/*
 * binary.c - elementwise operations on two operands (NNEF 1.0.5, sections 4.2.2 and 4.2.4)
 *
 *     z[i] = f(x[i], y[i])
 *
 * Truth values are 0 and 1, and what is not 0 is true.
 */
#include "op/broadcast.h"

#include "base/num.h"

#include <math.h>

/* Defines the function of an item and the descriptor of one operator; see UNARY(). */
#define BINARY(operator, formula, more)                                               \
    static double operator##_of(double x, double y)                                   \
    {                                                                                 \
        return (formula);                                                             \
    }                                                                                 \
    DESCRIPTOR(operator,(more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT,         \
               .infer = infer_broadcast, .eval = eval_items, .binary = operator##_of, \
               .expression = #formula)

BINARY(add, x + y, OP_COMMUTATIVE);
BINARY(sub, x - y, 0);
BINARY(mul, x *y, OP_COMMUTATIVE);
BINARY(div, x / y, 0);
BINARY(pow, pow(x, y), 0);

BINARY(lt, x < y, 0);
BINARY(gt, x > y, 0);
BINARY(le, x <= y, 0);
BINARY(ge, x >= y, 0);
BINARY(eq, x == y, OP_COMMUTATIVE);
BINARY(ne, x != y, OP_COMMUTATIVE);

BINARY(and, x != 0 && y != 0, OP_COMMUTATIVE);
BINARY(or, x != 0 || y != 0, OP_COMMUTATIVE);

/* Of zeros with different signs each gives 'x', so neither commutes. */
BINARY(min, num_lesser(x, y), 0);
BINARY(max, num_greater(x, y), 0);
