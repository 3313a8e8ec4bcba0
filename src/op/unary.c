/*
 * unary.c - elementwise operations on one operand (NNEF 1.0.5, sections 4.2.1 and 4.2.4)
 *
 *     y[i] = f(x[i])
 *
 * Outside of its domain a function gives what IEEE 754 prescribes; the standard leaves it open.
 */
#include "op/broadcast.h"
#include "op/op_families.h"
#include "op/to_onnx.h"

#include "base/num.h"

#include <math.h>
#include <string.h>

#define UNARY_AS(operator, function, ...)                                              \
    {                                                                                  \
        .name = #operator, .traits = OP_ELEMENTWISE | OP_PARTIAL, .infer = infer_same, \
        .eval = eval_unary, .unary = function, __VA_ARGS__                             \
    }
#define UNARY(operator, function, type) UNARY_AS(operator, function, .onnx_type = type)

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
    .name = "copy",
    .provisional = "idn",
    .traits = OP_ELEMENTWISE | OP_PARTIAL,
    .result = {OP_RESULT_GENERIC},
    .infer = infer_same,
    .eval = copy_eval,
    .onnx_type = "Identity",
};

const struct op_desc op_not = {
    .name = "not",
    .traits = OP_ELEMENTWISE | OP_PARTIAL,
    .result = {OP_RESULT_LOGICAL},
    .infer = infer_same,
    .eval = eval_unary,
    .unary = invert,
    .onnx_type = "Not",
};

static bool round_to_onnx(const struct emit *e)
{
    emit_round(e, 0, emit_in(e, 0));
    return true;
}

static bool sqr_to_onnx(const struct emit *e)
{
    emit(e, 0, "Mul", emit_in(e, 0), emit_in(e, 0), NULL);
    return true;
}

static bool rsqr_to_onnx(const struct emit *e)
{
    const char *squared = emit(e, EMIT_TEMP, "Mul", emit_in(e, 0), emit_in(e, 0), NULL);

    emit(e, 0, "Reciprocal", squared, NULL);
    return true;
}

static bool rsqrt_to_onnx(const struct emit *e)
{
    emit(e, 0, "Reciprocal", emit(e, EMIT_TEMP, "Sqrt", emit_in(e, 0), NULL), NULL);
    return true;
}

static bool log2_to_onnx(const struct emit *e)
{
    const double per_bit = 1.4426950408889634; /* 1 / ln 2 */

    emit(e, 0, "Mul", emit(e, EMIT_TEMP, "Log", emit_in(e, 0), NULL), emit_scalar(e, per_bit),
         NULL);
    return true;
}

const struct op_desc op_erf = {
    .name = "erf",
    .traits = OP_ELEMENTWISE | OP_PARTIAL | OP_EXTENSION,
    .infer = infer_same,
    .eval = eval_unary,
    .unary = erf,
    .onnx_type = "Erf",
};

const struct op_desc op_neg = UNARY(neg, negate, "Neg");
const struct op_desc op_rcp = UNARY(rcp, reciprocal, "Reciprocal");
const struct op_desc op_exp = UNARY(exp, exp, "Exp");
const struct op_desc op_log = UNARY(log, log, "Log");
const struct op_desc op_sin = UNARY(sin, sin, "Sin");
const struct op_desc op_cos = UNARY(cos, cos, "Cos");
const struct op_desc op_tan = UNARY(tan, tan, "Tan");
const struct op_desc op_sinh = UNARY(sinh, sinh, "Sinh");
const struct op_desc op_cosh = UNARY(cosh, cosh, "Cosh");
const struct op_desc op_tanh = UNARY(tanh, tanh, "Tanh");
const struct op_desc op_asin = UNARY(asin, asin, "Asin");
const struct op_desc op_acos = UNARY(acos, acos, "Acos");
const struct op_desc op_atan = UNARY(atan, atan, "Atan");
const struct op_desc op_asinh = UNARY(asinh, asinh, "Asinh");
const struct op_desc op_acosh = UNARY(acosh, acosh, "Acosh");
const struct op_desc op_atanh = UNARY(atanh, atanh, "Atanh");
const struct op_desc op_abs = UNARY(abs, fabs, "Abs");
const struct op_desc op_sign = UNARY(sign, sign_of, "Sign");
const struct op_desc op_floor = UNARY(floor, floor, "Floor");
const struct op_desc op_ceil = UNARY(ceil, ceil, "Ceil");
const struct op_desc op_round = UNARY_AS(round, num_round, .to_onnx = round_to_onnx);
const struct op_desc op_sqr = UNARY_AS(sqr, square, .to_onnx = sqr_to_onnx);
const struct op_desc op_sqrt = UNARY(sqrt, square_root, "Sqrt");
const struct op_desc op_rsqr = UNARY_AS(rsqr, reciprocal_square, .to_onnx = rsqr_to_onnx);
const struct op_desc op_rsqrt = UNARY_AS(rsqrt, reciprocal_square_root, .to_onnx = rsqrt_to_onnx);
const struct op_desc op_log2 = UNARY_AS(log2, log2, .to_onnx = log2_to_onnx);
