/* --- layers of 8-bit integers, channels last ---------------------------------------------------
 *
 * Weights lie in quads: four items of the sum for each output of a panel. Sums are exact, in 32
 * bits.
 */

#if !defined NN_STRICT && defined __GNUC__ && (defined __clang__ || __GNUC__ >= 9)
#if defined __AVX512VNNI__ && NN_LANES == 16
#include <immintrin.h>
#define NN_QUADS
#define NN_SHORTS 64
#elif defined __AVX2__ && NN_LANES > 1
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
#endif
