/* bytes.c - numbers as bytes or words and back, and what two lists of them give; see bytes.h */
#include "kernel/bytes_put.h"
#include "kernel/mix_vector.h"
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>
#include <math.h>

/* So many floats are prefetched ahead: the processor's own prefetching stops at the end of a page.
 */
enum { AHEAD = 1024 };

/* LANES bytes or words. */
ALWAYS_INLINE ints items_load(const void *from, int64_t at, bool is_signed, bool wide)
{
    return wide ? ints_of_words((const uint16_t *)from + at, is_signed)
                : ints_of_bytes((const uint8_t *)from + at, is_signed);
}

/* The same, of which `count` exist. */
ALWAYS_INLINE ints items_load_some(const void *from, int64_t at, bool is_signed, bool wide,
                                   int count)
{
    const size_t size = wide ? sizeof(uint16_t) : 1;
    uint16_t some[LANES] = {0};

    memcpy(some, (const char *)from + (size_t)at * size, (size_t)count * size);
    return items_load(some, 0, is_signed, wide);
}

ALWAYS_INLINE void items_store(void *to, int64_t at, ints x, bool wide, int count)
{
    if (wide)
        words_store((uint16_t *)to + at, x, count);
    else
        bytes_store((uint8_t *)to + at, x, count);
}

ALWAYS_INLINE void numbers_of(float *to, const void *from, const struct byte_code code, float scale,
                              int64_t count)
{
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        vec_store(to + i,
                  vec_of_ints(items_load(from, i, code.is_signed, code.wide) - code.zero) * scale);
    if (i < count)
        vec_store_most(
            to + i,
            vec_of_ints(items_load_some(from, i, code.is_signed, code.wide, (int)(count - i)) -
                        code.zero) *
                scale,
            (int)(count - i));
}

/* Expanded for bytes and for words. */
static void numbers(float *to, const void *from, const struct byte_code *code, float scale,
                    int64_t count)
{
    struct byte_code of = *code;

    if (code->wide) {
        of.wide = true;
        numbers_of(to, from, of, scale, count);
    } else {
        of.wide = false;
        numbers_of(to, from, of, scale, count);
    }
}

/* NaN becomes the least byte. */
ALWAYS_INLINE ints within(vec steps, struct byte_target to)
{
    return ints_round(vec_min(vec_max(steps, vec_all(to.low)), vec_all(to.high))) + to.zero;
}

/* x * y + z, rounded once. */
ALWAYS_INLINE vec fused(vec x, vec y, vec z)
{
#if LANES == 16
    return _mm512_fmadd_ps(x, y, z);
#elif LANES == 8
    return _mm256_fmadd_ps(x, y, z);
#else
    for (int i = 0; i < LANES; i++)
        z[i] = fmaf(x[i], y[i], z[i]);
    return z;
#endif
}

/* How numbers become steps.  A quick divisor is multiplied with, where nothing overflows or
 * underflows; else numbers are divided. */
struct divisor {
    float scale, inverse, most;
    bool quick;
};

static struct divisor divisor_of(float scale)
{
    const bool has_fused_products = LANES > 4;

    return (struct divisor){scale, 1 / scale, scale * 0x1p20F,
                            has_fused_products && scale > 0x1p-60F && scale < 0x1p60F};
}

/* x / scale.  A first quotient is corrected twice by what remains.  The first correction leaves
 * less than one unit in the last place, so that the second one rounds as a division does (P.
 * Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990).
 * Steps are at most 2^20, beyond all integers of 16 bits.  NaN stays, and numbers so low that their
 * quotient overflows become NaN.  Both give the least integer. */
ALWAYS_INLINE vec quotient(vec x, const struct divisor by)
{
    const vec minus = vec_all(-by.scale), inverse = vec_all(by.inverse);

    if (!by.quick)
        return x / by.scale;
    x = vec_min(vec_all(by.most), x);
    vec steps = x * inverse;
    UNROLL
    for (int i = 0; i < 2; i++)
        steps = fused(fused(steps, minus, x), inverse, steps);
    return steps;
}

/* How numbers become bytes. */
struct division {
    struct divisor by;
    struct byte_target target;
};

#if defined __AVX512BW__
enum { TOGETHER = 4 * LANES };

ALWAYS_INLINE struct byte_sink sink_to(const struct byte_target to)
{
    return (struct byte_sink){
        .low = vec_all(to.low), .high = vec_all(to.high), .zero = ints_all(to.zero)};
}

/* So many bytes at once; returns how many are done.  `saturation` is a constant. */
ALWAYS_INLINE int64_t divide_together(void *to, const float *from, const struct division d,
                                      int64_t count, const enum byte_saturation saturation)
{
    const struct byte_sink sink = sink_to(d.target);
    int64_t i = 0;

    for (; i + TOGETHER <= count; i += TOGETHER) {
        vec steps[4];
        UNROLL
        for (int v = 0; v < 4; v++) {
            const float *at = from + i + (ptrdiff_t)v * LANES;
            __builtin_prefetch(at + AHEAD);
            steps[v] = quotient(vec_load(at), d.by);
        }
        _mm512_storeu_si512((uint8_t *)to + i, ordered_bytes_of(&sink, steps, saturation));
    }
    return i;
}
#endif

ALWAYS_INLINE void divide(void *to, const float *from, const struct division d, int64_t count)
{
    int64_t i = 0;

#if defined __AVX512BW__
    if (!d.target.wide)
        i = d.by.quick && byte_target_is_whole(&d.target)
                ? divide_together(to, from, d, count, SATURATED)
                : divide_together(to, from, d, count, UNSATURATED);
#endif
    for (; i < count; i += LANES) {
        const int lanes = count - i < LANES ? (int)(count - i) : LANES;
        const vec x = vec_load_most(from + i, lanes);
        __builtin_prefetch(from + i + AHEAD);
        items_store(to, i, within(quotient(x, d.by), d.target), d.target.wide, lanes);
    }
}

/* Expanded for quick divisors and others. */
ALWAYS_INLINE void bytes_of_numbers(void *to, const float *from, struct division d, int64_t count)
{
    if (d.by.quick) {
        d.by.quick = true;
        divide(to, from, d, count);
    } else {
        d.by.quick = false;
        divide(to, from, d, count);
    }
}

static void bytes(void *to, const float *from, float scale, const struct byte_target *target,
                  int64_t count)
{
    struct division d = {divisor_of(scale), *target};

    if (target->wide) {
        d.target.wide = true;
        bytes_of_numbers(to, from, d, count);
    } else {
        d.target.wide = false;
        bytes_of_numbers(to, from, d, count);
    }
}

#if defined __AVX512BW__
/* TOGETHER bytes at once, with so many vectors of each pixel, a constant number; returns how many
 * pixels are done.  `saturation` is a constant. */
ALWAYS_INLINE int64_t mixes_together(uint8_t *to, const struct mixed_row *mixed,
                                     const struct division d, const int vecs,
                                     const enum byte_saturation saturation)
{
    const struct byte_sink sink = sink_to(d.target);
    const int64_t channels = mixed->channels, count = mixed->count, pixels = 4 / vecs;
    int64_t i = 0;

    for (; i + pixels <= count; i += pixels) {
        struct mix_pair pair[4];
        UNROLL
        for (int p = 0; p < pixels; p++)
            pair[p] = mix_pair_at(mixed, i + p);
        for (int64_t c = 0; c < channels; c += (int64_t)vecs * LANES, to += TOGETHER) {
            vec steps[4];
            UNROLL
            for (int v = 0; v < 4; v++) {
                const int64_t at = c + (int64_t)(v % vecs) * LANES;
                steps[v] = quotient(mix_of(&pair[v / vecs], at, LANES), d.by);
            }
            _mm512_storeu_si512(to, ordered_bytes_of(&sink, steps, saturation));
        }
    }
    return i;
}

ALWAYS_INLINE int64_t mixes_of_bytes(uint8_t *to, const struct mixed_row *mixed,
                                     const struct division d, const enum byte_saturation saturation)
{
    if (mixed->channels % TOGETHER == 0)
        return mixes_together(to, mixed, d, 4, saturation);
    if (mixed->channels == 2 * LANES)
        return mixes_together(to, mixed, d, 2, saturation);
    return mixed->channels == LANES ? mixes_together(to, mixed, d, 1, saturation) : 0;
}
#endif

ALWAYS_INLINE void divide_mixes(void *to, const struct mixed_row *mixed, const struct division d)
{
    const int64_t channels = mixed->channels;
    int64_t i = 0;

#if defined __AVX512BW__
    if (!d.target.wide)
        i = d.by.quick && byte_target_is_whole(&d.target)
                ? mixes_of_bytes(to, mixed, d, SATURATED)
                : mixes_of_bytes(to, mixed, d, UNSATURATED);
#endif
    for (; i < mixed->count; i++) {
        const struct mix_pair pair = mix_pair_at(mixed, i);
        for (int64_t c = 0; c < channels; c += LANES) {
            const int lanes = channels - c < LANES ? (int)(channels - c) : LANES;
            const vec steps = quotient(mix_of(&pair, c, lanes), d.by);
            items_store(to, i * channels + c, within(steps, d.target), d.target.wide, lanes);
        }
    }
}

static void mixed_bytes(void *to, const struct mixed_row *mixed, float scale,
                        const struct byte_target *target)
{
    struct division d = {divisor_of(scale), *target};

    if (d.by.quick) {
        d.by.quick = true;
        divide_mixes(to, mixed, d);
    } else {
        d.by.quick = false;
        divide_mixes(to, mixed, d);
    }
}

/* Steps of the result, which are rounded then. */
ALWAYS_INLINE vec added(ints x, ints y, const struct byte_pair p)
{
    const vec b = fused(vec_of_ints(y), vec_all(p.b), vec_all(p.offset));

    return fused(vec_of_ints(x), vec_all(p.a), b);
}

ALWAYS_INLINE vec multiplied(ints x, ints y, const struct byte_pair p)
{
    /* Floats hold the factors, so that the product is rounded as an integer of 64 bits. */
    const vec product = vec_of_ints(x - p.zero[0]) * vec_of_ints(y - p.zero[1]);

    return product * p.factor;
}

typedef vec pair_formula(ints x, ints y, const struct byte_pair p);

#if defined __AVX512BW__
/* So many bytes at once; returns how many are done.  `saturation` is a constant. */
ALWAYS_INLINE int64_t pairs_together(void *to, const void *const in[2], const struct byte_pair p,
                                     int64_t count, pair_formula *formula,
                                     const enum byte_saturation saturation)
{
    const struct byte_sink sink = sink_to(p.to);
    const bool signs[] = {p.is_signed[0], p.is_signed[1]};
    int64_t i = 0;

    for (; i + TOGETHER <= count; i += TOGETHER) {
        vec steps[4];
        UNROLL
        for (int v = 0; v < 4; v++) {
            const int64_t at = i + (int64_t)v * LANES;
            steps[v] = formula(items_load(in[0], at, signs[0], false),
                               items_load(in[1], at, signs[1], false), p);
        }
        _mm512_storeu_si512((uint8_t *)to + i, ordered_bytes_of(&sink, steps, saturation));
    }
    return i;
}

/* The same, expanded for bytes of either kind: constants tell the compiler their signs, so that no
 * load asks for them. */
ALWAYS_INLINE int64_t pairs_alike(void *to, const void *const in[2], struct byte_pair p,
                                  int64_t count, pair_formula *formula,
                                  const enum byte_saturation saturation)
{
    if (p.is_signed[0] != p.is_signed[1])
        return pairs_together(to, in, p, count, formula, saturation);
    if (p.is_signed[0]) {
        p.is_signed[0] = p.is_signed[1] = true;
        return pairs_together(to, in, p, count, formula, saturation);
    }
    p.is_signed[0] = p.is_signed[1] = false;
    return pairs_together(to, in, p, count, formula, saturation);
}
#endif

ALWAYS_INLINE void pairwise(void *to, const void *const in[2], const struct byte_pair p,
                            int64_t count, pair_formula *formula)
{
    int64_t i = 0;

#if defined __AVX512BW__
    if (!p.wide[0] && !p.wide[1] && !p.to.wide)
        i = p.saturates ? pairs_alike(to, in, p, count, formula, SATURATED)
                        : pairs_alike(to, in, p, count, formula, UNSATURATED);
#endif
    for (; i + LANES <= count; i += LANES)
        items_store(to, i,
                    within(formula(items_load(in[0], i, p.is_signed[0], p.wide[0]),
                                   items_load(in[1], i, p.is_signed[1], p.wide[1]), p),
                           p.to),
                    p.to.wide, LANES);
    if (i < count) {
        const int rest = (int)(count - i);
        items_store(to, i,
                    within(formula(items_load_some(in[0], i, p.is_signed[0], p.wide[0], rest),
                                   items_load_some(in[1], i, p.is_signed[1], p.wide[1], rest), p),
                           p.to),
                    p.to.wide, rest);
    }
}

/* Defines a function that makes a byte or a word of two; bytes alone have a loop of their own. */
#define PAIRWISE(name, formula)                                                            \
    static void name(void *to, const void *x, const void *y, const struct byte_pair *pair, \
                     int64_t count)                                                        \
    {                                                                                      \
        struct byte_pair p = *pair;                                                        \
        const void *const in[] = {x, y};                                                   \
                                                                                           \
        if (p.wide[0] || p.wide[1] || p.to.wide) {                                         \
            pairwise(to, in, p, count, formula);                                           \
        } else {                                                                           \
            p.wide[0] = p.wide[1] = p.to.wide = false;                                     \
            pairwise(to, in, p, count, formula);                                           \
        }                                                                                  \
    }

PAIRWISE(add, added)
PAIRWISE(multiply, multiplied)

/* --- tables ---------------------------------------------------------------------------------- */

#if defined __AVX512BW__
enum { LOOKED_UP = 64 };

/* Entries as words of two, in the order of memory. */
struct entries {
    __m512i words[4];
};

ALWAYS_INLINE struct entries entries_load(const uint8_t *table)
{
    struct entries e;

    for (int i = 0; i < 4; i++)
        e.words[i] = _mm512_loadu_si512(table + (ptrdiff_t)i * LOOKED_UP);
    return e;
}

/* The entries of words that are bytes, as the lower bytes of words. */
ALWAYS_INLINE __m512i entries_of_words(const struct entries *e, __m512i at)
{
    const __m512i pair = _mm512_srli_epi16(at, 1);
    const __mmask32 upper = _mm512_test_epi16_mask(at, _mm512_set1_epi16(128));
    const __m512i both =
        _mm512_mask_blend_epi16(upper, _mm512_permutex2var_epi16(e->words[0], pair, e->words[1]),
                                _mm512_permutex2var_epi16(e->words[2], pair, e->words[3]));
    const __m512i shift = _mm512_slli_epi16(_mm512_and_si512(at, _mm512_set1_epi16(1)), 3);

    return _mm512_srlv_epi16(both, shift);
}

ALWAYS_INLINE void look_up_some(uint8_t *to, const uint8_t *from, const struct entries *e)
{
    const __m512i at = _mm512_loadu_si512(from), low = _mm512_set1_epi16(UINT8_MAX);
    const __m512i even = entries_of_words(e, _mm512_and_si512(at, low));
    const __m512i odd = entries_of_words(e, _mm512_srli_epi16(at, 8));

    _mm512_storeu_si512(to,
                        _mm512_or_si512(_mm512_and_si512(even, low), _mm512_slli_epi16(odd, 8)));
}
#elif LANES == 8
enum { LOOKED_UP = 32 };

/* Sixteen entries in both halves of each. */
struct entries {
    __m256i bytes[16];
};

ALWAYS_INLINE struct entries entries_load(const uint8_t *table)
{
    struct entries e;

    for (int i = 0; i < 16; i++)
        e.bytes[i] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(table + (ptrdiff_t)i * 16)));
    return e;
}

/* Of those sixteen of which a byte is none, it makes 0: its highest bit is set then. */
ALWAYS_INLINE void look_up_some(uint8_t *to, const uint8_t *from, const struct entries *e)
{
    const __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)from);
    __m256i found = _mm256_setzero_si256();

    UNROLL
    for (int i = 0; i < 16; i++) {
        const __m256i off = _mm256_xor_si256(at, _mm256_set1_epi8((char)(16 * i)));
        found = _mm256_or_si256(
            found, _mm256_shuffle_epi8(e->bytes[i], _mm256_adds_epu8(off, _mm256_set1_epi8(0x70))));
    }
    _mm256_storeu_si256((__m256i *)(void *)to, found);
}
#endif

static void look_up(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count)
{
    int64_t i = 0;

#if defined __AVX512BW__ || LANES == 8
    const struct entries entries = entries_load(table);

    for (; i + LOOKED_UP <= count; i += LOOKED_UP)
        look_up_some(to + i, from + i, &entries);
#endif
    for (; i < count; i++)
        to[i] = table[from[i]];
}

const struct byte_kernels BYTE_KERNEL(bytes) = {
    .pairs = &BYTE_KERNEL(byte_pairs),
    .run_pairs = BYTE_KERNEL(run_byte_pairs),
    .quads = &BYTE_KERNEL(byte_quads),
    .run_quads = BYTE_KERNEL(run_byte_quads),
    .prefers_quads = HAS_QUADS,
    .winograd = &BYTE_KERNEL(byte_winograd),
    .run_winograd = BYTE_KERNEL(run_byte_winograd),
    .words = &BYTE_KERNEL(byte_words),
    .run_words = BYTE_KERNEL(run_byte_words),
    .words_depthwise = &BYTE_KERNEL(byte_words_depthwise),
    .run_words_depthwise = BYTE_KERNEL(run_byte_words_depthwise),
    .depthwise = &BYTE_KERNEL(byte_depthwise),
    .run_depthwise = BYTE_KERNEL(run_byte_depthwise),
#if defined __AVX512VNNI__
    .columns = &BYTE_KERNEL(byte_columns),
    .run_columns = BYTE_KERNEL(run_byte_columns),
    .rows = &BYTE_KERNEL(byte_rows),
    .run_rows = BYTE_KERNEL(run_byte_rows),
#endif
    .numbers = numbers,
    .bytes = bytes,
    .mixed_bytes = mixed_bytes,
    .mix = BYTE_KERNEL(mix_bytes),
    .mean = BYTE_KERNEL(mean_bytes),
    .add = add,
    .multiply = multiply,
    .max_pool = BYTE_KERNEL(byte_pool),
    .look_up = look_up,
};
