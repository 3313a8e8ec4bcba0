/* --- layers of 8-bit integers, channels last ---------------------------------------------------
 *
 * Weights lie in quads: four items of the sum for each output of a panel. Sums are exact, in 32
 * bits.
 */

#if !defined NN_STRICT && defined __GNUC__ && (defined __clang__ || __GNUC__ >= 9)
#if defined __AVX2__ && NN_LANES > 1
#define NN_SHORTS 16
#elif (defined __SSE2__ || defined __ARM_NEON) && NN_LANES > 1
#define NN_SHORTS 8
#endif
#endif
#if !defined NN_SHORTS && defined __ARM_FEATURE_DSP && defined __ARMEL__
#include <arm_acle.h>
#define NN_DSP
#endif
#define NN_GROUP 16 /* outputs of a panel; then there are some of 8, of 4, and of what is left */
#define NN_NEAR  2  /* pixels that are done together */

enum { NN_BYTES, NN_NUMBERS, NN_SUMS };

struct nn_bytes {
    int batch, groups, in_c, out_c; /* channels of a group */
    int in_h, in_w, out_h, out_w;
    int k_h, k_w, stride_h, stride_w, dil_h, dil_w, pad_h, pad_w;
    int is_signed, zero; /* of the items that are read */
    int result;          /* what becomes of sums; bytes: low <= steps <= high, moved by `to` */
    float low, high;
    int to;
};

/* The rows of a window that are inside the image, and the items of each: from `begin` to `end`. */
struct nn_rows {
    int ny, nx, begin, end;
    int x_row, x_tap; /* items of the image from one to the next, bytes of the weights likewise */
    int w_row, w_tap;
};

/* The nearest integer, half to even, of what is less than 2^22. */
NN_PART int nn_rounded(float x)
{
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ == 0
    return (int)(x + 12582912.0F - 12582912.0F);
#else
    return (int)rintf(x);
#endif
}
NN_INLINE void nn_put(const struct nn_bytes *g, int sum, const float *factor, void *y, int at)
{
    if (g->result == NN_SUMS) {
        ((int64_t *)y)[at] = sum;
    } else if (g->result == NN_NUMBERS) {
        ((float *)y)[at] = (float)sum * *factor;
    } else {
        float steps = (float)sum * *factor;
        steps = steps > g->low ? steps : g->low;
        steps = steps < g->high ? steps : g->high;
        ((unsigned char *)y)[at] = (unsigned char)(nn_rounded(steps) + g->to);
    }
}
NN_PART int nn_byte(const struct nn_bytes *g, unsigned char item)
{
    return (g->is_signed ? (int)(item ^ 128) - 128 : (int)item) - g->zero;
}

#if defined NN_SHORTS
#if defined __SSE2__
#define NN_PARTS 2 /* sums of an output in a vector */
#else
#define NN_PARTS 4
#endif
#define NN_EACH (NN_SHORTS / 4) /* outputs of a vector */
typedef int16_t nn_shorts __attribute__((vector_size(2 * NN_SHORTS)));
typedef int8_t nn_eights __attribute__((vector_size(NN_SHORTS)));
typedef uint8_t nn_naturals __attribute__((vector_size(NN_SHORTS)));
typedef int32_t nn_totals __attribute__((vector_size(4 * NN_PARTS * NN_EACH)));
typedef int64_t nn_fours __attribute__((vector_size(2 * NN_SHORTS)));
typedef int32_t nn_each __attribute__((vector_size(4 * NN_EACH)));
typedef int8_t nn_signed_items __attribute__((vector_size(NN_LANES)));
typedef uint8_t nn_items __attribute__((vector_size(NN_LANES)));

NN_PART nn_ints nn_load_ints(const int32_t *from)
{
    nn_ints x;

    memcpy(&x, from, sizeof x);
    return x;
}
/* The first `count` of a vector of sums. */
NN_INLINE void nn_put_some(const struct nn_bytes *g, nn_ints sum, const float *factor, void *y,
                           int at, const int count)
{
    const int some = count < NN_LANES ? count : NN_LANES;

    if (g->result == NN_SUMS) {
        for (int i = 0; i < some; i++)
            ((int64_t *)y)[at + i] = sum[i];
        return;
    }
    nn_vec steps = __builtin_convertvector(sum, nn_vec) * nn_load(factor);
    if (g->result == NN_NUMBERS) {
        nn_store_some((float *)y + at, steps, count);
        return;
    }
    steps = nn_min(nn_max(steps, nn_all(g->low)), nn_all(g->high));
    steps = steps + nn_all(12582912.0F) - nn_all(12582912.0F); /* see nn_rounded() */
    const nn_items bytes =
        __builtin_convertvector(__builtin_convertvector(steps, nn_ints) + g->to, nn_items);
    memcpy((unsigned char *)y + at, &bytes, (size_t)some);
}
/* The sum of each output of a vector. */
NN_PART nn_each nn_each_of(nn_totals s)
{
#if NN_PARTS == 2
    const nn_fours pairs = (nn_fours)s;
    return __builtin_convertvector(pairs + (pairs >> 32), nn_each);
#else
    nn_each sums;

    for (int o = 0; o < NN_EACH; o++)
        sums[o] = s[4 * o] + s[4 * o + 1] + s[4 * o + 2] + s[4 * o + 3];
    return sums;
#endif
}

NN_PART nn_totals nn_multiply(nn_totals s, nn_shorts x, nn_shorts y)
{
#if defined __AVX2__
    typedef short nn_own __attribute__((vector_size(32)));
    return s + (nn_totals)__builtin_ia32_pmaddwd256((nn_own)x, (nn_own)y);
#elif defined __SSE2__
    typedef short nn_own __attribute__((vector_size(16)));
    return s + (nn_totals)__builtin_ia32_pmaddwd128((nn_own)x, (nn_own)y);
#else
    return s + __builtin_convertvector(x, nn_totals) * __builtin_convertvector(y, nn_totals);
#endif
}
/* GCC 12 converts half by half. */
NN_PART nn_shorts nn_shorts_of(nn_eights bytes, const int is_signed)
{
#if defined __AVX2__ && !defined __clang__
    typedef char nn_own __attribute__((vector_size(16)));
    return is_signed ? (nn_shorts)__builtin_ia32_pmovsxbw256((nn_own)bytes)
                     : (nn_shorts)__builtin_ia32_pmovzxbw256((nn_own)bytes);
#else
    return is_signed ? __builtin_convertvector(bytes, nn_shorts)
                     : __builtin_convertvector((nn_naturals)bytes, nn_shorts);
#endif
}
typedef nn_shorts nn_quad;
/* Four items for each output of a vector, less their zero. */
NN_PART nn_quad nn_quad_of(const struct nn_bytes *g, const unsigned char *from)
{
    typedef uint32_t nn_words __attribute__((vector_size(NN_SHORTS)));
    const nn_words none = {0};
    const nn_shorts zeros = {0};
    uint32_t four;

    memcpy(&four, from, sizeof four);
    const nn_words all = none + four;
    return nn_shorts_of((nn_eights)all, g->is_signed) - (zeros + (int16_t)g->zero);
}
NN_PART nn_quad nn_quad_made(const int items[4])
{
    const nn_fours none = {0};
    int16_t shorts[4];
    int64_t four;

    for (int i = 0; i < 4; i++)
        shorts[i] = (int16_t)items[i];
    memcpy(&four, shorts, sizeof four);
    return (nn_quad)(none + four);
}
#elif defined NN_DSP
#define NN_EACH 1
typedef struct {
    int16x2_t even, odd;
} nn_quad;
NN_PART nn_quad nn_quad_of(const struct nn_bytes *g, const unsigned char *from)
{
    /* A sign is moved to the zero. */
    const uint32_t sign = g->is_signed ? 0x80808080U : 0;
    const uint32_t zero = (uint32_t)(g->is_signed ? g->zero + 128 : g->zero);
    const int16x2_t zeros = (int16x2_t)(zero << 16 | (zero & 0xffff));
    uint32_t four;
    nn_quad quad;

    memcpy(&four, from, sizeof four);
    four ^= sign;
    quad.even = __ssub16((int16x2_t)__uxtb16((uint8x4_t)four), zeros);
    quad.odd = __ssub16((int16x2_t)__uxtb16((uint8x4_t)(four >> 8 | four << 24)), zeros);
    return quad;
}
NN_PART nn_quad nn_quad_made(const int items[4])
{
    nn_quad quad;

    quad.even = (int16x2_t)(((uint32_t)items[2] << 16) | ((uint32_t)items[0] & 0xffff));
    quad.odd = (int16x2_t)(((uint32_t)items[3] << 16) | ((uint32_t)items[1] & 0xffff));
    return quad;
}
#else
#define NN_EACH 1
typedef struct {
    int item[4];
} nn_quad;
NN_PART nn_quad nn_quad_of(const struct nn_bytes *g, const unsigned char *from)
{
    nn_quad quad;

    for (int i = 0; i < 4; i++)
        quad.item[i] = nn_byte(g, from[i]);
    return quad;
}
NN_PART nn_quad nn_quad_made(const int items[4])
{
    nn_quad quad;

    for (int i = 0; i < 4; i++)
        quad.item[i] = items[i];
    return quad;
}
#endif
#if !defined NN_SHORTS
typedef int nn_totals;
NN_PART int nn_multiply_quad(int s, nn_quad x, const int8_t *w)
{
#if defined NN_DSP
    uint32_t four;

    memcpy(&four, w, sizeof four);
    s = __smlad(__sxtb16((int8x4_t)four), x.even, s);
    return __smlad(__sxtb16((int8x4_t)(four >> 8 | four << 24)), x.odd, s);
#else
    return s + x.item[0] * w[0] + x.item[1] * w[1] + x.item[2] * w[2] + x.item[3] * w[3];
#endif
}
#endif
