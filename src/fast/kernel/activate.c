/*
 * activate.c - activations, LANES items at once
 *
 * exp(x) = 2^n * exp(r) with |r| <= log(2) / 2, where exp(r) is summed up to r^7 / 7!; erf is
 * formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions, whose error is below
 * 1.5e-7.
 */
#include "fast/kernel/activate.h"

/* --- functions ------------------------------------------------------------------------------ */

/* x of 0 or less; what is below the smallest normal number is 0. */
static vec exp_negative(vec x)
{
    const vec round = vec_all(12582912.0F); /* the units of 1.5 * 2^23 are 1 */
    vec bounded = vec_max(x, vec_all(-87.3F));
    vec n = bounded * 1.44269504F + round;
    bits power = (bits)n << 23; /* the lowest bits of n are its integer */

    n -= round;
    vec r = bounded - n * 0.693359375F + n * 2.12194440e-4F;
    vec sum = vec_all(1.0F / 5040) * r + 1.0F / 720;
    sum = sum * r + 1.0F / 120;
    sum = sum * r + 1.0F / 24;
    sum = sum * r + 1.0F / 6;
    sum = sum * r + 0.5F;
    sum = sum * r + 1.0F;
    sum = sum * r + 1.0F;
    sum = vec_select(x < -87.3F, vec_all(0), (vec)((bits)sum + power));
    return vec_select(x <= 0.0F, sum, x); /* a NaN stays */
}

static vec absolute(vec x)
{
    return (vec)((bits)x & 0x7fffffffU);
}

/* x of 0 or more with the sign of another. */
static vec with_sign(vec x, vec sign)
{
    return (vec)((bits)x | ((bits)sign & 0x80000000U));
}

static vec sigmoid(vec x)
{
    vec e = exp_negative(-absolute(x));

    return vec_select(x < 0.0F, e, vec_all(1)) / (e + 1.0F);
}

static vec hyperbolic_tangent(vec x)
{
    vec e = exp_negative(-2.0F * absolute(x));

    return with_sign((1.0F - e) / (1.0F + e), x);
}

static vec error_function(vec x)
{
    vec size = absolute(x), t = 1.0F / (size * 0.3275911F + 1.0F);
    vec sum = vec_all(1.061405429F) * t - 1.453152027F;

    sum = sum * t + 1.421413741F;
    sum = sum * t - 0.284496736F;
    sum = sum * t + 0.254829592F;
    return with_sign(1.0F - sum * t * exp_negative(-size * size), x);
}

static vec elu(vec x, float alpha)
{
    vec below = alpha * (exp_negative(vec_min(x, vec_all(0))) - 1.0F);

    return vec_select(x < 0.0F, below, x);
}

static vec hard_sigmoid(vec x, float slope, float offset)
{
    return vec_max(vec_min(x * slope + offset, vec_all(1)), vec_all(0));
}

/* --- application ---------------------------------------------------------------------------- */

ALWAYS_INLINE vec apply(const struct epilogue *e, vec x)
{
    switch (e->activation) {
    case ACTIVATION_NONE:
        return x;
    case ACTIVATION_RELU:
    case ACTIVATION_CLAMP:
        return vec_max(vec_min(x, vec_all(epilogue_high(e))), vec_all(epilogue_low(e)));
    case ACTIVATION_LEAKY_RELU:
        return vec_select(x < 0.0F, x * e->low, x);
    case ACTIVATION_ELU:
        return elu(x, e->low);
    case ACTIVATION_SIGMOID:
        return sigmoid(x);
    case ACTIVATION_TANH:
        return hyperbolic_tangent(x);
    case ACTIVATION_SILU:
        return x * sigmoid(x);
    case ACTIVATION_GELU:
        return x * sigmoid(x * 1.702F);
    case ACTIVATION_GELU_ERF:
        return x * 0.5F * (error_function(x * 0.707106781F) + 1.0F);
    case ACTIVATION_HARD_SIGMOID:
        return hard_sigmoid(x, e->low, e->high);
    case ACTIVATION_HARD_SWISH:
        return x * hard_sigmoid(x, e->low, e->high);
    }
    return x;
}

void KERNEL(activate)(const struct epilogue *epilogue, float *items, int64_t count)
{
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        vec_store(items + i, apply(epilogue, vec_load(items + i)));
    if (i == count)
        return;
    int rest = (int)(count - i);
    vec_store_some(items + i, apply(epilogue, vec_load_some(items + i, rest)), rest);
}
