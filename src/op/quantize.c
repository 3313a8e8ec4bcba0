/*
 * quantize.c - quantization to values that `bits` bits can tell apart, kept whole (NNEF 1.0.5,
 * section 4.9.5)
 *
 *     min_max, linear  round((clamp(x, min, max) - min) / (max - min) * steps)
 *                      / steps * (max - min) + min
 *     zero_point       (clamp(round(x / scale) + zero_point, low, high) - zero_point) * scale
 *     logarithmic      sign(x) * 2 ^ round(clamp(log2(abs(x)), high - steps, high)),
 *                      high = ceil(log2(max))
 *
 * By the formulas a range might widen 'x'; here each has to broadcast to it.  A file may hold the
 * integers between rounding and scaling (section 5.2); each kernel has one beside it that begins
 * with them.
 */
#include "op/broadcast.h"
#include "op/check.h"
#include "op/op_build.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum { MAX_BITS = 62 };

/* The items of an operand that is constant; NULL: they are computed. */
static const struct tensor *constant_of(const struct infer *infer, int operand)
{
    const struct value *value = infer->call->in[operand].value;

    return value->kind == VALUE_CONSTANT ? value->source->tensor : NULL;
}

/* By a zero that is none of the integers, numbers on one side of 0 are all cut off. */
static void check_zero(const struct infer *infer)
{
    const struct quantize_attrs *attrs = infer->attrs;
    const struct tensor *zeros = constant_of(infer, 1);
    const double high = quantize_greatest(attrs->bits - attrs->is_signed);
    const double low = attrs->is_signed ? -high - !attrs->symmetric : 0;

    for (int64_t i = 0, count = zeros ? shape_volume(&zeros->shape) : 0; i < count; i++) {
        const double zero = tensor_item(zeros, i);
        if (zero >= low && zero <= high)
            continue;
        infer_warning(infer, "zero_point", WARNING_QUANT_VALUE,
                      "'zero_point' of '%s' is %g, expected one of the integers from %g to %g",
                      infer_name(infer), zero, low, high);
        return;
    }
}

static bool check_scale(const struct infer *infer)
{
    const struct tensor *scales = constant_of(infer, 2);

    for (int64_t i = 0, count = scales ? shape_volume(&scales->shape) : 0; i < count; i++) {
        const double scale = tensor_item(scales, i);
        if (!(scale > 0) || !isfinite(scale))
            return infer_error(infer, "scale", DIAG_QUANT_VALUE,
                               "'scale' of '%s' is %g, expected a number above 0",
                               infer_name(infer), scale);
    }
    return true;
}

static bool quantize_infer(struct infer *infer)
{
    const struct quantize_attrs *attrs = infer->attrs;
    bool ok =
        attrs->bits <= MAX_BITS || infer_error(infer, "bits", DIAG_NEGATIVE,
                                               "'bits' of '%s' is %" PRId64 ", expected at most %d",
                                               infer_name(infer), attrs->bits, MAX_BITS);

    ok &= infer_parameters(infer);
    if (!ok || attrs->bits < 1 || infer->call->op->id != OP_zero_point_linear_quantize)
        return ok;
    check_zero(infer);
    return check_scale(infer);
}

static double clamp(double x, double low, double high)
{
    return num_greater(num_lesser(x, high), low);
}

double quantize_greatest(int64_t bits)
{
    assert(bits >= 0 && bits <= MAX_BITS);
    return ldexp(1, (int)bits) - 1;
}

/* --- between a minimum and a maximum ------------------------------------------------------ */

static void apply_min_max(struct items *items)
{
    const struct quantize_attrs *attrs = items->eval->attrs;
    double steps = quantize_greatest(attrs->bits) - (attrs->is_signed && attrs->symmetric);
    const double *x = items->in[0], *min = items->in[1], *max = items->in[2];

    for (int64_t i = 0; i < items->count; i++) {
        double range = max[i] - min[i];
        double q = num_round((clamp(x[i], min[i], max[i]) - min[i]) / range * steps);
        items->out[i] = q / steps * range + min[i];
    }
}

/* A signed integer was shifted down by half the range. */
static void restore_min_max(struct items *items)
{
    const struct quantize_attrs *attrs = items->eval->attrs;
    bool is_signed = attrs->is_signed;
    double steps = quantize_greatest(attrs->bits) - (is_signed && attrs->symmetric);
    double shift = is_signed ? ldexp(1, (int)attrs->bits - 1) - attrs->symmetric : 0;
    const double *q = items->in[0], *min = items->in[1], *max = items->in[2];

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = (q[i] + shift) / steps * (max[i] - min[i]) + min[i];
}

/* --- by scale and zero point -------------------------------------------------------------- */

static void apply_zero_point(struct items *items)
{
    const struct quantize_attrs *attrs = items->eval->attrs;
    double high = quantize_greatest(attrs->bits - attrs->is_signed);
    double low = attrs->is_signed ? -high - !attrs->symmetric : 0;
    const double *x = items->in[0], *zero = items->in[1], *scale = items->in[2];

    for (int64_t i = 0; i < items->count; i++) {
        double q = clamp(num_round(x[i] / scale[i]) + zero[i], low, high);
        items->out[i] = (q - zero[i]) * scale[i];
    }
}

static void restore_zero_point(struct items *items)
{
    const double *q = items->in[0], *zero = items->in[1], *scale = items->in[2];

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = (q[i] - zero[i]) * scale[i];
}

/* --- to powers of two --------------------------------------------------------------------- */

static void apply_logarithmic(struct items *items)
{
    const struct quantize_attrs *attrs = items->eval->attrs;
    double steps = quantize_greatest(attrs->bits);
    const double *x = items->in[0], *max = items->in[1];

    for (int64_t i = 0; i < items->count; i++) {
        double high = ceil(log2(max[i]));
        double q = num_round(clamp(log2(fabs(x[i])), high - steps, high));
        items->out[i] = ((x[i] > 0) - (x[i] < 0)) * exp2(q);
    }
}

/* Exponents are counted from the least one.  Of signed integers the highest bit is the sign; the
 * others are the exponent. */
static void restore_powers(struct items *items)
{
    const struct quantize_attrs *attrs = items->eval->attrs;
    double steps = quantize_greatest(attrs->bits - attrs->is_signed);
    const double *q = items->in[0], *max = items->in[1];

    for (int64_t i = 0; i < items->count; i++) {
        bool negative = attrs->is_signed && q[i] < 0;
        double exponent = negative ? q[i] + steps + 1 : q[i];
        double power = exp2(exponent + ceil(log2(max[i])) - steps);
        items->out[i] = negative ? -power : power;
    }
}

/* --- all of them -------------------------------------------------------------------------- */

/* The logarithm of 'max' is taken, so that it has to be positive. */
static bool quantize_by(const struct eval *eval, void (*apply)(struct items *items))
{
    int noperand = eval->node->op->noperand;
    bool takes_logarithm = eval->node->op->id == OP_logarithmic_quantize;
    int64_t count = takes_logarithm ? shape_volume(&eval->in[1]->shape) : 0;

    assert(noperand == (takes_logarithm ? 2 : 3));
    for (int64_t i = 0; i < count; i++) {
        double max = tensor_item(eval->in[1], i);
        if (!(max > 0))
            return eval_error(eval, DIAG_NEGATIVE,
                              "'max' of '%s' has item %g, expected more than 0",
                              eval->node->op->name, max);
    }
    return eval_elementwise(eval, noperand, apply);
}

static bool quantize_eval(const struct eval *eval)
{
    return quantize_by(eval, eval->node->op->apply);
}

static bool quantize_dequantize(const struct eval *eval, bool is_signed)
{
    unsigned op = eval->node->op->id;
    struct quantize_attrs attrs = *(const struct quantize_attrs *)eval->attrs;
    struct eval of_integers = *eval;

    if (op == OP_zero_point_linear_quantize)
        return quantize_by(eval, restore_zero_point);
    if (op != OP_logarithmic_quantize)
        return quantize_by(eval, restore_min_max);
    /* The signature has no 'signed': the file says so. */
    attrs.is_signed = is_signed;
    of_integers.attrs = &attrs;
    return quantize_by(&of_integers, restore_powers);
}

/* --- descriptors -------------------------------------------------------------------------- */

#define QUANTIZE(name, ...)                                                                       \
    DESCRIPTOR(name, OP_ELEMENTWISE | OP_PARTIAL, .infer = quantize_infer, .eval = quantize_eval, \
               .dequantize = quantize_dequantize, __VA_ARGS__)

QUANTIZE(min_max_linear_quantize, .apply = apply_min_max);
QUANTIZE(zero_point_linear_quantize, .apply = apply_zero_point);
QUANTIZE(logarithmic_quantize, .apply = apply_logarithmic);
QUANTIZE(linear_quantize, .apply = apply_min_max, .alias = "quantize_linear");
