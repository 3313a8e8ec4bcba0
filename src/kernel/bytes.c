/* bytes.c - numbers as bytes or words and back, and what two lists of them give; see bytes.h */
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>
#include <math.h>

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

ALWAYS_INLINE void bytes_of(void *to, const float *from, float scale, struct byte_target target,
                            int64_t count)
{
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        items_store(to, i, within(vec_load(from + i) / scale, target), target.wide, LANES);
    if (i < count)
        items_store(to, i, within(vec_load_some(from + i, (int)(count - i)) / scale, target),
                    target.wide, (int)(count - i));
}

static void bytes(void *to, const float *from, float scale, const struct byte_target *target,
                  int64_t count)
{
    struct byte_target of = *target;

    if (target->wide) {
        of.wide = true;
        bytes_of(to, from, scale, of, count);
    } else {
        of.wide = false;
        bytes_of(to, from, scale, of, count);
    }
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

ALWAYS_INLINE ints added(ints x, ints y, const struct byte_pair p)
{
    const vec b = fused(vec_of_ints(y), vec_all(p.b), vec_all(p.offset));

    return within(fused(vec_of_ints(x), vec_all(p.a), b), p.to);
}

ALWAYS_INLINE ints multiplied(ints x, ints y, const struct byte_pair p)
{
    /* Floats hold the factors, so that the product is rounded as an integer of 64 bits. */
    const vec product = vec_of_ints(x - p.zero[0]) * vec_of_ints(y - p.zero[1]);

    return within(product * p.factor, p.to);
}

typedef ints pair_formula(ints x, ints y, const struct byte_pair p);

ALWAYS_INLINE void pairwise(void *to, const void *const in[2], const struct byte_pair p,
                            int64_t count, pair_formula *formula)
{
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        items_store(to, i,
                    formula(items_load(in[0], i, p.is_signed[0], p.wide[0]),
                            items_load(in[1], i, p.is_signed[1], p.wide[1]), p),
                    p.to.wide, LANES);
    if (i < count) {
        const int rest = (int)(count - i);
        items_store(to, i,
                    formula(items_load_some(in[0], i, p.is_signed[0], p.wide[0], rest),
                            items_load_some(in[1], i, p.is_signed[1], p.wide[1], rest), p),
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

const struct byte_kernels BYTE_KERNEL(bytes) = {
    .pairs = &BYTE_KERNEL(byte_pairs),
    .run_pairs = BYTE_KERNEL(run_byte_pairs),
    .quads = &BYTE_KERNEL(byte_quads),
    .run_quads = BYTE_KERNEL(run_byte_quads),
    .prefers_quads = HAS_QUADS,
    .words = &BYTE_KERNEL(byte_words),
    .run_words = BYTE_KERNEL(run_byte_words),
    .words_depthwise = &BYTE_KERNEL(byte_words_depthwise),
    .run_words_depthwise = BYTE_KERNEL(run_byte_words_depthwise),
    .depthwise = &BYTE_KERNEL(byte_depthwise),
    .run_depthwise = BYTE_KERNEL(run_byte_depthwise),
#if defined __AVX512VNNI__
    .columns = &BYTE_KERNEL(byte_columns),
    .run_columns = BYTE_KERNEL(run_byte_columns),
#endif
    .numbers = numbers,
    .bytes = bytes,
    .add = add,
    .multiply = multiply,
    .max_pool = BYTE_KERNEL(byte_pool),
};
