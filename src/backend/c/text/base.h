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
/* Channels whose weights lie together, and those that are computed at once: more vectors make more
 * of what is loaded. */
#define NN_PANEL 16
#define NN_WIDE  (NN_LANES == NN_PANEL ? 2 * NN_PANEL : NN_PANEL)
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
#if NN_LANES > 1
#define NN_FETCH(at) __builtin_prefetch(at, 0, 2)
#else
#define NN_FETCH(at) (void)(at)
#endif
/* Lest GCC computes all addresses that depend on a pointer before a loop. */
#if defined __GNUC__
#define NN_HIDE(pointer) __asm__("" : "+r"(pointer))
#else
#define NN_HIDE(pointer) (void)(pointer)
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
/* The first items of a vector. */
#if NN_LANES == 16
NN_INLINE unsigned short nn_first(int count)
{
    return (unsigned short)(count >= 16 ? 0xFFFF : count > 0 ? (1 << count) - 1 : 0);
}
NN_INLINE nn_vec nn_load_some(const float *from, int count)
{
    return __builtin_ia32_loadups512_mask(from, nn_all(0.0F), nn_first(count));
}
NN_INLINE void nn_store_some(float *to, nn_vec x, int count)
{
    __builtin_ia32_storeups512_mask(to, x, nn_first(count));
}
#else
NN_INLINE nn_vec nn_load_some(const float *from, int count)
{
    nn_vec x = {0};

    if (count >= NN_LANES)
        return nn_load(from);
    if (count > 0)
        memcpy(&x, from, (size_t)count * sizeof *from);
    return x;
}
NN_INLINE void nn_store_some(float *to, nn_vec x, int count)
{
    if (count >= NN_LANES)
        nn_store(to, x);
    else if (count > 0)
        memcpy(to, &x, (size_t)count * sizeof *to);
}
#endif
NN_INLINE nn_vec nn_pick(nn_ints when, nn_vec yes, nn_vec no)
{
    return (nn_vec)((when & (nn_ints)yes) | (~when & (nn_ints)no));
}
/* x < y ? x : y, and x > y ? x : y, which is what x86 has instructions for. */
#if NN_LANES == 16 && defined __clang__
#define NN_LESSER(x, y)  __builtin_ia32_minps512(x, y, 4)
#define NN_GREATER(x, y) __builtin_ia32_maxps512(x, y, 4)
#elif NN_LANES == 16
#define NN_LESSER(x, y)  __builtin_ia32_minps512_mask(x, y, x, -1, 4)
#define NN_GREATER(x, y) __builtin_ia32_maxps512_mask(x, y, x, -1, 4)
#elif NN_LANES == 8
#define NN_LESSER(x, y)  __builtin_ia32_minps256(x, y)
#define NN_GREATER(x, y) __builtin_ia32_maxps256(x, y)
#elif defined __SSE2__
#define NN_LESSER(x, y)  __builtin_ia32_minps(x, y)
#define NN_GREATER(x, y) __builtin_ia32_maxps(x, y)
#else
#define NN_LESSER(x, y)  nn_pick(x < y, x, y)
#define NN_GREATER(x, y) nn_pick(x > y, x, y)
#endif
NN_INLINE nn_vec nn_min(nn_vec x, nn_vec y)
{
    return NN_LESSER(x, y);
}
NN_INLINE nn_vec nn_max(nn_vec x, nn_vec y)
{
    return NN_GREATER(x, y);
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
