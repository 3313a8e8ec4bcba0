/*
 * vector.h - the language of kernels: vectors of LANES numbers
 *
 * Every kernel is compiled several times, for instructions that only some processors have, and
 * KERNEL(name) is another name each time.  Only this file knows the instructions; its first choice
 * is the compiler's own vectors, which any processor has.  The compiler may fuse products and sums.
 */
#ifndef NNEFC_KERNEL_VECTOR_H
#define NNEFC_KERNEL_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __SSE2__
#include <immintrin.h>
#endif

#if defined __AVX512F__
#define LANES 16
#elif defined __AVX2__ && defined __FMA__
#define LANES 8
#else
#define LANES 4
#endif

#ifndef VARIANT
#define VARIANT generic
#endif
#define KERNEL_NAME(name, variant)  name##_##variant
#define KERNEL_NAME_(name, variant) KERNEL_NAME(name, variant)
#define KERNEL(name)                KERNEL_NAME_(name, VARIANT)

#define KERNEL_TEXT_(variant) #variant
#define KERNEL_TEXT(variant)  KERNEL_TEXT_(variant)

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Stands before loops with a constant count: arrays that the loop indexes stay in registers. */
#if defined __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

/* Hides the value of a variable from the compiler, which then neither knows nor repeats how it came
 * about. */
#define HIDE(variable) __asm__("" : "+r"(variable))
#if defined __AVX512F__
#define HIDE_VEC(variable) __asm__("" : "+v"(variable))
#elif defined __SSE2__
#define HIDE_VEC(variable) __asm__("" : "+x"(variable))
#elif defined __aarch64__
#define HIDE_VEC(variable) __asm__("" : "+w"(variable))
#else
#define HIDE_VEC(variable) (void)0
#endif

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ints __attribute__((vector_size(4 * LANES)));
typedef uint32_t bits __attribute__((vector_size(4 * LANES)));

/* A vector at any address. */
typedef float vec_at __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

ALWAYS_INLINE vec vec_all(float x)
{
    return x - (vec){0};
}

ALWAYS_INLINE vec vec_load(const float *from)
{
    return *(const vec_at *)from;
}

ALWAYS_INLINE void vec_store(float *to, vec x)
{
    *(vec_at *)to = x;
}

/* The first `count` lanes, 0 < count <= LANES; the others are 0. */
ALWAYS_INLINE vec vec_load_some(const float *from, int count)
{
#if defined __AVX512F__
    return _mm512_maskz_loadu_ps((__mmask16)((1U << count) - 1), from);
#else
    vec x = {0};

    if (count == LANES)
        return vec_load(from);
    for (int i = 0; i < LANES - 1; i++)
        x[i] = i < count ? from[i] : 0;
    return x;
#endif
}

/* Vector `i` of `vecs`, a constant, of which the last one has `last` lanes. */
ALWAYS_INLINE vec vec_load_part(const float *from, int64_t i, const int64_t vecs, int last)
{
    return i < vecs - 1 ? vec_load(from + i * LANES) : vec_load_some(from + i * LANES, last);
}

ALWAYS_INLINE void vec_store_some(float *to, vec x, int count)
{
#if defined __AVX512F__
    _mm512_mask_storeu_ps(to, (__mmask16)((1U << count) - 1), x);
#else
    if (count == LANES)
        vec_store(to, x);
    else
        memcpy(to, &x, (size_t)count * sizeof *to);
#endif
}

/* The same where `count` is LANES nearly always, which takes no mask. */
ALWAYS_INLINE vec vec_load_most(const float *from, int count)
{
    return count == LANES ? vec_load(from) : vec_load_some(from, count);
}

ALWAYS_INLINE void vec_store_most(float *to, vec x, int count)
{
    if (count == LANES)
        vec_store(to, x);
    else
        vec_store_some(to, x, count);
}

/* Lanes of `yes` where those of `when` are all bits, of `no` where they are 0. */
ALWAYS_INLINE vec vec_select(ints when, vec yes, vec no)
{
    return (vec)((when & (ints)yes) | (~when & (ints)no));
}

/* All bits of the lanes that are not NaN. */
ALWAYS_INLINE ints vec_is_number(vec x)
{
    return x == x; /* NOLINT(misc-redundant-expression) */
}

/* x > y ? x : y; so y if either is NaN.  With a bound that is a number as x, NaN stays. */
ALWAYS_INLINE vec vec_max(vec x, vec y)
{
#if defined __AVX512F__
    return _mm512_max_ps(x, y);
#elif LANES == 8
    return _mm256_max_ps(x, y);
#elif defined __SSE2__
    return _mm_max_ps(x, y);
#else
    return vec_select(x > y, x, y);
#endif
}

/* x < y ? x : y */
ALWAYS_INLINE vec vec_min(vec x, vec y)
{
#if defined __AVX512F__
    return _mm512_min_ps(x, y);
#elif LANES == 8
    return _mm256_min_ps(x, y);
#elif defined __SSE2__
    return _mm_min_ps(x, y);
#else
    return vec_select(x < y, x, y);
#endif
}

/* --- NaN stays (E27) ------------------------------------------------------------------------ */

/* Can the processor be asked whether it met NaN? */
#if defined __SSE2__
#define VEC_NOTES_NAN true
#else
#define VEC_NOTES_NAN false
#endif

/*
 * May a vec_max() or vec_min() since vec_forget_nan() have had an operand that was NaN?  Processors
 * note that as an invalid operation.  Where they cannot be asked (VEC_NOTES_NAN), the answer is
 * always yes.  The caller stores the results before it asks.  `noted` is what vec_forget_nan()
 * returned; it is put back, since it belongs to whoever called the kernel.
 */
ALWAYS_INLINE unsigned vec_forget_nan(void)
{
    unsigned noted = 0;

#if defined __SSE2__
    noted = _mm_getcsr() & _MM_EXCEPT_INVALID;
    if (noted)
        _mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_INVALID);
    __asm__ volatile("" ::: "memory");
#endif
    return noted;
}

ALWAYS_INLINE bool vec_may_have_met_nan(unsigned noted)
{
    bool met = true;

#if defined __SSE2__
    __asm__ volatile("" ::: "memory");
    met = _mm_getcsr() & _MM_EXCEPT_INVALID;
    if (noted)
        _mm_setcsr(_mm_getcsr() | noted);
#else
    (void)noted;
#endif
    return met;
}

/* Collects NaN: lanes become NaN where `x` is NaN and stay as in `found` elsewhere.  Begin with
 * found = zeros. */
ALWAYS_INLINE vec vec_find_nan(vec found, vec x)
{
#if defined __AVX512F__
    return _mm512_mask_mov_ps(found, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x);
#else
    return (vec)((ints)found | ~vec_is_number(x));
#endif
}

/* x, but NaN in the lanes where vec_find_nan() found NaN. */
ALWAYS_INLINE vec vec_with_nan(vec x, vec found)
{
    return (vec)((ints)x | (ints)found);
}

/* The greater one of two numbers, x if they are equal. */
ALWAYS_INLINE vec vec_greater(vec x, vec y)
{
#if defined __AVX512F__
    return _mm512_mask_max_ps(y, _mm512_cmp_ps_mask(y, y, _CMP_ORD_Q), y, x);
#else
    return (vec)((ints)vec_max(y, x) | ~vec_is_number(y));
#endif
}

/* The lesser one of two numbers, x if they are equal. */
ALWAYS_INLINE vec vec_lesser(vec x, vec y)
{
#if defined __AVX512F__
    return _mm512_mask_min_ps(y, _mm512_cmp_ps_mask(y, y, _CMP_ORD_Q), y, x);
#else
    return (vec)((ints)vec_min(y, x) | ~vec_is_number(y));
#endif
}

#endif
