/*
 * curve.h - erf, tanh, sigmoid and what is made of them, as exact as math.h
 *
 *     erf(x)  = x * p(x^2) near 0, where p was fitted; beyond, 1 - erfc(x)
 *     erfc(x) = exp(-x^2) * q(1 / (1 + 0.4 * x)), where q was fitted for 0.9 <= x <= 10
 */
#ifndef NNEFC_FAST_KERNEL_CURVE_H
#define NNEFC_FAST_KERNEL_CURVE_H

#include "fast/kernel/math.h"

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

/* erfc(x) of x >= ERF_NEAR */
ALWAYS_INLINE vec vec_erfc_far(vec x)
{
    vec t = vec_min(x, vec_all(10.1F)), u = 1.0F / (t * 0.4F + 1.0F);
    vec sum = vec_all(0.0669655144095F) * u - 0.247135529397F;

    sum = sum * u + 0.27320234775F;
    sum = sum * u - 0.0983205865479F;
    sum = sum * u + 0.191071722483F;
    sum = sum * u + 0.152061074094F;
    sum = sum * u + 0.211228732873F;
    sum = sum * u + 0.22525268307F;
    sum = sum * u + 0.225704104552F;
    sum = sum * u - 8.12106998545e-7F;
    return sum * vec_exp(-t * t);
}

ALWAYS_INLINE vec vec_erf(vec x)
{
    vec size = vec_absolute(x);
    vec y = vec_select(size < ERF_NEAR, size * vec_erf_near(x * x), 1.0F - vec_erfc_far(size));

    return vec_select(vec_is_number(x), vec_with_sign(y, x), x);
}

/* x / 2 * (1 + erf(x / sqrt(2))) */
ALWAYS_INLINE vec vec_gelu_erf(vec x)
{
    vec t = x * 0.707106781F, size = vec_absolute(t), far = vec_erfc_far(size);
    vec beyond = vec_select(x < 0.0F, far, 2.0F - far);

    return 0.5F * x * vec_select(size < ERF_NEAR, t * vec_erf_near(t * t) + 1.0F, beyond);
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

ALWAYS_INLINE vec vec_softplus(vec x)
{
    return vec_max(x, vec_all(0)) + vec_log1p_of_part(vec_exp(-vec_absolute(x)));
}

#endif
