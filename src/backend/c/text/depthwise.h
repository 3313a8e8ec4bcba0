/* --- each channel by a filter of its own ------------------------------------------------------ */

#if NN_LANES == 16
#define NN_STRIP 8
#elif NN_LANES > 1
#define NN_STRIP 4
#else
#define NN_STRIP 4
#endif

NN_INLINE void nn_strip(const int count, const struct nn_conv *g, int ny, int nx, const float *x,
                        const float *w, const float *b, const float *residual, float *y,
                        const int some, int channels)
{
    int row = g->dil_h * g->in_w * g->in_c, tap = g->dil_w * g->in_c;
    int step = g->stride_w * g->in_c;
    nn_vec s[NN_STRIP];

    NN_UNROLL
    for (int i = 0; i < count; i++)
        s[i] = nn_load(b);
    for (int r = 0; r < ny; r++)
        for (int q = 0; q < nx; q++) {
            nn_vec weight = nn_load(w + (r * g->k_w + q) * g->in_c);
            const float *from = x + r * row + q * tap;
            NN_UNROLL
            for (int i = 0; i < count; i++)
                s[i] +=
                    (some ? nn_load_some(from + i * step, channels) : nn_load(from + i * step)) *
                    weight;
        }
    NN_UNROLL
    for (int i = 0; i < count; i++) {
        if (residual)
            s[i] += some ? nn_load_some(residual + i * g->in_c, channels)
                         : nn_load(residual + i * g->in_c);
        if (g->clamps)
            s[i] = nn_max(nn_all(g->low), nn_min(nn_all(g->high), s[i]));
        if (some)
            nn_store_some(y + i * g->in_c, s[i], channels);
        else
            nn_store(y + i * g->in_c, s[i]);
    }
}

NN_INLINE void nn_strips(const int count, const struct nn_conv *g, int ny, int nx, const float *x,
                         const float *w, const float *b, const float *residual, float *y)
{
    int c = 0;

    for (; c + NN_LANES <= g->in_c; c += NN_LANES)
        nn_strip(count, g, ny, nx, x + c, w + c, b + c, residual ? residual + c : NULL, y + c, 0,
                 NN_LANES);
#if NN_LANES > 1
    if (c < g->in_c)
        nn_strip(count, g, ny, nx, x + c, w + c, b + c, residual ? residual + c : NULL, y + c, 1,
                 g->in_c - c);
#endif
}

NN_INLINE void nn_depthwise_row(const struct nn_conv *g, const float *x, const float *w,
                                const float *b, const float *residual, float *y, int oy)
{
    int ky, ny, kx, nx, at = oy * g->stride_h - g->pad_h;
    int left = nn_least((g->pad_w + g->stride_w - 1) / g->stride_w, g->out_w);
    int right = g->in_w - 1 - (g->k_w - 1) * g->dil_w + g->pad_w;

    right = right < 0 ? left : nn_most(left, nn_least(right / g->stride_w + 1, g->out_w));
    nn_inside(at, g->k_h, g->dil_h, g->in_h, &ky, &ny);
    x += (at + ky * g->dil_h) * g->in_w * g->in_c;
    w += ky * g->k_w * g->in_c;
    for (int ox = 0; ox < g->out_w;) {
        int in = ox * g->stride_w - g->pad_w;
        const float *r = residual ? residual + ox * g->in_c : NULL;
        if (ox >= left && ox + NN_STRIP <= right) {
            nn_strips(NN_STRIP, g, ny, g->k_w, x + in * g->in_c, w, b, r, y + ox * g->in_c);
            ox += NN_STRIP;
            continue;
        }
        nn_inside(in, g->k_w, g->dil_w, g->in_w, &kx, &nx);
        nn_strips(1, g, ny, nx, x + (in + kx * g->dil_w) * g->in_c, w + kx * g->in_c, b, r,
                  y + ox * g->in_c);
        ox++;
    }
}

NN_INLINE void nn_depthwise(const struct nn_conv *g, const float *x, const float *w, const float *b,
                            const float *residual, float *y)
{
    int out_row = g->out_w * g->in_c;

    for (int n = 0; n < g->batch; n++)
        for (int oy = 0; oy < g->out_h; oy++) {
            int at = (n * g->out_h + oy) * out_row;
            nn_depthwise_row(g, x + n * g->in_h * g->in_w * g->in_c, w, b,
                             residual ? residual + at : NULL, y + at, oy);
        }
}
