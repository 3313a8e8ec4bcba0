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

/* Can results saturate?  They are any byte, and the steps of any sums of 32 bits are below 2^31,
 * for `count` channels. */
static inline bool saturates(const struct byte_layer *layer, const float *factor, int64_t count)
{
    bool small = true;

    if (layer->result != RESULT_BYTES || !byte_target_is_whole(&layer->to))
        return false;
    for (int64_t i = 0; i < count; i++)
        small &= factor[i] > -0.5F && factor[i] < 0.5F;
    return small;
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

/* The channels of a pixel: the place of their factors, their number, the number of their vectors,
 * and whether they saturate. */
struct byte_row {
    int64_t padded;
    int count, vecs;
    bool saturate;
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
#define HAS_SATURATION true

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

/* The same for steps that saturate, as words. */
ALWAYS_INLINE __m512i saturated(const struct byte_sink *sink, vec x, vec y)
{
    const __m512i words =
        _mm512_packs_epi32(_mm512_cvtps_epi32((__m512)x), _mm512_cvtps_epi32((__m512)y));

    return _mm512_adds_epi16(words, _mm512_set1_epi16((int16_t) - (int32_t)sink->low[0]));
}

/* The bytes of four vectors of channels, four channels of each in turn.  `saturate` is a constant.
 */
ALWAYS_INLINE __m512i bytes_of(const struct byte_sink *sink, const vec *steps, const bool saturate)
{
    if (!saturate)
        return _mm512_packus_epi16(words_of(sink, steps[0], steps[1]),
                                   words_of(sink, steps[2], steps[3]));
    const int8_t least = (int8_t)((int32_t)sink->low[0] + sink->zero[0]);
    return _mm512_xor_si512(_mm512_packus_epi16(saturated(sink, steps[0], steps[1]),
                                                saturated(sink, steps[2], steps[3])),
                            _mm512_set1_epi8(least));
}

/* The square of four by four groups of four bytes, transposed. */
ALWAYS_INLINE __m512i transposed_fours(__m512i bytes)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

    return _mm512_permutexvar_epi32(order, bytes);
}

/* The bytes of four vectors in the order of channels. */
ALWAYS_INLINE __m512i ordered_bytes_of(const struct byte_sink *sink, const vec *steps,
                                       const bool saturate)
{
    return transposed_fours(bytes_of(sink, steps, saturate));
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
    store_first((uint8_t *)sink->dst + at, ordered_bytes_of(sink, steps, row.saturate), row.count);
}
#else
#define HAS_SATURATION false

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
