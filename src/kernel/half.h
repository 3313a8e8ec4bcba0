/*
 * half.h - the lower half of a vector, which some processors compute with in half the time
 *
 * Channels that end in the lower half of their last vector need no more of it.
 */
#ifndef NNEFC_KERNEL_HALF_H
#define NNEFC_KERNEL_HALF_H

#include "kernel/vector.h"

#if defined __AVX512VL__
#define HAS_HALVES 1
#else
#define HAS_HALVES 0
#endif

/* sum + x * y in the lower half of the lanes; anything in the others. */
ALWAYS_INLINE vec half_add_product(vec sum, vec x, vec y)
{
#if HAS_HALVES
    return _mm512_castps256_ps512(_mm256_fmadd_ps(
        _mm512_castps512_ps256(x), _mm512_castps512_ps256(y), _mm512_castps512_ps256(sum)));
#else
    return sum + x * y;
#endif
}

/* The same, where x is in all lanes. */
ALWAYS_INLINE vec half_add_scaled(vec sum, float x, vec y)
{
#if HAS_HALVES
    return _mm512_castps256_ps512(
        _mm256_fmadd_ps(_mm256_set1_ps(x), _mm512_castps512_ps256(y), _mm512_castps512_ps256(sum)));
#else
    return sum + x * y;
#endif
}

/* Like vec_load_some() and vec_store_some(), of at most LANES / 2. */
ALWAYS_INLINE vec half_load_some(const float *from, int count)
{
#if HAS_HALVES
    return _mm512_zextps256_ps512(_mm256_maskz_loadu_ps((__mmask8)((1U << count) - 1), from));
#else
    return vec_load_some(from, count);
#endif
}

ALWAYS_INLINE void half_store_some(float *to, vec x, int count)
{
#if HAS_HALVES
    _mm256_mask_storeu_ps(to, (__mmask8)((1U << count) - 1), _mm512_castps512_ps256(x));
#else
    vec_store_some(to, x, count);
#endif
}

#endif
