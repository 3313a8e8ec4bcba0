/*
 * bytes_put.h - results from the sums of a layer of bytes, see enum byte_result
 *
 * A compiler has to assume that a store of bytes changes anything in memory.  So loops keep what
 * they need in variables.
 */
#ifndef NNEFC_KERNEL_BYTES_PUT_H
#define NNEFC_KERNEL_BYTES_PUT_H

#include "kernel/bytes.h"
#include "kernel/pairs.h"

/* Lines that are far away are fetched so many bytes before they are used. */
enum { FAR_AHEAD = 4096 };

/* Is an image of so many bytes too large to be in the cache of a core when it is used again? */
static inline bool is_far(int64_t bytes)
{
    return bytes > 1 << 20;
}

struct byte_sink {
    enum byte_result result;
    vec low, high;
    ints zero;
    const float *factor;
    void *dst;
};

ALWAYS_INLINE struct byte_sink sink_of(const struct byte_layer *layer,
                                       const struct byte_operands *operands)
{
    return (struct byte_sink){layer->result,           vec_all(layer->to.low),
                              vec_all(layer->to.high), ints_all(layer->to.zero),
                              operands->factor,        operands->dst};
}

/* How steps are cut to bytes.  They saturate if bytes may have any value, and the steps of any sums
 * of 32 bits are below 2^31. */
enum byte_saturation {
    UNSATURATED,       /* they are compared with their bounds */
    SATURATED,         /* packing cuts them */
    SATURATED_AT_ZERO, /* the same for bytes without a sign whose zero is 0, mostly behind relu */
};

#if defined __AVX512BW__
#define HAS_SATURATION true
#else
#define HAS_SATURATION false
#endif

/* Of the results of `count` channels. */
static inline enum byte_saturation saturation_of(const struct byte_layer *layer,
                                                 const float *factor, int64_t count)
{
    bool small = true;

    if (!HAS_SATURATION || layer->result != RESULT_BYTES || !byte_target_is_whole(&layer->to))
        return UNSATURATED;
    for (int64_t i = 0; i < count; i++)
        small &= factor[i] > -0.5F && factor[i] < 0.5F;
    if (!small)
        return UNSATURATED;
    return layer->to.low == 0 && layer->to.zero == 0 ? SATURATED_AT_ZERO : SATURATED;
}

/* Sums of `count` neighbouring channels by their factors become the result from item `at` on. */
ALWAYS_INLINE void put_steps(struct byte_sink sink, vec steps, int64_t at, int count)
{
    if (sink.result == RESULT_NUMBERS) {
        vec_store_most((float *)sink.dst + at, steps, count);
        return;
    }
    steps = vec_min(vec_max(steps, sink.low), sink.high);
    if (sink.result == RESULT_WORDS)
        words_store((uint16_t *)sink.dst + at, ints_round(steps) + sink.zero, count);
    else
        bytes_store((uint8_t *)sink.dst + at, ints_round(steps) + sink.zero, count);
}

/* Sums of `count` neighbouring channels become the result from item `at` on; their factors are from
 * `padded` on. */
ALWAYS_INLINE void put_sums(struct byte_sink sink, ints sums, int64_t at, int64_t padded, int count)
{
    if (sink.result == RESULT_SUMS) {
        for (int i = 0; i < count; i++)
            ((int64_t *)sink.dst)[at + i] = sums[i];
        return;
    }
    put_steps(sink, vec_of_ints(sums) * vec_load(sink.factor + padded), at, count);
}

/* The channels of a pixel: the place of their factors, the numbers of channels and of vectors, and
 * how steps are cut. */
struct byte_row {
    int64_t padded;
    int count, vecs;
    enum byte_saturation saturation;
};

/* Their results, whatever form these have. */
static inline void put_row(const struct byte_sink *sink, const ints *sums, int64_t at,
                           struct byte_row row)
{
    for (int c = 0; c < row.count; c += LANES)
        put_sums(*sink, sums[c / LANES], at + c, row.padded + c,
                 row.count - c < LANES ? row.count - c : LANES);
}

#if defined __AVX512BW__
/* Rounded steps of two vectors of channels, moved by the zero, as the lower bytes of words.  NaN
 * and steps beyond integers become the least byte. */
ALWAYS_INLINE __m512i words_of(const struct byte_sink *sink, vec x, vec y)
{
    const __m512i words =
        _mm512_packs_epi32(_mm512_cvtps_epi32(_mm512_min_ps((__m512)sink->high, (__m512)x)),
                           _mm512_cvtps_epi32(_mm512_min_ps((__m512)sink->high, (__m512)y)));

    return _mm512_and_si512(
        _mm512_add_epi16(_mm512_max_epi16(words, _mm512_set1_epi16((int16_t)sink->low[0])),
                         _mm512_set1_epi16((int16_t)sink->zero[0])),
        _mm512_set1_epi16(UINT8_MAX));
}

/* Rounded steps below 2^31, as words that saturate. */
ALWAYS_INLINE __m512i saturated(vec x, vec y)
{
    return _mm512_packs_epi32(_mm512_cvtps_epi32((__m512)x), _mm512_cvtps_epi32((__m512)y));
}

/* The bytes of four vectors of channels, four channels of each in turn.  `saturation` is a
 * constant. */
ALWAYS_INLINE __m512i bytes_of(const struct byte_sink *sink, const vec *steps,
                               const enum byte_saturation saturation)
{
    if (saturation == UNSATURATED)
        return _mm512_packus_epi16(words_of(sink, steps[0], steps[1]),
                                   words_of(sink, steps[2], steps[3]));
    const __m512i first = saturated(steps[0], steps[1]), second = saturated(steps[2], steps[3]);
    if (saturation == SATURATED_AT_ZERO)
        return _mm512_packus_epi16(first, second);
    const int32_t low = (int32_t)sink->low[0];
    const __m512i rise = _mm512_set1_epi16((int16_t)-low);
    return _mm512_xor_si512(
        _mm512_packus_epi16(_mm512_adds_epi16(first, rise), _mm512_adds_epi16(second, rise)),
        _mm512_set1_epi8((int8_t)(low + sink->zero[0])));
}

/* The square of four by four groups of four bytes, transposed. */
ALWAYS_INLINE __m512i transposed_fours(__m512i bytes)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

    return _mm512_permutexvar_epi32(order, bytes);
}

/* The bytes of four vectors in the order of channels. */
ALWAYS_INLINE __m512i ordered_bytes_of(const struct byte_sink *sink, const vec *steps,
                                       const enum byte_saturation saturation)
{
    return transposed_fours(bytes_of(sink, steps, saturation));
}

/* Store the first `count` bytes.  A store across lines of the cache takes longer, also if its mask
 * leaves it bytes of one line only. */
ALWAYS_INLINE void store_first(uint8_t *to, __m512i bytes, int count)
{
    const uint64_t exist = UINT64_MAX >> (64 - count);

    if (count <= 16)
        _mm_mask_storeu_epi8(to, (__mmask16)exist, _mm512_castsi512_si128(bytes));
    else if (count <= 32)
        _mm256_mask_storeu_epi8(to, (__mmask32)exist, _mm512_castsi512_si256(bytes));
    else
        _mm512_mask_storeu_epi8(to, exist, bytes);
}

/* The bytes of up to four vectors, a constant number. */
ALWAYS_INLINE void put_bytes(const struct byte_sink *sink, const ints *sums, int64_t at,
                             struct byte_row row)
{
    vec steps[4];

    UNROLL
    for (int v = 0; v < 4; v++)
        steps[v] = v < row.vecs ? vec_of_ints(sums[v]) *
                                      vec_load(sink->factor + row.padded + (int64_t)v * LANES)
                                : steps[v - 1];
    store_first((uint8_t *)sink->dst + at, ordered_bytes_of(sink, steps, row.saturation),
                row.count);
}
#else

ALWAYS_INLINE void put_bytes(const struct byte_sink *sink, const ints *sums, int64_t at,
                             struct byte_row row)
{
    UNROLL
    for (int v = 0; v < row.vecs; v++) {
        const int lane = v * LANES, left = row.count - lane;
        put_sums(*sink, sums[v], at + lane, row.padded + lane, left < LANES ? left : LANES);
    }
}
#endif

#endif
