/* map.c - functions of items, LANES at once; see map.h, and src/op/ for their definitions */
#include "kernel/map.h"

#include "kernel/curve.h"
#include "kernel/table.h"

#include <assert.h>

/* --- functions ------------------------------------------------------------------------------ */

/* Operands and attributes of a function. */
struct args {
    vec x, y, z;
    float alpha, lambda;
};

/* 1 where the lanes of `when` are all bits, 0 where they are 0. */
ALWAYS_INLINE vec truth(ints when)
{
    return vec_select(when, vec_all(1), vec_all(0));
}

ALWAYS_INLINE vec map_neg(struct args a)
{
    return -a.x;
}

ALWAYS_INLINE vec map_rcp(struct args a)
{
    return 1.0F / a.x;
}

ALWAYS_INLINE vec map_exp(struct args a)
{
    return vec_exp(a.x);
}

ALWAYS_INLINE vec map_log(struct args a)
{
    return vec_log(a.x);
}

ALWAYS_INLINE vec map_tanh(struct args a)
{
    return vec_tanh(a.x);
}

ALWAYS_INLINE vec map_abs(struct args a)
{
    return vec_absolute(a.x);
}

ALWAYS_INLINE vec map_sign(struct args a)
{
    return vec_with_nan(truth(a.x > 0.0F) - truth(a.x < 0.0F), vec_find_nan(vec_all(0), a.x));
}

ALWAYS_INLINE vec map_not(struct args a)
{
    return truth(a.x == 0.0F);
}

ALWAYS_INLINE vec map_floor(struct args a)
{
    return vec_floor(a.x);
}

ALWAYS_INLINE vec map_ceil(struct args a)
{
    return -vec_floor(-a.x);
}

/* floor(x + 0.5) as if in exact arithmetic: x + 0.5 itself could be rounded up. */
ALWAYS_INLINE vec map_round(struct args a)
{
    vec below = vec_floor(a.x);

    return below + truth(a.x - below >= 0.5F);
}

ALWAYS_INLINE vec map_sqr(struct args a)
{
    return a.x * a.x;
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

/* The power 0.5: infinity for the negative infinity, and positive zero for the negative zero. */
ALWAYS_INLINE vec map_sqrt(struct args a)
{
    return vec_select(a.x == -INFINITY, vec_all(INFINITY), square_root(a.x) + 0.0F);
}

ALWAYS_INLINE vec map_rsqr(struct args a)
{
    return 1.0F / a.x / a.x;
}

ALWAYS_INLINE vec map_rsqrt(struct args a)
{
    return 1.0F / map_sqrt(a);
}

ALWAYS_INLINE vec map_log2(struct args a)
{
    return vec_log(a.x) * 1.44269504F;
}

ALWAYS_INLINE vec map_sigmoid(struct args a)
{
    return vec_sigmoid(a.x);
}

ALWAYS_INLINE vec map_relu(struct args a)
{
    return vec_max(vec_all(0), a.x);
}

ALWAYS_INLINE vec map_gelu(struct args a)
{
    return a.x * vec_sigmoid(a.x * 1.702F);
}

ALWAYS_INLINE vec map_gelu_erf(struct args a)
{
    return vec_gelu_erf(a.x);
}

ALWAYS_INLINE vec map_silu(struct args a)
{
    return a.x * vec_sigmoid(a.x);
}

ALWAYS_INLINE vec map_softplus(struct args a)
{
    return vec_softplus(a.x);
}

ALWAYS_INLINE vec map_erf(struct args a)
{
    return vec_erf(a.x);
}

ALWAYS_INLINE vec map_leaky_relu(struct args a)
{
    return vec_select(a.x < 0.0F, a.x * a.alpha, a.x);
}

ALWAYS_INLINE vec map_elu(struct args a)
{
    vec below = a.alpha * vec_expm1_negative(vec_min(a.x, vec_all(0)));

    return vec_select(a.x < 0.0F, below, a.x);
}

ALWAYS_INLINE vec map_selu(struct args a)
{
    return a.lambda * map_elu(a);
}

ALWAYS_INLINE vec map_add(struct args a)
{
    return a.x + a.y;
}

ALWAYS_INLINE vec map_sub(struct args a)
{
    return a.x - a.y;
}

ALWAYS_INLINE vec map_mul(struct args a)
{
    return a.x * a.y;
}

ALWAYS_INLINE vec map_div(struct args a)
{
    return a.x / a.y;
}

ALWAYS_INLINE vec map_lt(struct args a)
{
    return truth(a.x < a.y);
}

ALWAYS_INLINE vec map_gt(struct args a)
{
    return truth(a.x > a.y);
}

ALWAYS_INLINE vec map_le(struct args a)
{
    return truth(a.x <= a.y);
}

ALWAYS_INLINE vec map_ge(struct args a)
{
    return truth(a.x >= a.y);
}

ALWAYS_INLINE vec map_eq(struct args a)
{
    return truth(a.x == a.y);
}

ALWAYS_INLINE vec map_ne(struct args a)
{
    return truth(a.x != a.y);
}

ALWAYS_INLINE vec map_and(struct args a)
{
    return truth((a.x != 0.0F) & (a.y != 0.0F));
}

ALWAYS_INLINE vec map_or(struct args a)
{
    return truth((a.x != 0.0F) | (a.y != 0.0F));
}

ALWAYS_INLINE vec map_min(struct args a)
{
    return vec_lesser(a.x, a.y);
}

ALWAYS_INLINE vec map_max(struct args a)
{
    return vec_greater(a.x, a.y);
}

ALWAYS_INLINE vec map_prelu(struct args a)
{
    return vec_select(a.x < 0.0F, a.x * a.y, a.x);
}

ALWAYS_INLINE vec map_select(struct args a)
{
    return vec_select(a.x != 0.0F, a.y, a.z);
}

ALWAYS_INLINE vec map_clamp(struct args a)
{
    return vec_greater(vec_lesser(a.x, a.z), a.y);
}

/* --- application ---------------------------------------------------------------------------- */

/* Expanded for each function, so that it is inlined into the loop. */
ALWAYS_INLINE void apply(vec (*f)(struct args args), float *to, const float *const in[3],
                         const struct map_numbers *numbers, int64_t count)
{
    struct args args = {.alpha = numbers->alpha, .lambda = numbers->lambda};
    const float *x = in[0], *y = in[1], *z = in[2];
    int64_t i = 0;

    assert(count >= 0 && to && x && y && z);
    for (; i + LANES <= count; i += LANES) {
        args.x = vec_load(x + i);
        args.y = vec_load(y + i);
        args.z = vec_load(z + i);
        vec_store(to + i, f(args));
    }
    if (i == count)
        return;
    int rest = (int)(count - i);
    args.x = vec_load_some(x + i, rest);
    args.y = vec_load_some(y + i, rest);
    args.z = vec_load_some(z + i, rest);
    vec_store_some(to + i, f(args), rest);
}

#define MAP(name, weight)                                                                          \
    static void name##_all(float *to, const float *const in[3], const struct map_numbers *numbers, \
                           int64_t count)                                                          \
    {                                                                                              \
        apply(map_##name, to, in, numbers, count);                                                 \
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
#define MAP(name, weight) [MAP_##name] = name##_all,
#include "kernel/map.def"
#undef MAP
        },
    .from_truth = from_truth,
    .to_truth = to_truth,
};
