/*
 * pairs.h - more of the language of kernels: vectors of pairs of 16-bit integers, and of bytes
 *
 * A product of two pairs is the sum of their two products, in 32 bits; that of two quads of bytes
 * is the sum of their four products.
 */
#ifndef NNEFC_KERNEL_PAIRS_H
#define NNEFC_KERNEL_PAIRS_H

#include "kernel/vector.h"

#include <assert.h>

typedef int16_t pairs __attribute__((vector_size(4 * LANES)));
typedef uint8_t quads __attribute__((vector_size(4 * LANES)));
typedef int8_t signed_quads __attribute__((vector_size(4 * LANES)));
typedef uint8_t octets __attribute__((vector_size(LANES)));
typedef int8_t signed_octets __attribute__((vector_size(LANES)));
typedef int16_t halves __attribute__((vector_size(2 * LANES)));
typedef uint16_t unsigned_halves __attribute__((vector_size(2 * LANES)));

ALWAYS_INLINE ints ints_load(const int32_t *from)
{
    ints x;

    memcpy(&x, from, sizeof x);
    return x;
}

ALWAYS_INLINE ints ints_all(int32_t x)
{
    return x - (ints){0};
}

ALWAYS_INLINE pairs pairs_load(const int16_t *from)
{
    pairs x;

    memcpy(&x, from, sizeof x);
    return x;
}

/* The pair at any address, in all lanes. */
ALWAYS_INLINE pairs pairs_all(const int16_t *from)
{
    int32_t pair;

    assert(from);
    memcpy(&pair, from, sizeof pair);
    return (pairs)ints_all(pair);
}

/* sum + the products of pairs, modulo 2^32 */
ALWAYS_INLINE ints pairs_add_products(ints sum, pairs x, pairs y)
{
#if defined __AVX512VNNI__
    return (ints)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)y);
#elif defined __AVXVNNI__ && LANES == 8
    return (ints)_mm256_dpwssd_avx_epi32((__m256i)sum, (__m256i)x, (__m256i)y);
#elif defined __AVX512BW__
    return (ints)((bits)sum + (bits)_mm512_madd_epi16((__m512i)x, (__m512i)y));
#elif LANES == 8
    return (ints)((bits)sum + (bits)_mm256_madd_epi16((__m256i)x, (__m256i)y));
#elif defined __SSE2__
    return (ints)((bits)sum + (bits)_mm_madd_epi16((__m128i)x, (__m128i)y));
#else
    const ints a = (ints)x, b = (ints)y;
    const ints low = (a << 16 >> 16) * (b << 16 >> 16), high = (a >> 16) * (b >> 16);

    return (ints)((bits)sum + (bits)low + (bits)high);
#endif
}

ALWAYS_INLINE signed_quads quads_load(const int8_t *from)
{
    signed_quads x;

    memcpy(&x, from, sizeof x);
    return x;
}

/* The four bytes at any address, in all lanes. */
ALWAYS_INLINE quads quads_all(const uint8_t *from)
{
    int32_t quad;

    assert(from);
    memcpy(&quad, from, sizeof quad);
    return (quads)ints_all(quad);
}

/* Are there instructions for quads?  Without them pairs are faster. */
#if defined __AVX512VNNI__ || (defined __AVXVNNI__ && LANES == 8)
#define HAS_QUADS true
#else
#define HAS_QUADS false
#endif

/* sum + the products of quads, modulo 2^32 */
ALWAYS_INLINE ints quads_add_products(ints sum, quads x, signed_quads y)
{
#if defined __AVX512VNNI__
    return (ints)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)y);
#elif defined __AVXVNNI__ && LANES == 8
    return (ints)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)x, (__m256i)y);
#else
    const bits a = (bits)x;
    bits all = (bits)sum;

    UNROLL
    for (int i = 0; i < 4; i++)
        all += (a >> 8 * i & UINT8_MAX) * (bits)((ints)((bits)y << (24 - 8 * i)) >> 24);
    return (ints)all;
#endif
}

/* LANES bytes from any address. */
ALWAYS_INLINE ints ints_of_bytes(const void *from, bool is_signed)
{
#if defined __AVX512F__
    const __m128i x = _mm_loadu_si128((const __m128i_u *)from);

    return (ints)(is_signed ? _mm512_cvtepi8_epi32(x) : _mm512_cvtepu8_epi32(x));
#elif LANES == 8
    const __m128i x = _mm_loadl_epi64((const __m128i_u *)from);

    return (ints)(is_signed ? _mm256_cvtepi8_epi32(x) : _mm256_cvtepu8_epi32(x));
#else
    octets x;

    memcpy(&x, from, sizeof x);
    return is_signed ? __builtin_convertvector((signed_octets)x, ints)
                     : __builtin_convertvector(x, ints);
#endif
}

/* The first `count` of 2 * LANES bytes, 0 < count <= 2 * LANES; those behind are not read. */
ALWAYS_INLINE pairs pairs_of_bytes(const uint8_t *from, bool is_signed, int count)
{
#if defined __AVX512BW__
    const __m256i x = _mm256_maskz_loadu_epi8((__mmask32)(UINT32_MAX >> (32 - count)), from);

    return (pairs)(is_signed ? _mm512_cvtepi8_epi16(x) : _mm512_cvtepu8_epi16(x));
#else
    uint8_t x __attribute__((vector_size(2 * LANES))) = {0};

    if (count == 2 * LANES)
        memcpy(&x, from, sizeof x);
    else
        memcpy(&x, from, (size_t)count);
#if LANES == 8
    return (pairs)(is_signed ? _mm256_cvtepi8_epi16((__m128i)x) : _mm256_cvtepu8_epi16((__m128i)x));
#else
    typedef int8_t signed_bytes __attribute__((vector_size(2 * LANES)));
    return is_signed ? __builtin_convertvector((signed_bytes)x, pairs)
                     : __builtin_convertvector(x, pairs);
#endif
#endif
}

/* The lowest bits of the first `count` lanes, 0 < count <= LANES. */
ALWAYS_INLINE void bytes_store(void *to, ints x, int count)
{
#if defined __AVX512F__
    const octets bytes = (octets)_mm512_cvtepi32_epi8((__m512i)x);
#elif LANES == 8
    const __m256i lowest = _mm256_shuffle_epi8(
        (__m256i)x, _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                     -1, -1, -1, -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1));
    const __m128i joined =
        _mm_or_si128(_mm256_castsi256_si128(lowest), _mm256_extracti128_si256(lowest, 1));
    const octets bytes = (octets)_mm_cvtsi128_si64(joined);
#else
    const octets bytes = __builtin_convertvector(x, octets);
#endif

    if (count == LANES) {
        memcpy(to, &bytes, sizeof bytes);
    } else {
        const octets some = bytes; /* so that the others need not be in memory */
        memcpy(to, &some, (size_t)count);
    }
}

/* LANES integers of 16 bits from any address. */
ALWAYS_INLINE ints ints_of_words(const uint16_t *from, bool is_signed)
{
    unsigned_halves x;

    memcpy(&x, from, sizeof x);
    return is_signed ? __builtin_convertvector((halves)x, ints) : __builtin_convertvector(x, ints);
}

/* The first `count` of them, 0 < count <= LANES; those behind are not read. */
ALWAYS_INLINE ints ints_of_some_words(const uint16_t *from, bool is_signed, int count)
{
    if (count == LANES)
        return ints_of_words(from, is_signed);
#if defined __AVX512BW__
    const __m256i x = _mm256_maskz_loadu_epi16((__mmask16)((1U << count) - 1), from);

    return (ints)(is_signed ? _mm512_cvtepi16_epi32(x) : _mm512_cvtepu16_epi32(x));
#else
    uint16_t some[LANES] = {0};

    memcpy(some, from, (size_t)count * sizeof *from);
    return ints_of_words(some, is_signed);
#endif
}

/* The lowest 16 bits of the first `count` lanes, 0 < count <= LANES. */
ALWAYS_INLINE void words_store(uint16_t *to, ints x, int count)
{
    const unsigned_halves low = __builtin_convertvector(x, unsigned_halves);

    memcpy(to, &low, count == LANES ? sizeof low : (size_t)count * sizeof *to);
}

ALWAYS_INLINE vec vec_of_ints(ints x)
{
    return __builtin_convertvector(x, vec);
}

/* Of whole numbers. */
ALWAYS_INLINE ints ints_of_vec(vec x)
{
    return __builtin_convertvector(x, ints);
}

/* To the nearest integer, halves to the even one; |x| < 2^22. */
ALWAYS_INLINE ints ints_round(vec x)
{
#if defined __AVX512F__
    return (ints)_mm512_cvtps_epi32(x);
#elif LANES == 8
    return (ints)_mm256_cvtps_epi32(x);
#else
    const vec large = vec_all(0x1.8p23F);

    x += large;
    return (ints)x - (ints)large;
#endif
}

#endif
