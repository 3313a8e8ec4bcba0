/* --- each channel by a filter of its own ------------------------------------------------------ */

#if NN_LANES == 16
#define NN_STRIP 8
#else
#define NN_STRIP 4
#endif

/* x: the first column of taps, in row 0; `at`: the first row of taps. */
NN_PART void nn_strip(const int count, const struct nn_conv *g, int at, int ny, int nx,
                      const float *x, const float *w, const float *b, const float *residual,
                      float *y, const int some, int channels)
{
    int row = g->in_w * g->in_c, tap = g->dil_w * g->in_c;
    int step = g->stride_w * g->in_c;
    nn_vec s[NN_STRIP];

    NN_UNROLL
    for (int i = 0; i < count; i++)
        s[i] = nn_load(b);
    for (int r = 0; r < ny; r++, at += g->dil_h) {
        const float *from = x + (g->ring ? at % g->ring : at) * row;
        NN_HIDE(from);
        for (int q = 0; q < nx; q++) {
            const nn_vec weight = nn_load(w + (r * g->k_w + q) * g->in_c);
            NN_UNROLL
            for (int i = 0; i < count; i++) {
                const float *item = from + q * tap + i * step;
                s[i] += (some ? nn_load_some(item, channels) : nn_load(item)) * weight;
            }
        }
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

NN_PART void nn_strips(const int count, const struct nn_conv *g, int at, int ny, int nx,
                       const float *x, const float *w, const float *b, const float *residual,
                       float *y)
{
    int c = 0;

    for (; c + NN_LANES <= g->in_c; c += NN_LANES)
        nn_strip(count, g, at, ny, nx, x + c, w + c, b + c, residual ? residual + c : NULL, y + c,
                 0, NN_LANES);
#if NN_LANES > 1
    if (c < g->in_c)
        nn_strip(count, g, at, ny, nx, x + c, w + c, b + c, residual ? residual + c : NULL, y + c,
                 1, g->in_c - c);
#endif
}

NN_INLINE void nn_depthwise_row(const struct nn_conv *g, const float *x, const float *w,
                                const float *b, const float *residual, float *y, int oy)
{
    int ky, ny, kx, nx, at = oy * g->stride_h - g->pad_h;
    int left, right;

    nn_whole(g->in_w, g->out_w, g->k_w, g->stride_w, g->dil_w, g->pad_w, &left, &right);
    nn_inside(at, g->k_h, g->dil_h, g->in_h, &ky, &ny);
    at += ky * g->dil_h;
    w += ky * g->k_w * g->in_c;
    for (int ox = 0, count; ox < g->out_w; ox += count) {
        int in = ox * g->stride_w - g->pad_w;
        const float *r = residual ? residual + ox * g->in_c : NULL;
        float *to = y + ox * g->in_c;
        if (ox >= left && ox + NN_STRIP <= right) {
            count = NN_STRIP;
            nn_strips(NN_STRIP, g, at, ny, g->k_w, x + in * g->in_c, w, b, r, to);
#if NN_STRIP > 4
        } else if (ox >= left && ox + 4 <= right) {
            count = 4;
            nn_strips(4, g, at, ny, g->k_w, x + in * g->in_c, w, b, r, to);
#endif
        } else {
            count = 1;
            nn_inside(in, g->k_w, g->dil_w, g->in_w, &kx, &nx);
            nn_strips(1, g, at, ny, nx, x + (in + kx * g->dil_w) * g->in_c, w + kx * g->in_c, b, r,
                      to);
        }
    }
}

/* Rows `first` to `end`; y and residual begin with the first. */
NN_INLINE void nn_depthwise_rows(const struct nn_conv *g, const float *x, const float *w,
                                 const float *b, const float *residual, float *y, int first,
                                 int end)
{
    for (int oy = first, at = 0; oy < end; oy++, at += g->out_w * g->in_c)
        nn_depthwise_row(g, x, w, b, residual ? residual + at : NULL, y + at, oy);
}

NN_INLINE void nn_depthwise(const struct nn_conv *g, const float *x, const float *w, const float *b,
                            const float *residual, float *y)
{
    int in_image = g->in_h * g->in_w * g->in_c, out_image = g->out_h * g->out_w * g->in_c;

    for (int n = 0; n < g->batch; n++)
        nn_depthwise_rows(g, x + n * in_image, w, b, residual ? residual + n * out_image : NULL,
                          y + n * out_image, 0, g->out_h);
}
