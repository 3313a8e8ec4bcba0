/*
 * activation.c - activation functions, kept whole (NNEF 1.0.5, section 4.9.1)
 *
 *     sigmoid   1 / (1 + exp(-x))              relu        max(x, 0)
 *     softplus  log(exp(x) + 1)                prelu       x < 0 ? alpha * x : x
 *     silu      x * sigmoid(x)                 leaky_relu  x < 0 ? alpha * x : x
 *     gelu      x * sigmoid(1.702 * x)         elu         x < 0 ? alpha * (exp(x) - 1) : x
 *     gelu_erf  x / 2 * (1 + erf(x / sqrt 2))  selu        lambda * elu(x)
 *     gelu_tanh x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
 *
 * Computed in forms of the same value that neither overflow nor cancel.
 */
#include "op/broadcast.h"

#include "base/num.h"

#include <assert.h>
#include <math.h>

/* --- without parameters ----------------------------------------------------------------- */

UNARY(sigmoid, num_logistic(x), OP_ZEROS_ALIKE, OP_RANGE(0, 1, true, false));
UNARY(relu, x < 0 ? 0 : x, 0, OP_RANGE(0, HUGE_VAL, true, true));
UNARY(gelu, x *num_logistic(1.702 * x), 0, NULL);
UNARY(silu, x *num_logistic(x), 0, NULL);
UNARY(softplus, fmax(x, 0) + log1p(exp(-fabs(x))), OP_ZEROS_ALIKE,
      OP_RANGE(0, HUGE_VAL, true, false));

/* erfc() for negative items: 1 + erf() would cancel. */
UNARY(gelu_erf,
      x < 0 ? x / 2 * erfc(-x * 0.70710678118654752) : x / 2 * (1 + erf(x * 0.70710678118654752)),
      0, NULL);

/* 1 + tanh(u) is 2 / (1 + exp(-2 * u)). */
UNARY(gelu_tanh, x *num_logistic(1.5957691216057308 * (x + 0.044715 * x * x * x)), 0, NULL);

/* --- with parameters -------------------------------------------------------------------- */

static double leak(double x, double alpha)
{
    return x < 0 ? alpha * x : x;
}

static double elu(double x, double alpha)
{
    return x < 0 ? alpha * expm1(x) : x;
}

static void apply_parameters(struct items *items)
{
    const struct activation_attrs *attrs = items->eval->attrs;
    unsigned op = items->eval->node->op->id;
    double factor = op == OP_selu ? attrs->lambda : 1;

    assert(op == OP_leaky_relu || op == OP_elu || op == OP_selu);
    if (op == OP_leaky_relu)
        for (int64_t i = 0; i < items->count; i++)
            items->out[i] = leak(items->in[0][i], attrs->alpha);
    else
        for (int64_t i = 0; i < items->count; i++)
            items->out[i] = factor * elu(items->in[0][i], attrs->alpha);
}

DESCRIPTOR(prelu, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_broadcast,
           .eval = eval_items, .binary = leak, .expression = "x < 0 ? y * x : x");

#define WITH_PARAMETERS(name, formula_)                                                \
    DESCRIPTOR(name, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same, \
               .eval = eval_items, .apply = apply_parameters, .expression = (formula_))

WITH_PARAMETERS(leaky_relu, "x < 0 ? alpha * x : x");
WITH_PARAMETERS(elu, "x < 0 ? alpha * expm1(x) : x");
WITH_PARAMETERS(selu, "lambda * (x < 0 ? alpha * expm1(x) : x)");
