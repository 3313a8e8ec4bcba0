/* --- convolutions, channels last ------------------------------------------------------------- */

struct nn_conv {
    int batch, groups, in_c, out_c; /* channels of a group */
    int in_h, in_w, out_h, out_w;
    int k_h, k_w, stride_h, stride_w, dil_h, dil_w, pad_h, pad_w;
    int rows; /* of results that are done together; of pointwise ones, pixels */
    int ring; /* row y of the image is y % ring; 0: all rows are there */
    int clamps;
    float low, high;
};

/* Taps that a window has inside the image: `run` items each. */
struct nn_taps {
    int ny, nx, run;
    int y, y_step, ring, x_row, x_tap, w_row, w_tap;
};

/* `count` pixels, x_step apart, times a panel of weights. */
NN_PART void nn_tile(const int count, const int vecs, const struct nn_conv *g,
                     const struct nn_taps *t, const float *x, int x_step, const float *w, int width,
                     const float *b, const float *residual, float *y, int y_step)
{
    nn_vec s[NN_TILE][NN_VECS];

    NN_UNROLL
    for (int i = 0; i < count; i++)
        NN_UNROLL
    for (int v = 0; v < vecs; v++)
        s[i][v] = nn_load(b + v * NN_LANES);
    for (int r = 0; r < t->ny; r++)
        for (int q = 0; q < t->nx; q++) {
            const int at = t->y + r * t->y_step;
            const float *from = x + (t->ring ? at % t->ring : at) * t->x_row + q * t->x_tap;
            const float *weight = w + (r * t->w_row + q * t->w_tap) * width;
            for (int k = 0; k < t->run; k++, weight += width) {
                nn_vec row[NN_VECS];
                NN_UNROLL
                for (int v = 0; v < vecs; v++)
                    row[v] = nn_load(weight + v * NN_LANES);
                NN_UNROLL
                for (int i = 0; i < count; i++) {
                    nn_vec item = nn_all(from[i * x_step + k]);
                    NN_UNROLL
                    for (int v = 0; v < vecs; v++)
                        s[i][v] += item * row[v];
                }
            }
        }
    NN_UNROLL
    for (int i = 0; i < count; i++) {
        NN_UNROLL
        for (int v = 0; v < vecs; v++) {
            if (residual)
                s[i][v] += nn_load_some(residual + i * y_step + v * NN_LANES, width - v * NN_LANES);
            if (g->clamps)
                s[i][v] = nn_max(nn_all(g->low), nn_min(nn_all(g->high), s[i][v]));
        }
        if (width == NN_PANEL) {
            NN_UNROLL
            for (int v = 0; v < vecs; v++)
                nn_store(y + i * y_step + v * NN_LANES, s[i][v]);
        } else {
            NN_UNROLL
            for (int v = 0; v < vecs; v++)
                nn_store_some(y + i * y_step + v * NN_LANES, s[i][v], width - v * NN_LANES);
        }
    }
}

/* Items that `i` steps take; as int, GCC would warn of what may be beyond its limits. */
NN_INLINE size_t nn_far(int i, int step)
{
    return (size_t)i * (size_t)step;
}

NN_INLINE void nn_pixels(const struct nn_conv *g, const struct nn_taps *t, const float *x,
                         int x_step, const float *w, int width, const float *b,
                         const float *residual, float *y, int y_step, int count)
{
    int i = 0;

    for (; i + NN_TILE <= count; i += NN_TILE)
        nn_tile(NN_TILE, NN_VECS, g, t, x + nn_far(i, x_step), x_step, w, width, b,
                residual ? residual + nn_far(i, y_step) : NULL, y + nn_far(i, y_step), y_step);
#if NN_TILE > 4
    for (; i + 4 <= count; i += 4)
        nn_tile(4, NN_VECS, g, t, x + nn_far(i, x_step), x_step, w, width, b,
                residual ? residual + nn_far(i, y_step) : NULL, y + nn_far(i, y_step), y_step);
#endif
#if NN_TILE > 1
    for (; i < count; i++)
        nn_tile(1, NN_VECS, g, t, x + nn_far(i, x_step), x_step, w, width, b,
                residual ? residual + nn_far(i, y_step) : NULL, y + nn_far(i, y_step), y_step);
#endif
}

NN_INLINE void nn_some_pixels(const struct nn_conv *g, struct nn_taps t, const float *x,
                              const float *w, int width, const float *b, const float *residual,
                              float *y, int ox, int count, int ky, int joined)
{
    int pixel = g->in_c * g->groups, kx, nx;

    nn_inside(ox * g->stride_w - g->pad_w, g->k_w, g->dil_w, g->in_w, &kx, &nx);
    t.nx = joined ? 1 : nx;
    t.run = joined ? nx * g->in_c : g->in_c;
    nn_pixels(g, &t, x + (ox * g->stride_w - g->pad_w + kx * g->dil_w) * pixel, g->stride_w * pixel,
              w + (ky * g->k_w + kx) * g->in_c * width, width, b,
              residual ? residual + ox * g->out_c * g->groups : NULL, y + ox * g->out_c * g->groups,
              g->out_c * g->groups, count);
}

NN_INLINE void nn_conv_row(const struct nn_conv *g, const float *x, const float *w, int width,
                           const float *b, const float *residual, float *y, int oy)
{
    int pixel = g->in_c * g->groups, ky, ny, at = oy * g->stride_h - g->pad_h;
    int joined = g->groups == 1 && g->dil_w == 1;
    int left, right, ox = 0;
    struct nn_taps t = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    nn_whole(g->in_w, g->out_w, g->k_w, g->stride_w, g->dil_w, g->pad_w, &left, &right);
    nn_inside(at, g->k_h, g->dil_h, g->in_h, &ky, &ny);
    t.ny = ny;
    t.y = at + ky * g->dil_h;
    t.y_step = g->dil_h;
    t.ring = g->ring;
    t.x_row = g->in_w * pixel;
    t.x_tap = g->dil_w * pixel;
    t.w_row = g->k_w * g->in_c;
    t.w_tap = g->in_c;
    for (; ox < left; ox++)
        nn_some_pixels(g, t, x, w, width, b, residual, y, ox, 1, ky, joined);
    if (right > left)
        nn_some_pixels(g, t, x, w, width, b, residual, y, left, right - left, ky, joined);
    for (ox = right; ox < g->out_w; ox++)
        nn_some_pixels(g, t, x, w, width, b, residual, y, ox, 1, ky, joined);
}

/* Rows `first` to `end` of a panel of channels; y and residual begin with the first. */
NN_INLINE void nn_conv_panel(const struct nn_conv *g, const float *x, const float *w, int width,
                             const float *b, const float *residual, float *y, int first, int end)
{
    int out_row = g->out_w * g->out_c * g->groups;

    for (int oy = first, at = 0; oy < end; oy++, at += out_row)
        nn_conv_row(g, x, w, width, b, residual ? residual + at : NULL, y + at, oy);
}

/* The same of all channels. */
NN_INLINE void nn_conv_rows(const struct nn_conv *g, const float *x, const float *w, const float *b,
                            const float *residual, float *y, int first, int end)
{
    int filter = g->k_h * g->k_w * g->in_c, whole = g->out_c / NN_PANEL * NN_PANEL;

    for (int group = 0; group < g->groups; group++, x += g->in_c) {
        for (int o = 0; o < whole; o += NN_PANEL) {
            int at = group * g->out_c + o;
            nn_conv_panel(g, x, w + at * filter, NN_PANEL, b + at, residual ? residual + at : NULL,
                          y + at, first, end);
        }
        if (whole < g->out_c) {
            int at = group * g->out_c + whole;
            nn_conv_panel(g, x, w + at * filter, g->out_c - whole, b + at,
                          residual ? residual + at : NULL, y + at, first, end);
        }
    }
}

NN_INLINE void nn_conv_layer(const struct nn_conv *g, const float *x, const float *w,
                             const float *b, const float *residual, float *y)
{
    int in_image = g->in_h * g->in_w * g->in_c * g->groups;
    int out_row = g->out_w * g->out_c * g->groups;

    for (int n = 0; n < g->batch; n++)
        for (int first = 0; first < g->out_h; first += g->rows) {
            int at = (n * g->out_h + first) * out_row;
            nn_conv_rows(g, x + n * in_image, w, b, residual ? residual + at : NULL, y + at, first,
                         nn_least(first + g->rows, g->out_h));
        }
}

/* One pixel of the results depends on one pixel of the image. */
NN_INLINE void nn_pointwise(const struct nn_conv *g, const float *x, const float *w, const float *b,
                            const float *residual, float *y, int pixels)
{
    struct nn_taps t = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    int whole = g->out_c / NN_PANEL * NN_PANEL;

    t.run = g->in_c;
    for (int first = 0; first < pixels; first += g->rows) {
        int count = nn_least(g->rows, pixels - first), at = first * g->out_c;
        const float *from = x + first * g->in_c;
        for (int o = 0; o < whole; o += NN_PANEL)
            nn_pixels(g, &t, from, g->in_c, w + o * g->in_c, NN_PANEL, b + o,
                      residual ? residual + at + o : NULL, y + at + o, g->out_c, count);
        if (whole < g->out_c)
            nn_pixels(g, &t, from, g->in_c, w + whole * g->in_c, g->out_c - whole, b + whole,
                      residual ? residual + at + whole : NULL, y + at + whole, g->out_c, count);
    }
}
