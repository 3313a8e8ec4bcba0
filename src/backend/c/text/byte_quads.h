/* --- four items of a sum at once -------------------------------------------------------------- */

/* Pixels that are done together.  As the zero is part of quads without a sign, there is one more
 * pixel of zeros, whose sums are taken away from those of the others. */
#if defined NN_QUADS
#define NN_NEAR  12
#define NN_ZEROS 1
#else
#define NN_NEAR  2
#define NN_ZEROS 0
#endif

#if defined NN_QUADS
#define NN_EACH 16 /* outputs of a vector */
typedef uint32_t nn_totals __attribute__((vector_size(64)));
typedef nn_ints nn_each;
typedef nn_ints nn_quad;

NN_PART nn_each nn_each_of(nn_totals s)
{
    return (nn_each)s;
}
NN_PART nn_quad nn_weights_of(const int8_t *from, const int outs)
{
    nn_quad weights = {0};

    memcpy(&weights, from, (size_t)(4 * outs));
    return weights;
}
/* Items have no sign here, weights have one. */
NN_PART nn_totals nn_multiply(nn_totals s, nn_quad x, nn_quad y)
{
    return (nn_totals)_mm512_dpbusd_epi32((__m512i)s, (__m512i)x, (__m512i)y);
}
NN_PART nn_quad nn_quad_of(const struct nn_bytes *g, const unsigned char *from)
{
    const nn_totals none = {0};
    uint32_t four;

    memcpy(&four, from, sizeof four);
    return (nn_quad)(g->is_signed ? (none + four) ^ 0x80808080U : none + four);
}
#elif defined NN_SHORTS
#if defined __SSE2__
#define NN_PARTS 2 /* sums of an output in a vector */
#else
#define NN_PARTS 4
#endif
#define NN_EACH (NN_SHORTS / 4)
typedef int16_t nn_shorts __attribute__((vector_size(2 * NN_SHORTS)));
typedef int8_t nn_eights __attribute__((vector_size(NN_SHORTS)));
typedef uint8_t nn_naturals __attribute__((vector_size(NN_SHORTS)));
typedef int32_t nn_totals __attribute__((vector_size(4 * NN_PARTS * NN_EACH)));
typedef int64_t nn_fours __attribute__((vector_size(2 * NN_SHORTS)));
typedef int32_t nn_each __attribute__((vector_size(4 * NN_EACH)));
typedef nn_shorts nn_quad;

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
NN_PART nn_shorts nn_weights_of(const int8_t *from, const int outs)
{
    nn_eights bytes;

    (void)outs;
    memcpy(&bytes, from, sizeof bytes);
    return nn_shorts_of(bytes, 1);
}
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
