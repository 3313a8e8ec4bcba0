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

/* What would cost more to call than to do. */
#if defined __GNUC__
#define NN_PART static inline __attribute__((always_inline, unused))
#else
#define NN_PART static inline
#endif

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
    const nn_shorts items = g->is_signed ? __builtin_convertvector((nn_eights)all, nn_shorts)
                                         : __builtin_convertvector((nn_naturals)all, nn_shorts);
    return items - (zeros + (int16_t)g->zero);
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

/* Only items from `first` to `last` are there; the others have no part in the sums. */
NN_INLINE nn_quad nn_some_of(const struct nn_bytes *g, const unsigned char *from, int first,
                             int last)
{
    int items[4];

    for (int i = 0; i < 4; i++)
        items[i] = i >= first && i < last ? nn_byte(g, from[i]) : 0;
    return nn_quad_made(items);
}

/* Add a quad of each of `count` pixels times its weights for `outs` outputs. */
NN_PART void nn_add_quads(nn_totals (*s)[NN_GROUP / NN_EACH], const nn_quad *x, const int count,
                          const int outs, const int8_t *w)
{
#if defined NN_SHORTS
    NN_UNROLL
    for (int v = 0; v < outs / NN_EACH; v++) {
        nn_eights bytes;
        memcpy(&bytes, w + v * NN_SHORTS, sizeof bytes);
        const nn_shorts weights = __builtin_convertvector(bytes, nn_shorts);
        NN_UNROLL
        for (int i = 0; i < count; i++)
            s[i][v] = nn_multiply(s[i][v], x[i], weights);
    }
#else
    NN_UNROLL
    for (int o = 0; o < outs; o++)
        NN_UNROLL
    for (int i = 0; i < count; i++)
        s[i][o] = nn_multiply_quad(s[i][o], x[i], w + 4 * o);
#endif
}

/* `count` pixels, x_step apart, times `outs` outputs of a panel that is `width` wide. */
NN_PART void nn_patch(const int count, const int outs, const struct nn_bytes *g,
                      const struct nn_rows *t, const unsigned char *x, int at, int x_step,
                      const int8_t *w, const int width, const int32_t *b, const float *factor,
                      void *y, int to, int y_step)
{
    nn_totals s[NN_NEAR][NN_GROUP / NN_EACH];
    nn_quad quad[NN_NEAR];

    memset(s, 0, sizeof s);
    for (int r = 0; r < t->ny; r++)
        for (int q = 0; q < t->nx; q++) {
            const int from = at + r * t->x_row + q * t->x_tap;
            int k = t->begin / 4 * 4;
            const int8_t *weight = w + (r * t->w_row + q * t->w_tap + k) * width;
            if (k < t->begin) {
                for (int i = 0; i < count; i++)
                    quad[i] = nn_some_of(g, x + (from + i * x_step + k), t->begin - k, t->end - k);
                nn_add_quads(s, quad, count, outs, weight);
                k += 4;
                weight += 4 * width;
            }
            for (; k + 4 <= t->end; k += 4, weight += 4 * width) {
                NN_UNROLL
                for (int i = 0; i < count; i++)
                    quad[i] = nn_quad_of(g, x + (from + i * x_step + k));
                nn_add_quads(s, quad, count, outs, weight);
            }
            if (k < t->end) {
                for (int i = 0; i < count; i++)
                    quad[i] = nn_some_of(g, x + (from + i * x_step + k), 0, t->end - k);
                nn_add_quads(s, quad, count, outs, weight);
            }
        }
    NN_UNROLL
    for (int i = 0; i < count; i++) {
#if defined NN_SHORTS
        int32_t sums[NN_GROUP];
        NN_UNROLL
        for (int v = 0; v < outs / NN_EACH; v++) {
            const nn_each some = nn_each_of(s[i][v]);
            memcpy(sums + v * NN_EACH, &some, sizeof some);
        }
        NN_UNROLL
        for (int o = outs; o < NN_GROUP; o++)
            sums[o] = 0;
        NN_UNROLL
        for (int o = 0; o < outs; o += NN_LANES)
            nn_put_some(g, nn_load_ints(sums + o) + nn_load_ints(b + o), factor + o, y,
                        to + i * y_step + o, outs - o);
#else
        NN_UNROLL
        for (int o = 0; o < outs; o++)
            nn_put(g, s[i][o] + b[o], factor + o, y, to + i * y_step + o);
#endif
    }
}

/* The widths of panels from output `o` on. */
NN_INLINE int nn_width(int left)
{
    return left >= NN_GROUP ? NN_GROUP : left >= 8 ? 8 : left >= 4 ? 4 : left;
}

/* Pixels of a row of results for one panel. */
NN_INLINE void nn_patches(const int outs, const int width, const struct nn_bytes *g,
                          const struct nn_rows *t, const unsigned char *x, int at, int x_step,
                          const int8_t *w, const int32_t *b, const float *factor, void *y, int to,
                          int y_step, int count)
{
    int i = 0;

    for (; i + NN_NEAR <= count; i += NN_NEAR)
        nn_patch(NN_NEAR, outs, g, t, x, at + i * x_step, x_step, w, width, b, factor, y,
                 to + i * y_step, y_step);
    for (; i < count; i++)
        nn_patch(1, outs, g, t, x, at + i * x_step, x_step, w, width, b, factor, y, to + i * y_step,
                 y_step);
}

#if !defined NN_SHORTS
/* One output, and none of a vector: registers are few. */
NN_INLINE void nn_narrow(const int width, const struct nn_bytes *g, const struct nn_rows *t,
                         const unsigned char *x, int at, int x_step, const int8_t *w,
                         const int32_t *b, const float *factor, void *y, int to, int y_step,
                         int count)
{
    int o = 0;

    for (; o + 2 <= width; o += 2)
        nn_patches(2, width, g, t, x, at, x_step, w + 4 * o, b + o, factor + o, y, to + o, y_step,
                   count);
    if (o < width)
        nn_patches(1, width, g, t, x, at, x_step, w + 4 * o, b + o, factor + o, y, to + o, y_step,
                   count);
}
#endif

NN_INLINE void nn_panel(const int width, const struct nn_bytes *g, const struct nn_rows *t,
                        const unsigned char *x, int at, int x_step, const int8_t *w,
                        const int32_t *b, const float *factor, void *y, int to, int y_step,
                        int count)
{
#if defined NN_SHORTS
    if (width >= 4)
        nn_patches(width, width, g, t, x, at, x_step, w, b, factor, y, to, y_step, count);
    else
        for (int i = 0; i < count; i++)
            for (int o = 0; o < width; o++) {
                int sum = b[o];
                for (int r = 0; r < t->ny; r++)
                    for (int q = 0; q < t->nx; q++)
                        for (int k = t->begin; k < t->end; k++)
                            sum +=
                                nn_byte(g, x[at + i * x_step + r * t->x_row + q * t->x_tap + k]) *
                                w[(r * t->w_row + q * t->w_tap + k / 4 * 4) * width + 4 * o +
                                  k % 4];
                nn_put(g, sum, factor + o, y, to + i * y_step + o);
            }
#else
    nn_narrow(width, g, t, x, at, x_step, w, b, factor, y, to, y_step, count);
#endif
}

/* The taps from `first` on that are inside, of a window that begins at `at`. */
NN_INLINE void nn_taps_inside(int at, int taps, int dilation, int extent, int *first, int *count)
{
    const int begin = at < 0 ? (-at + dilation - 1) / dilation : 0;
    int end = at < extent ? (extent - at + dilation - 1) / dilation : 0;

    end = end < taps ? end : taps;
    *first = begin;
    *count = end > begin ? end - begin : 0;
}

/* The results from `first` to `end` of an extent, whose windows are inside. */
NN_INLINE void nn_whole(int in, int out, int taps, int stride, int dilation, int pad, int *first,
                        int *end)
{
    const int last = in - 1 - (taps - 1) * dilation + pad;
    int begin = pad > 0 ? (pad + stride - 1) / stride : 0;
    int stop = last < 0 ? 0 : last / stride + 1;

    begin = begin < out ? begin : out;
    stop = stop < out ? stop : out;
    *first = begin;
    *end = stop > begin ? stop : begin;
}

/* All panels of `count` windows, of which some taps are inside. */
NN_INLINE void nn_windows(const struct nn_bytes *g, struct nn_rows t, const unsigned char *x,
                          int at, const int8_t *w, const int32_t *b, const float *factor, void *y,
                          int to, int ox, int count, int ky)
{
    const int pixel = g->in_c * g->groups, joined = g->groups == 1 && g->dil_w == 1;
    const int depth = (g->in_c + 3) / 4 * 4,
              row = joined ? (g->k_w * g->in_c + 3) / 4 * 4 : g->k_w * depth;
    const int in = ox * g->stride_w - g->pad_w;
    int kx, nx, width;

    nn_taps_inside(in, g->k_w, g->dil_w, g->in_w, &kx, &nx);
    t.nx = joined ? 1 : nx;
    t.begin = joined ? kx * g->in_c : 0;
    t.end = joined ? (kx + nx) * g->in_c : g->in_c;
    t.x_tap = g->dil_w * pixel;
    t.w_row = row;
    t.w_tap = depth;
    at += (in + (joined ? 0 : kx * g->dil_w)) * pixel;
    to += ox * g->out_c * g->groups;
    for (int o = 0; o < g->out_c; o += width) {
        const int8_t *panel = w + o * g->k_h * row;
        width = nn_width(g->out_c - o);
        panel += (ky * row + (joined ? 0 : kx * depth)) * width;
        if (width == NN_GROUP)
            nn_panel(NN_GROUP, g, &t, x, at, g->stride_w * pixel, panel, b + o, factor + o, y,
                     to + o, g->out_c * g->groups, count);
        else if (width == 8)
            nn_panel(8, g, &t, x, at, g->stride_w * pixel, panel, b + o, factor + o, y, to + o,
                     g->out_c * g->groups, count);
        else if (width == 4)
            nn_panel(4, g, &t, x, at, g->stride_w * pixel, panel, b + o, factor + o, y, to + o,
                     g->out_c * g->groups, count);
        else
            nn_panel(width, g, &t, x, at, g->stride_w * pixel, panel, b + o, factor + o, y, to + o,
                     g->out_c * g->groups, count);
    }
}

/* `factor`: of each output; of sums, anything. */
NN_INLINE void nn_bytes_layer(const struct nn_bytes *g, const void *in, const int8_t *w,
                              const int32_t *b, const float *factor, void *y)
{
    const unsigned char *x = (const unsigned char *)in;
    const int pixel = g->in_c * g->groups, joined = g->groups == 1 && g->dil_w == 1;
    const int depth = (g->in_c + 3) / 4 * 4;
    const int row = joined ? (g->k_w * g->in_c + 3) / 4 * 4 : g->k_w * depth;
    struct nn_rows t = {0, 0, 0, 0, 0, 0, 0, 0};
    int left, right;

    nn_whole(g->in_w, g->out_w, g->k_w, g->stride_w, g->dil_w, g->pad_w, &left, &right);
    t.x_row = g->dil_h * g->in_w * pixel;
    for (int n = 0; n < g->batch * g->groups * g->out_h; n++) {
        const int oy = n % g->out_h, group = n / g->out_h % g->groups;
        const int image = n / g->out_h / g->groups, begin = oy * g->stride_h - g->pad_h;
        const int first = group * g->out_c;
        const int8_t *filter = w + first * g->k_h * row;
        const int to = (image * g->out_h + oy) * g->out_w * g->out_c * g->groups + first;
        int ky, at;
        nn_taps_inside(begin, g->k_h, g->dil_h, g->in_h, &ky, &t.ny);
        at = (image * g->in_h + begin + ky * g->dil_h) * g->in_w * pixel + group * g->in_c;
        for (int ox = 0; ox < g->out_w;) {
            const int count = ox == left && right > left ? right - left : 1;
            nn_windows(g, t, x, at, filter, b + first, factor + first, y, to, ox, count, ky);
            ox += count;
        }
    }
}

/* --- each channel by a filter of its own ------------------------------------------------------ */

NN_INLINE void nn_bytes_window(const struct nn_bytes *g, const unsigned char *x, int at, int ny,
                               int nx, const int8_t *w, const int32_t *b, const float *factor,
                               void *y, int to)
{
    const int row = g->dil_h * g->in_w * g->in_c, tap = g->dil_w * g->in_c;
    int c = 0;

#if defined NN_SHORTS
    for (; c + NN_LANES <= g->in_c; c += NN_LANES) {
        nn_ints sum = nn_load_ints(b + c);
        for (int r = 0; r < ny; r++)
            for (int q = 0; q < nx; q++) {
                nn_signed_items items, weights;
                memcpy(&items, x + (at + r * row + q * tap + c), sizeof items);
                memcpy(&weights, w + ((r * g->k_w + q) * g->in_c + c), sizeof weights);
                sum += ((g->is_signed ? __builtin_convertvector(items, nn_ints)
                                      : __builtin_convertvector((nn_items)items, nn_ints)) -
                        g->zero) *
                       __builtin_convertvector(weights, nn_ints);
            }
        nn_put_some(g, sum, factor + c, y, to + c, NN_LANES);
    }
#endif
    for (; c < g->in_c; c++) {
        int32_t sum = b[c];
        for (int r = 0; r < ny; r++)
            for (int q = 0; q < nx; q++)
                sum +=
                    nn_byte(g, x[at + r * row + q * tap + c]) * w[(r * g->k_w + q) * g->in_c + c];
        nn_put(g, sum, factor + c, y, to + c);
    }
}

NN_INLINE void nn_bytes_depthwise(const struct nn_bytes *g, const void *in, const int8_t *w,
                                  const int32_t *b, const float *factor, void *y)
{
    const unsigned char *x = (const unsigned char *)in;

    for (int n = 0; n < g->batch * g->out_h; n++) {
        const int begin = n % g->out_h * g->stride_h - g->pad_h;
        int ky, ny, kx, nx;
        nn_taps_inside(begin, g->k_h, g->dil_h, g->in_h, &ky, &ny);
        for (int ox = 0; ox < g->out_w; ox++) {
            const int first = ox * g->stride_w - g->pad_w;
            nn_taps_inside(first, g->k_w, g->dil_w, g->in_w, &kx, &nx);
            nn_bytes_window(g, x,
                            ((n / g->out_h * g->in_h + begin + ky * g->dil_h) * g->in_w + first +
                             kx * g->dil_w) *
                                g->in_c,
                            ny, nx, w + (ky * g->k_w + kx) * g->in_c, b, factor, y,
                            (n * g->out_w + ox) * g->in_c);
        }
    }
}
