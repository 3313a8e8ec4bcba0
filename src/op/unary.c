/*
 * unary.c - elementwise operations on one operand (NNEF 1.0.5, sections 4.2.1 and 4.2.4)
 *
 *     y[i] = f(x[i])
 *
 * Outside of its domain a function gives what IEEE 754 prescribes; the standard leaves it open.
 */
#include "op/broadcast.h"

#include "base/num.h"

#include <math.h>

DESCRIPTOR(copy, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT | OP_MOVES, .provisional = "idn",
           .infer = infer_same, .eval = eval_copy);

#define POSITIVE OP_RANGE(0, HUGE_VAL, true, false)

/* Section 4.2.1: arithmetic. */
UNARY(neg, -x, 0, NULL);
UNARY(rcp, 1 / x, 0, NULL);
UNARY(exp, exp(x), OP_ZEROS_ALIKE, POSITIVE);
UNARY(log, log(x), 0, NULL);
UNARY(sin, sin(x), 0, NULL);
UNARY(cos, cos(x), OP_ZEROS_ALIKE, NULL);
UNARY(tan, tan(x), 0, NULL);
UNARY(sinh, sinh(x), 0, NULL);
UNARY(cosh, cosh(x), 0, NULL);
UNARY(tanh, tanh(x), 0, NULL);
UNARY(asin, asin(x), 0, NULL);
UNARY(acos, acos(x), 0, NULL);
UNARY(atan, atan(x), 0, NULL);
UNARY(asinh, asinh(x), 0, NULL);
UNARY(acosh, acosh(x), 0, NULL);
UNARY(atanh, atanh(x), 0, NULL);
UNARY(abs, fabs(x), OP_ZEROS_ALIKE, POSITIVE);
UNARY(sign, isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : 0, OP_WHOLE, OP_RANGE(-1, 1, true, false));
UNARY(not, x == 0, 0, NULL);

/* Rounding; 'round' takes halves up. */
UNARY(floor, floor(x), OP_WHOLE, NULL);
UNARY(ceil, ceil(x), OP_WHOLE, NULL);
UNARY(round, num_round(x), OP_WHOLE, OP_RANGE(-HUGE_VAL, HUGE_VAL, true, false));

/* Section 4.2.4: powers, which the standard defines by pow().  At infinity and at the negative zero
 * pow() differs from sqrt(). */
UNARY(sqr, x *x, OP_ZEROS_ALIKE, POSITIVE);
UNARY(sqrt, pow(x, 0.5), 0, POSITIVE);
UNARY(rsqr, pow(x, -2), 0, NULL);
UNARY(rsqrt, pow(x, -0.5), 0, NULL);
UNARY(log2, log2(x), 0, NULL);

/* An extension (nnefc-ext.nnef). */
UNARY(erf, erf(x), 0, NULL);
