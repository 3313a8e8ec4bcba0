/* --- layers of bytes -------------------------------------------------------------------------- */

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

    nn_inside(in, g->k_w, g->dil_w, g->in_w, &kx, &nx);
    if (nx == 0)
        t.ny = 0; /* no tap is inside */
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
        nn_inside(begin, g->k_h, g->dil_h, g->in_h, &ky, &t.ny);
        at = (image * g->in_h + begin + ky * g->dil_h) * g->in_w * pixel + group * g->in_c;
        for (int ox = 0; ox < g->out_w;) {
            const int count = ox == left && right > left ? right - left : 1;
            nn_windows(g, t, x, at, filter, b + first, factor + first, y, to, ox, count, ky);
            ox += count;
        }
    }
}
