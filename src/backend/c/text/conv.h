/* --- convolutions, channels last ------------------------------------------------------------- */

#define NN_NEAR_ITEMS 8192 /* weights that stay in the nearest cache */

struct nn_conv {
    int batch, groups, in_c, out_c; /* channels of a group */
    int in_h, in_w, out_h, out_w;
    int k_h, k_w, stride_h, stride_w, dil_h, dil_w, pad_h, pad_w;
    int rows; /* of results that are done together; of pointwise ones, pixels */
    int ring; /* row y of the image is y % ring; 0: all rows are there */
    int clamps;
    float low, high;
};

/* Taps that a window has inside the image: `run` items each.  w: the first of the filter; w_panel:
 * from the weights of a panel of channels to those of the next one; fetches: weights from `ahead`
 * on come into the cache meanwhile. */
struct nn_taps {
    int ny, nx, run;
    int y, y_step, ring, x_row, x_tap, w, w_row, w_tap, w_panel;
    int fetches;
    const float *ahead;
};

/* `count` pixels, x_step apart, times the weights of up to NN_WIDE channels; each item fetches a
 * line of what is `ahead`. */
NN_PART void nn_tile(const int count, const int vecs, const struct nn_conv *g,
                     const struct nn_taps *t, const float *x, int x_step, const float *w, int width,
                     const float *b, const float *residual, float *y, int y_step,
                     const float *ahead)
{
    const int step = nn_least(width, NN_PANEL), next_step = nn_most(width - NN_PANEL, 0);
    nn_vec s[NN_TILE][NN_WIDE / NN_LANES];

    NN_UNROLL
    for (int i = 0; i < count; i++)
        NN_UNROLL
    for (int v = 0; v < vecs; v++)
        s[i][v] = nn_load(b + v * NN_LANES);
    for (int r = 0; r < t->ny; r++)
        for (int q = 0; q < t->nx; q++) {
            const int at = t->y + r * t->y_step;
            const float *from = x + (t->ring ? at % t->ring : at) * t->x_row + q * t->x_tap;
            const int item = t->w + r * t->w_row + q * t->w_tap;
            const float *weight = w + item * step;
            const float *next = next_step > 0 ? w + t->w_panel + item * next_step : w;
            for (int k = 0; k < t->run; k++, weight += step, next += next_step) {
                nn_vec row[NN_WIDE / NN_LANES];
                NN_UNROLL
                for (int v = 0; v < vecs; v++)
                    row[v] = nn_load(v * NN_LANES < NN_PANEL ? weight + v * NN_LANES : next);
                NN_UNROLL
                for (int i = 0; i < count; i++) {
                    nn_vec x_item = nn_all(from[i * x_step + k]);
                    NN_UNROLL
                    for (int v = 0; v < vecs; v++)
                        s[i][v] += x_item * row[v];
                }
                if (count == NN_TILE && t->fetches) {
                    NN_FETCH(ahead);
                    ahead += NN_PANEL;
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
        if (width == vecs * NN_LANES) {
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

NN_PART void nn_tiles(const int vecs, const struct nn_conv *g, const struct nn_taps *t,
                      const float *x, int x_step, const float *w, int width, const float *b,
                      const float *residual, float *y, int y_step, int count)
{
    int i = 0;

    for (; i + NN_TILE <= count; i += NN_TILE)
        nn_tile(NN_TILE, vecs, g, t, x + nn_far(i, x_step), x_step, w, width, b,
                residual ? residual + nn_far(i, y_step) : NULL, y + nn_far(i, y_step), y_step,
                i < NN_TILE * vecs / NN_VECS ? t->ahead + nn_far(i / NN_TILE, t->w_panel) : w);
#if NN_TILE > 4
    for (; i + 4 <= count; i += 4)
        nn_tile(4, vecs, g, t, x + nn_far(i, x_step), x_step, w, width, b,
                residual ? residual + nn_far(i, y_step) : NULL, y + nn_far(i, y_step), y_step,
                NULL);
#endif
#if NN_TILE > 1
    for (; i < count; i++)
        nn_tile(1, vecs, g, t, x + nn_far(i, x_step), x_step, w, width, b,
                residual ? residual + nn_far(i, y_step) : NULL, y + nn_far(i, y_step), y_step,
                NULL);
#endif
}

NN_INLINE void nn_pixels(const struct nn_conv *g, const struct nn_taps *t, const float *x,
                         int x_step, const float *w, int width, const float *b,
                         const float *residual, float *y, int y_step, int count)
{
#if NN_LANES == NN_PANEL
    if (width > NN_PANEL) {
        nn_tiles(2, g, t, x, x_step, w, width, b, residual, y, y_step, count);
        return;
    }
#endif
    nn_tiles(NN_VECS, g, t, x, x_step, w, width, b, residual, y, y_step, count);
}

NN_INLINE void nn_some_pixels(const struct nn_conv *g, struct nn_taps t, const float *x,
                              const float *w, int width, const float *b, const float *residual,
                              float *y, int ox, int count, int ky, int joined)
{
    int pixel = g->in_c * g->groups, kx, nx;

    nn_inside(ox * g->stride_w - g->pad_w, g->k_w, g->dil_w, g->in_w, &kx, &nx);
    t.nx = joined ? 1 : nx;
    t.run = joined ? nx * g->in_c : g->in_c;
    t.w = (ky * g->k_w + kx) * g->in_c;
    nn_pixels(g, &t, x + (ox * g->stride_w - g->pad_w + kx * g->dil_w) * pixel, g->stride_w * pixel,
              w, width, b, residual ? residual + ox * g->out_c * g->groups : NULL,
              y + ox * g->out_c * g->groups, g->out_c * g->groups, count);
}

NN_INLINE void nn_conv_row(const struct nn_conv *g, const float *x, const float *w, int width,
                           const float *b, const float *residual, float *y, int oy)
{
    int pixel = g->in_c * g->groups, ky, ny, at = oy * g->stride_h - g->pad_h;
    int joined = g->groups == 1 && g->dil_w == 1;
    int left, right, ox = 0;
    struct nn_taps t = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, w};

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
    t.w_panel = g->k_h * g->k_w * g->in_c * NN_PANEL;
    for (; ox < left; ox++)
        nn_some_pixels(g, t, x, w, width, b, residual, y, ox, 1, ky, joined);
    if (right > left)
        nn_some_pixels(g, t, x, w, width, b, residual, y, left, right - left, ky, joined);
    for (ox = right; ox < g->out_w; ox++)
        nn_some_pixels(g, t, x, w, width, b, residual, y, ox, 1, ky, joined);
}

/* Rows `first` to `end` of `width` channels from `at` on; y and residual begin with the first. */
NN_INLINE void nn_conv_panel(const struct nn_conv *g, const float *x, const float *w, int at,
                             int width, const float *b, const float *residual, float *y, int first,
                             int end)
{
    int out_row = g->out_w * g->out_c * g->groups, filter = g->k_h * g->k_w * g->in_c;

    for (int oy = first, to = at; oy < end; oy++, to += out_row)
        nn_conv_row(g, x, w + at * filter, width, b + at, residual ? residual + to : NULL, y + to,
                    oy);
}

/* The same of all channels. */
NN_INLINE void nn_conv_rows(const struct nn_conv *g, const float *x, const float *w, const float *b,
                            const float *residual, float *y, int first, int end)
{
    int wide = g->out_c / NN_WIDE * NN_WIDE;

    for (int group = 0, at = 0; group < g->groups; group++, x += g->in_c, at += g->out_c) {
        for (int o = 0; o < wide; o += NN_WIDE)
            nn_conv_panel(g, x, w, at + o, NN_WIDE, b, residual, y, first, end);
        if (wide < g->out_c)
            nn_conv_panel(g, x, w, at + wide, g->out_c - wide, b, residual, y, first, end);
    }
}

NN_INLINE void nn_conv_layer(const struct nn_conv *g, const float *x, const float *w,
                             const float *b, const float *residual, float *y)
{
    int in_image = g->in_h * g->in_w * g->in_c * g->groups;
    int out_row = g->out_w * g->out_c * g->groups;

    for (int n = 0; n < g->batch; n++)
        for (int first = 0, end; first < g->out_h; first = end) {
            int at = (n * g->out_h + first) * out_row;
            end = first + nn_least(g->rows, g->out_h - first);
            nn_conv_rows(g, x + n * in_image, w, b, residual ? residual + at : NULL, y + at, first,
                         end);
        }
}

/* One pixel of the results depends on one pixel of the image: `width` channels from `o` on. */
NN_INLINE void nn_pointwise_panel(const struct nn_conv *g, const float *x, const float *w, int o,
                                  int width, const float *b, const float *residual, float *y,
                                  int pixels)
{
    struct nn_taps t = {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, w};

    t.run = g->in_c;
    t.w_panel = g->in_c * NN_PANEL;
    t.fetches = g->in_c * g->out_c > NN_NEAR_ITEMS;
    t.ahead = w + nn_far(o + width < g->out_c ? o + width : 0, g->in_c);
    nn_pixels(g, &t, x, g->in_c, w + o * g->in_c, width, b + o, residual ? residual + o : NULL,
              y + o, g->out_c, pixels);
}

NN_INLINE void nn_pointwise(const struct nn_conv *g, const float *x, const float *w, const float *b,
                            const float *residual, float *y, int pixels)
{
    int wide = g->out_c / NN_WIDE * NN_WIDE;

    for (int first = 0, count; first < pixels; first += count) {
        count = nn_least(g->rows, pixels - first);
        const float *from = x + nn_far(first, g->in_c);
        const float *r = residual ? residual + nn_far(first, g->out_c) : NULL;
        float *to = y + nn_far(first, g->out_c);
        for (int o = 0; o < wide; o += NN_WIDE)
            nn_pointwise_panel(g, from, w, o, NN_WIDE, b, r, to, count);
        if (wide < g->out_c)
            nn_pointwise_panel(g, from, w, wide, g->out_c - wide, b, r, to, count);
    }
}
