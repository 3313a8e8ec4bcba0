/* bytes.c - numbers as bytes and back, and what two lists of bytes give; see bytes.h */
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>
#include <math.h>

static void numbers(float *to, const void *from, const struct byte_code *code, float scale,
                    int64_t count)
{
    const uint8_t *bytes = from;
    const bool is_signed = code->is_signed;
    const int32_t zero = code->zero;
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        vec_store(to + i, vec_of_ints(ints_of_bytes(bytes + i, is_signed) - zero) * scale);
    for (; i < count; i++) {
        int32_t item = is_signed ? (int8_t)bytes[i] : bytes[i];
        to[i] = (float)(item - zero) * scale;
    }
}

/* NaN becomes the least byte. */
ALWAYS_INLINE ints within(vec steps, struct byte_target to)
{
    return ints_round(vec_min(vec_max(steps, vec_all(to.low)), vec_all(to.high))) + to.zero;
}

static void bytes(void *to, const float *from, float scale, const struct byte_target *target,
                  int64_t count)
{
    const struct byte_target within_it = *target;
    uint8_t *out = to;
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        bytes_store(out + i, within(vec_load(from + i) / scale, within_it), LANES);
    if (i < count)
        bytes_store(out + i, within(vec_load_some(from + i, (int)(count - i)) / scale, within_it),
                    (int)(count - i));
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

/* LANES bytes, of which `count` exist. */
ALWAYS_INLINE ints load_some(const uint8_t *from, bool is_signed, int count)
{
    uint8_t some[LANES] = {0};

    memcpy(some, from, (size_t)count);
    return ints_of_bytes(some, is_signed);
}

ALWAYS_INLINE ints added(ints x, ints y, const struct byte_pair p)
{
    const vec b = fused(vec_of_ints(y), vec_all(p.b), vec_all(p.offset));

    return within(fused(vec_of_ints(x), vec_all(p.a), b), p.to);
}

ALWAYS_INLINE ints multiplied(ints x, ints y, const struct byte_pair p)
{
    const vec product = vec_of_ints((x - p.zero[0]) * (y - p.zero[1]));

    return within(product * p.factor, p.to);
}

/* Defines a function that makes a byte of two. */
#define PAIRWISE(name, formula)                                                            \
    static void name(void *to, const void *x, const void *y, const struct byte_pair *pair, \
                     int64_t count)                                                        \
    {                                                                                      \
        const struct byte_pair p = *pair;                                                  \
        const uint8_t *a = x, *b = y;                                                      \
        uint8_t *out = to;                                                                 \
        int64_t i = 0;                                                                     \
                                                                                           \
        for (; i + LANES <= count; i += LANES)                                             \
            bytes_store(out + i,                                                           \
                        formula(ints_of_bytes(a + i, p.is_signed[0]),                      \
                                ints_of_bytes(b + i, p.is_signed[1]), p),                  \
                        LANES);                                                            \
        if (i < count) {                                                                   \
            const int rest = (int)(count - i);                                             \
            bytes_store(out + i,                                                           \
                        formula(load_some(a + i, p.is_signed[0], rest),                    \
                                load_some(b + i, p.is_signed[1], rest), p),                \
                        rest);                                                             \
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
