/*
 * math.h - sums, exp, log and rounding of LANES numbers at once, with errors of one or two units in
 * the last place; infinities, NaN and what is smaller than normal numbers included
 *
 *     exp(x) = 2^n * exp(r), |r| <= log(2) / 2, with exp(r) = 1 + r + r^2 * p(r), p being fitted
 *     log(x) = k * log(2) + log(1 + f), where s = f / (2 + f) and log(1 + f) = 2 * atanh(s)
 */
#ifndef NNEFC_KERNEL_MATH_H
#define NNEFC_KERNEL_MATH_H

#include "kernel/vector.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* log(2) = LN2_HIGH - LN2_LOW.  LN2_HIGH has so few bits that its products with n are exact. */
#define LN2_HIGH 0.693359375F
#define LN2_LOW  2.12194440e-4F

ALWAYS_INLINE vec vec_absolute(vec x)
{
    return (vec)((bits)x & 0x7fffffffU);
}

/* x of 0 or more with the sign of another. */
ALWAYS_INLINE vec vec_with_sign(vec x, vec sign)
{
    return (vec)((bits)x | ((bits)sign & 0x80000000U));
}

/* The sum of all lanes: of each two that are half of them apart, of each two of these sums, ... */
ALWAYS_INLINE double vec_sum(vec x)
{
#if defined __AVX512F__
    return _mm512_reduce_add_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(x)) +
                                _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
#else
    double sum[LANES];

    UNROLL
    for (int i = 0; i < LANES; i++)
        sum[i] = (double)x[i];
    UNROLL
    for (int half = LANES / 2; half > 0; half /= 2) {
        UNROLL
        for (int i = 0; i < half; i++)
            sum[i] += sum[i + half];
    }
    return sum[0];
#endif
}

/* --- rounding ------------------------------------------------------------------------------- */

/* Numbers without a fraction stay: all from 2^23 on, infinities and NaN. */
ALWAYS_INLINE vec vec_floor(vec x)
{
    ints has_fraction = vec_absolute(x) < 8388608.0F;
    vec y = vec_select(has_fraction, x, vec_all(0));
    vec whole = __builtin_convertvector(__builtin_convertvector(y, ints), vec);

    whole -= vec_select(whole > y, vec_all(1), vec_all(0));
    return vec_select(has_fraction, vec_with_sign(vec_absolute(whole), x), x);
}

/* --- exp ------------------------------------------------------------------------------------ */

struct reduced {
    vec n, r; /* x = n * log(2) + r */
};

/* With more precision the sum below would not round. */
static_assert(FLT_EVAL_METHOD == 0, "kernels need floats without excess precision (Makefile)");

/* Split x, |x| < 2^20. */
ALWAYS_INLINE struct reduced vec_reduce(vec x)
{
    const vec round = vec_all(12582912.0F); /* the units of 1.5 * 2^23 are 1 */
    vec n = x * 1.44269504F + round;

    n -= round;
    return (struct reduced){n, x - n * LN2_HIGH + n * LN2_LOW};
}

/* exp(r) - 1 */
ALWAYS_INLINE vec vec_expm1_of_rest(vec r)
{
    vec sum = vec_all(0.00139261835F) * r + 0.00836317905F;

    sum = sum * r + 0.0416665546F;
    sum = sum * r + 0.16666577F;
    sum = sum * r + 0.5F;
    return sum * (r * r) + r;
}

/* 2^n for -126 <= n <= 127 */
ALWAYS_INLINE vec vec_power_of_two(ints n)
{
    return (vec)((bits)(n + 127) << 23);
}

/* x * 2^n for |n| <= 250 */
ALWAYS_INLINE vec vec_scale(vec x, vec n)
{
#if defined __AVX512F__
    return _mm512_scalef_ps(x, n);
#else
    ints whole = __builtin_convertvector(n, ints), half = whole >> 1;

    return x * vec_power_of_two(half) * vec_power_of_two(whole - half);
#endif
}

/* Bounds come first, so that NaN stays what it is. */
ALWAYS_INLINE vec vec_exp(vec x)
{
    struct reduced y = vec_reduce(vec_min(vec_all(89), vec_max(vec_all(-104), x)));

    return vec_scale(vec_expm1_of_rest(y.r) + 1.0F, y.n);
}

/* exp(x) - 1 of x <= 0 */
ALWAYS_INLINE vec vec_expm1_negative(vec x)
{
    struct reduced y = vec_reduce(vec_max(vec_all(-87), x));
    vec power = vec_power_of_two(__builtin_convertvector(y.n, ints));

    return power * vec_expm1_of_rest(y.r) + (power - 1.0F);
}

/* --- log ------------------------------------------------------------------------------------ */

/* log(m) + k * log(2), m from sqrt(1/2) to sqrt(2) */
ALWAYS_INLINE vec vec_log_of_parts(vec m, vec k)
{
    vec f = m - 1.0F, s = f / (f + 2.0F), z = s * s, half = 0.5F * f * f;
    vec sum = vec_all(2.0F / 11) * z + 2.0F / 9;

    sum = sum * z + 2.0F / 7;
    sum = sum * z + 2.0F / 5;
    sum = sum * z + 2.0F / 3;
    vec low = s * (half + sum * z) - k * LN2_LOW;
    return k * LN2_HIGH + (f - (half - low));
}

/* log(x) + k * log(2), for normal x > 0 */
ALWAYS_INLINE vec vec_log_of_normal(vec x, vec k)
{
    const uint32_t sqrt_half = 0x3f3504f3;
    ints exponent = (ints)((bits)x - sqrt_half) >> 23;
    vec m = (vec)((bits)x - ((bits)exponent << 23));

    return vec_log_of_parts(m, __builtin_convertvector(exponent, vec) + k);
}

ALWAYS_INLINE vec vec_log(vec x)
{
    ints is_small = x < 1.17549435e-38F;
    vec normal = vec_select(is_small, x * 33554432.0F, x);
    vec y = vec_log_of_normal(normal, vec_select(is_small, vec_all(-25), vec_all(0)));
    vec beside = vec_select(x == 0.0F, vec_all(-INFINITY), vec_all(NAN));

    return vec_select(x < INFINITY, vec_select(x > 0.0F, y, beside), x);
}

/* log(1 + x) of 0 <= x <= 1 */
ALWAYS_INLINE vec vec_log1p_of_part(vec x)
{
    vec sum = x + 1.0F, lost = x - (sum - 1.0F);

    return vec_log_of_normal(sum, vec_all(0)) + lost / sum;
}

#endif
