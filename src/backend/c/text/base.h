/* --- what kernels are written in ------------------------------------------------------------- */

#ifndef NN_STRICT
#if defined __GNUC__ && defined __AVX512F__
#define NN_LANES 16
#define NN_TILE  12
#elif defined __GNUC__ && defined __AVX__
#define NN_LANES 8
#define NN_TILE  6
#elif defined __GNUC__ && (defined __aarch64__ || defined __ARM_NEON)
#define NN_LANES 4
#define NN_TILE  6
#elif defined __GNUC__ && defined __SSE2__
#define NN_LANES 4
#define NN_TILE  3
#endif
#endif
#ifndef NN_LANES
#define NN_LANES 1
#define NN_TILE  1
#endif
#define NN_PANEL 16
#define NN_VECS  (NN_PANEL / NN_LANES)

/* NN_PART: what costs more to call than to do, or has sums in registers. */
#if defined __GNUC__
#define NN_PART static inline __attribute__((always_inline, unused))
#else
#define NN_PART static inline
#endif
#if defined __GNUC__ && defined NN_SMALL
#define NN_INLINE static inline __attribute__((unused))
#else
#define NN_INLINE NN_PART
#endif
#if defined __clang__
#define NN_UNROLL _Pragma("clang loop unroll(full)")
#elif defined __GNUC__
#define NN_UNROLL _Pragma("GCC unroll 16")
#else
#define NN_UNROLL
#endif

#if NN_LANES > 1
typedef float nn_vec __attribute__((vector_size(4 * NN_LANES)));
typedef int32_t nn_ints __attribute__((vector_size(4 * NN_LANES)));
typedef float nn_vec_at __attribute__((vector_size(4 * NN_LANES), aligned(4), may_alias));
NN_INLINE nn_vec nn_load(const float *from)
{
    return *(const nn_vec_at *)from;
}
NN_INLINE void nn_store(float *to, nn_vec x)
{
    *(nn_vec_at *)to = x;
}
#define NN_FOUR(x) x, x, x, x
NN_INLINE nn_vec nn_all(float x)
{
#if NN_LANES == 16
    const nn_vec all = {NN_FOUR(x), NN_FOUR(x), NN_FOUR(x), NN_FOUR(x)};
#elif NN_LANES == 8
    const nn_vec all = {NN_FOUR(x), NN_FOUR(x)};
#else
    const nn_vec all = {NN_FOUR(x)};
#endif

    return all;
}
NN_INLINE nn_vec nn_load_some(const float *from, int count)
{
    nn_vec x = {0};

    if (count >= NN_LANES)
        return nn_load(from);
    if (count > 0)
        memcpy(&x, from, (size_t)count * sizeof *from);
    return x;
}
NN_INLINE nn_vec nn_pick(nn_ints when, nn_vec yes, nn_vec no)
{
    return (nn_vec)((when & (nn_ints)yes) | (~when & (nn_ints)no));
}
NN_INLINE nn_vec nn_min(nn_vec x, nn_vec y)
{
    return nn_pick(x < y, x, y);
}
NN_INLINE nn_vec nn_max(nn_vec x, nn_vec y)
{
    return nn_pick(x > y, x, y);
}
NN_INLINE void nn_store_some(float *to, nn_vec x, int count)
{
    if (count >= NN_LANES)
        nn_store(to, x);
    else if (count > 0)
        memcpy(to, &x, (size_t)count * sizeof *to);
}
#else
typedef float nn_vec;
NN_INLINE nn_vec nn_load(const float *from)
{
    return *from;
}
NN_INLINE nn_vec nn_load_some(const float *from, int count)
{
    return count > 0 ? *from : 0.0F;
}
NN_INLINE nn_vec nn_all(float x)
{
    return x;
}
NN_INLINE nn_vec nn_min(nn_vec x, nn_vec y)
{
    return x < y ? x : y;
}
NN_INLINE nn_vec nn_max(nn_vec x, nn_vec y)
{
    return x > y ? x : y;
}
NN_INLINE void nn_store(float *to, nn_vec x)
{
    *to = x;
}
NN_INLINE void nn_store_some(float *to, nn_vec x, int count)
{
    if (count > 0)
        *to = x;
}
#endif
