/* map.c - functions of items, LANES at once; see map.h */
#include "kernel/map.h"

#include "kernel/curve.h"
#include "kernel/table.h"

#include <assert.h>

/* --- functions ------------------------------------------------------------------------------ */

/* 1 where the lanes of `when` are all bits, 0 where they are 0. */
ALWAYS_INLINE vec truth(ints when)
{
    return vec_select(when, vec_all(1), vec_all(0));
}

/* floor(x + 0.5) as if in exact arithmetic: x + 0.5 itself could be rounded up. */
ALWAYS_INLINE vec round_halves_up(vec x)
{
    vec below = vec_floor(x);

    return below + truth(x - below >= 0.5F);
}

ALWAYS_INLINE vec square_root(vec x)
{
#if defined __AVX512F__
    return _mm512_sqrt_ps(x);
#elif LANES == 8
    return _mm256_sqrt_ps(x);
#elif defined __SSE2__
    return _mm_sqrt_ps(x);
#else
    for (int i = 0; i < LANES; i++)
        x[i] = sqrtf(x[i]);
    return x;
#endif
}

/* Infinity for the negative infinity, and positive zero for the negative zero. */
ALWAYS_INLINE vec power_of_half(vec x)
{
    return vec_select(x == -INFINITY, vec_all(INFINITY), square_root(x) + 0.0F);
}

/* --- application ---------------------------------------------------------------------------- */

typedef vec function_of_vecs(vec x, vec y, vec z, struct map_numbers n);

/* Expanded for each function, so that it is inlined into the loop. */
ALWAYS_INLINE void apply(function_of_vecs *f, float *to, const float *const in[3],
                         const struct map_numbers *numbers, int64_t count)
{
    const struct map_numbers n = *numbers;
    const float *x = in[0], *y = in[1], *z = in[2];
    int64_t i = 0;

    assert(count >= 0 && to && x && y && z);
    for (; i + LANES <= count; i += LANES)
        vec_store(to + i, f(vec_load(x + i), vec_load(y + i), vec_load(z + i), n));
    if (i == count)
        return;
    int rest = (int)(count - i);
    vec last =
        f(vec_load_some(x + i, rest), vec_load_some(y + i, rest), vec_load_some(z + i, rest), n);
    vec_store_some(to + i, last, rest);
}

#define MAP(name, weight, formula)                                                                 \
    ALWAYS_INLINE vec name##_of(vec x, vec y, vec z, struct map_numbers n)                         \
    {                                                                                              \
        (void)x, (void)y, (void)z, (void)n;                                                        \
        return formula;                                                                            \
    }                                                                                              \
    static void name##_all(float *to, const float *const in[3], const struct map_numbers *numbers, \
                           int64_t count)                                                          \
    {                                                                                              \
        apply(name##_of, to, in, numbers, count);                                                  \
    }
#include "kernel/map.def"
#undef MAP

/* --- truth values --------------------------------------------------------------------------- */

static void from_truth(float *to, const uint8_t *from, int64_t count)
{
    assert(count >= 0 && to && from);
    for (int64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void to_truth(uint8_t *to, const float *from, int64_t count)
{
    assert(count >= 0 && to && from);
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i] != 0;
}

const struct maps KERNEL(maps) = {
    .map =
        {
#define MAP(name, weight, formula) [MAP_##name] = name##_all,
#include "kernel/map.def"
#undef MAP
        },
    .from_truth = from_truth,
    .to_truth = to_truth,
};
