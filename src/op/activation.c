/*
 * activation.c - activation functions, kept whole (NNEF 1.0.5, section 4.9.1)
 *
 *     sigmoid   1 / (1 + exp(-x))              relu        max(x, 0)
 *     softplus  log(exp(x) + 1)                prelu       x < 0 ? alpha * x : x
 *     silu      x * sigmoid(x)                 leaky_relu  x < 0 ? alpha * x : x
 *     gelu      x * sigmoid(1.702 * x)         elu         x < 0 ? alpha * (exp(x) - 1) : x
 *     gelu_erf  x / 2 * (1 + erf(x / sqrt 2))  selu        lambda * elu(x)
 *
 * Computed in forms of the same value that neither overflow nor cancel.
 */
#include "op/broadcast.h"

#include <math.h>

static const double sqrt_half = 0.70710678118654752;

/* --- without parameters ----------------------------------------------------------------- */

static double sigmoid(double x)
{
    double e = exp(-fabs(x));

    return (x < 0 ? e : 1) / (1 + e);
}

static double relu(double x)
{
    return x > 0 ? x : 0;
}

static double gelu(double x)
{
    return x * sigmoid(1.702 * x);
}

static double gelu_erf(double x)
{
    return x < 0 ? x / 2 * erfc(-x * sqrt_half) : x / 2 * (1 + erf(x * sqrt_half));
}

static double silu(double x)
{
    return x * sigmoid(x);
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

#define ACTIVATION(function, more, ...)                                               \
    {                                                                                 \
        .infer = infer_same, .eval = eval_unary, .unary = function,                   \
        OP_SIGNATURE(function, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT | (more)), \
        .range = __VA_ARGS__                                                          \
    }

const struct op_desc op_sigmoid = ACTIVATION(sigmoid, OP_ZEROS_ALIKE, OP_RANGE(0, 1, true, false));
const struct op_desc op_relu =
    ACTIVATION(relu, OP_ZEROS_ALIKE, OP_RANGE(0, HUGE_VAL, false, false));
const struct op_desc op_gelu = ACTIVATION(gelu, 0, NULL);
const struct op_desc op_silu = ACTIVATION(silu, 0, NULL);
const struct op_desc op_softplus =
    ACTIVATION(softplus, OP_ZEROS_ALIKE, OP_RANGE(0, HUGE_VAL, true, false));
const struct op_desc op_gelu_erf = ACTIVATION(gelu_erf, 0, NULL);

/* --- with parameters -------------------------------------------------------------------- */

static double leak(double x, double alpha)
{
    return x < 0 ? alpha * x : x;
}

static double elu(double x, double alpha)
{
    return x < 0 ? alpha * expm1(x) : x;
}

static void apply_leaky_relu(struct items *items)
{
    const struct activation_attrs *attrs = items->eval->attrs;

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = leak(items->in[0][i], attrs->alpha);
}

static void apply_elu(struct items *items)
{
    const struct activation_attrs *attrs = items->eval->attrs;

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = elu(items->in[0][i], attrs->alpha);
}

static void apply_selu(struct items *items)
{
    const struct activation_attrs *attrs = items->eval->attrs;

    for (int64_t i = 0; i < items->count; i++)
        items->out[i] = attrs->lambda * elu(items->in[0][i], attrs->alpha);
}

static bool leaky_relu_eval(const struct eval *eval)
{
    return eval_elementwise(eval, 1, apply_leaky_relu);
}

static bool elu_eval(const struct eval *eval)
{
    return eval_elementwise(eval, 1, apply_elu);
}

static bool selu_eval(const struct eval *eval)
{
    return eval_elementwise(eval, 1, apply_selu);
}

const struct op_desc op_prelu = {
    OP_SIGNATURE(prelu, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .infer = infer_broadcast,
    .eval = eval_binary,
    .binary = leak,
};

const struct op_desc op_leaky_relu = {
    OP_SIGNATURE(leaky_relu, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .infer = infer_same,
    .eval = leaky_relu_eval,
};

const struct op_desc op_elu = {
    OP_SIGNATURE(elu, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .infer = infer_same,
    .eval = elu_eval,
};

const struct op_desc op_selu = {
    OP_SIGNATURE(selu, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT),
    .infer = infer_same,
    .eval = selu_eval,
};
