/*
 * curve.h - erf, tanh, sigmoid and what is made of them, as exact as math.h but for GELU
 *
 *     erf(x)  = x * p(x^2) near 0, where p was fitted; beyond, 1 - erfc(x)
 *     erfc(x) = exp(-x^2) * q(x), where a quotient q of polynomials was fitted for 0 <= x <= 10.2
 */
#ifndef NNEFC_KERNEL_CURVE_H
#define NNEFC_KERNEL_CURVE_H

#include "kernel/math.h"

/* --- erf ------------------------------------------------------------------------------------ */

#define ERF_NEAR 0.92F

/* erf(x) / x of |x| <= ERF_NEAR, from x * x */
ALWAYS_INLINE vec vec_erf_near(vec z)
{
    vec sum = vec_all(8.38707455686e-5F) * z - 0.000814708111746F;

    sum = sum * z + 0.00520145632643F;
    sum = sum * z - 0.0268595881161F;
    sum = sum * z + 0.112836993512F;
    sum = sum * z - 0.376126340234F;
    return sum * z + 1.12837916667F;
}

/* exp(-z) of 0 <= z <= 10.1 * 10.1, as a power of 2 */
ALWAYS_INLINE vec vec_exp_of_minus(vec z)
{
    const vec round = vec_all(12582912.0F); /* the units of 1.5 * 2^23 are 1 */
    vec n = round - z * 1.44269504F;

    n -= round;
    vec r = -n - z * 1.44269504F, sum = vec_all(0.00133908633647F) * r + 0.00967603191832F;
    sum = sum * r + 0.0555035711422F;
    sum = sum * r + 0.240221074853F;
    sum = sum * r + 0.693147188026F;
    return vec_scale(sum * r + 1.00000007545F, n);
}

/* erfc(x) of x >= 0 */
ALWAYS_INLINE vec vec_erfc(vec x)
{
    vec t = vec_min(vec_all(10.1F), x), above = vec_all(0.0328838486424F) * t + 0.22963470272F;
    vec below = vec_all(0.0582844193993F) * t + 0.407042913581F;

    above = above * t + 0.732476485432F;
    below = below * t + 1.32699705656F;
    above = above * t + 1.23924308556F;
    below = below * t + 2.40404327967F;
    above = above * t + 1.0F;
    below = below * t + 2.36762284151F;
    below = below * t + 1.0F;
    return vec_exp_of_minus(t * t) * above / below;
}

ALWAYS_INLINE vec vec_erf(vec x)
{
    vec size = vec_absolute(x);
    vec y = vec_select(size < ERF_NEAR, size * vec_erf_near(x * x), 1.0F - vec_erfc(size));

    return vec_with_sign(y, x);
}

/* x / 2 * (1 + erf(x / sqrt(2))) = h + t - t * erfc(sqrt(2) * t), where h = x / 2 and t = |h|.
 * The polynomial was fitted to the eighth root of that erfc for t <= 4, and is 0 at t = 4.  The
 * error is at most 1.6e-7 where x < 1, and ten units in the last place where x > -1. */
ALWAYS_INLINE vec vec_gelu_erf(vec x)
{
    vec half = 0.5F * x, size = vec_absolute(half), t = vec_min(vec_all(4), size);
    vec root = vec_all(-8.3312254e-5F) * t + 0.00104737503F;

    root = root * t - 0.00420998596F;
    root = root * t + 0.00119521574F;
    root = root * t + 0.0262571797F;
    root = root * t - 0.00587043446F;
    root = root * t - 0.139267981F;
    root = root * t - 0.199470595F;
    root = root * t + 1.0F;
    vec square = root * root, fourth = square * square;
    return half + size - t * (fourth * fourth);
}

/* --- sigmoid, tanh, and what is made of them ------------------------------------------------ */

ALWAYS_INLINE vec vec_sigmoid(vec x)
{
    vec e = vec_exp(-vec_absolute(x));

    return vec_select(x < 0.0F, e, vec_all(1)) / (e + 1.0F);
}

ALWAYS_INLINE vec vec_tanh(vec x)
{
    vec e = vec_expm1_negative(-2.0F * vec_absolute(x));

    return vec_with_sign(vec_absolute(e / (e + 2.0F)), x);
}

/* x < 0 ? alpha * (exp(x) - 1) : x */
ALWAYS_INLINE vec vec_elu(vec x, float alpha)
{
    return vec_select(x < 0.0F, alpha * vec_expm1_negative(vec_min(x, vec_all(0))), x);
}

ALWAYS_INLINE vec vec_softplus(vec x)
{
    return vec_max(x, vec_all(0)) + vec_log1p_of_part(vec_exp(-vec_absolute(x)));
}

#endif
