/* --- each channel by a filter of its own ------------------------------------------------------ */

#if defined NN_SHORTS
/* The integers of a vector of bytes. */
NN_PART nn_ints nn_ints_of(const void *from, const int is_signed)
{
#if NN_LANES == 8 && defined __AVX2__ && !defined __clang__
    typedef char nn_own __attribute__((vector_size(16)));
    typedef int64_t nn_two __attribute__((vector_size(16)));
    int64_t eight;

    memcpy(&eight, from, sizeof eight);
    const nn_two two = {eight, 0};
    return is_signed ? (nn_ints)__builtin_ia32_pmovsxbd256((nn_own)two)
                     : (nn_ints)__builtin_ia32_pmovzxbd256((nn_own)two);
#elif NN_LANES == 16 && !defined __clang__
    typedef char nn_own __attribute__((vector_size(16)));
    const nn_ints none = {0};
    nn_own bytes;

    memcpy(&bytes, from, NN_LANES);
    return is_signed ? (nn_ints)__builtin_ia32_pmovsxbd512_mask(bytes, none, (unsigned short)-1)
                     : (nn_ints)__builtin_ia32_pmovzxbd512_mask(bytes, none, (unsigned short)-1);
#else
    nn_items bytes;

    memcpy(&bytes, from, sizeof bytes);
    return is_signed ? __builtin_convertvector((nn_signed_items)bytes, nn_ints)
                     : __builtin_convertvector(bytes, nn_ints);
#endif
}
#endif
NN_INLINE void nn_bytes_window(const struct nn_bytes *g, const unsigned char *x, int at, int ny,
                               int nx, const int8_t *w, const int32_t *b, const float *factor,
                               void *y, int to)
{
    const int row = g->dil_h * g->in_w * g->in_c, tap = g->dil_w * g->in_c;
#if defined NN_SHORTS
    const int vectors = g->in_c / NN_LANES * NN_LANES;
#else
    const int vectors = 0;
#endif

#if defined NN_SHORTS
    for (int c = 0; c < vectors; c += NN_LANES) {
        nn_ints sum = nn_load_ints(b + c);
        for (int r = 0; r < ny; r++)
            for (int q = 0; q < nx; q++) {
                const nn_ints items = nn_ints_of(x + (at + r * row + q * tap + c), g->is_signed);
                sum += (items - g->zero) * nn_ints_of(w + ((r * g->k_w + q) * g->in_c + c), 1);
            }
        nn_put_some(g, sum, factor + c, y, to + c, NN_LANES);
    }
#endif
    for (int c = vectors; c < g->in_c; c++) {
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
        nn_inside(begin, g->k_h, g->dil_h, g->in_h, &ky, &ny);
        for (int ox = 0; ox < g->out_w; ox++) {
            const int first = ox * g->stride_w - g->pad_w;
            nn_inside(first, g->k_w, g->dil_w, g->in_w, &kx, &nx);
            nn_bytes_window(g, x,
                            ((n / g->out_h * g->in_h + begin + ky * g->dil_h) * g->in_w + first +
                             kx * g->dil_w) *
                                g->in_c,
                            ny, nx, w + (ky * g->k_w + kx) * g->in_c, b, factor, y,
                            (n * g->out_w + ox) * g->in_c);
        }
    }
}
