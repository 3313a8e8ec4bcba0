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
#include <string.h>

#define UNARY(operator, function) UNARY_WITH(operator, function, 0, .range = NULL)
#define UNARY_WITH(operator, function, more, ...)                                                \
    {                                                                                            \
        .infer = infer_same, .eval = eval_unary, .unary = function,                              \
        OP_SIGNATURE(operator,(more) | OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT), __VA_ARGS__ \
    }
#define POSITIVE .range = OP_RANGE(0, HUGE_VAL, true, false)

static double negate(double x)
{
    return -x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static double invert(double x)
{
    return x == 0;
}

static double square(double x)
{
    return x * x;
}

/* By pow(), whose values at infinity and at the negative zero differ from those of sqrt(). */
static double square_root(double x)
{
    return pow(x, 0.5);
}

static double reciprocal_square(double x)
{
    return pow(x, -2);
}

static double reciprocal_square_root(double x)
{
    return pow(x, -0.5);
}

static bool copy_eval(const struct eval *eval)
{
    size_t size = tensor_bytes(eval->in[0]);

    if (size > 0)
        memcpy(eval->out[0]->data, eval->in[0]->data, size);
    return true;
}

const struct op_desc op_copy = {
    OP_SIGNATURE(copy, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .provisional = "idn",
    .infer = infer_same,
    .eval = copy_eval,
};

const struct op_desc op_not = {
    OP_SIGNATURE(not, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .infer = infer_same,
    .eval = eval_unary,
    .unary = invert,
};

const struct op_desc op_erf = UNARY(erf, erf);
const struct op_desc op_neg = UNARY(neg, negate);
const struct op_desc op_rcp = UNARY(rcp, reciprocal);
const struct op_desc op_exp = UNARY_WITH(exp, exp, OP_ZEROS_ALIKE, POSITIVE);
const struct op_desc op_log = UNARY(log, log);
const struct op_desc op_sin = UNARY(sin, sin);
const struct op_desc op_cos = UNARY_WITH(cos, cos, OP_ZEROS_ALIKE, .range = NULL);
const struct op_desc op_tan = UNARY(tan, tan);
const struct op_desc op_sinh = UNARY(sinh, sinh);
const struct op_desc op_cosh = UNARY(cosh, cosh);
const struct op_desc op_tanh = UNARY(tanh, tanh);
const struct op_desc op_asin = UNARY(asin, asin);
const struct op_desc op_acos = UNARY(acos, acos);
const struct op_desc op_atan = UNARY(atan, atan);
const struct op_desc op_asinh = UNARY(asinh, asinh);
const struct op_desc op_acosh = UNARY(acosh, acosh);
const struct op_desc op_atanh = UNARY(atanh, atanh);
const struct op_desc op_abs = UNARY_WITH(abs, fabs, OP_ZEROS_ALIKE, POSITIVE);
const struct op_desc op_sign =
    UNARY_WITH(sign, sign_of, OP_WHOLE, .range = OP_RANGE(-1, 1, false, false));
const struct op_desc op_floor = UNARY_WITH(floor, floor, OP_WHOLE, .range = NULL);
const struct op_desc op_ceil = UNARY_WITH(ceil, ceil, OP_WHOLE, .range = NULL);
const struct op_desc op_round =
    UNARY_WITH(round, num_round, OP_WHOLE, .range = OP_RANGE(-HUGE_VAL, HUGE_VAL, true, false));
const struct op_desc op_sqr = UNARY_WITH(sqr, square, OP_ZEROS_ALIKE, POSITIVE);
const struct op_desc op_sqrt = UNARY_WITH(sqrt, square_root, 0, POSITIVE);
const struct op_desc op_rsqr = UNARY(rsqr, reciprocal_square);
const struct op_desc op_rsqrt = UNARY(rsqrt, reciprocal_square_root);
const struct op_desc op_log2 = UNARY(log2, log2);
