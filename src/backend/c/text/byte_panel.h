/* --- windows of bytes for the outputs of a panel ------------------------------------------------
 */

/* Only items from `first` to `last` are there; the others have no part in the sums. */
NN_INLINE nn_quad nn_some_of(const struct nn_bytes *g, const unsigned char *from, int first,
                             int last)
{
    unsigned char items[4];

    for (int i = 0; i < 4; i++)
        items[i] = i >= first && i < last ? from[i] : (unsigned char)g->zero;
    return nn_quad_of(g, items);
}

/* Add a quad of each of `count` pixels times its weights for `outs` outputs. */
NN_PART void nn_add_quads(nn_totals (*s)[NN_GROUP / NN_EACH], const nn_quad *x, const int count,
                          const int outs, const int8_t *w)
{
#if defined NN_SHORTS
    NN_UNROLL
    for (int v = 0; v * NN_EACH < outs; v++) {
        const nn_quad weights = nn_weights_of(w + v * NN_SHORTS, outs);
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
    nn_totals s[NN_NEAR + NN_ZEROS][NN_GROUP / NN_EACH];
    nn_quad quad[NN_NEAR + NN_ZEROS];

    memset(s, 0, sizeof s);
    if (NN_ZEROS)
        quad[count] = nn_some_of(g, x, 0, 0);
    for (int r = 0; r < t->ny; r++)
        for (int q = 0; q < t->nx; q++) {
            const int from = at + r * t->x_row + q * t->x_tap;
            int k = t->begin / 4 * 4;
            const int8_t *weight = w + (r * t->w_row + q * t->w_tap + k) * width;
            if (k < t->begin) {
                for (int i = 0; i < count; i++)
                    quad[i] = nn_some_of(g, x + (from + i * x_step + k), t->begin - k, t->end - k);
                nn_add_quads(s, quad, count + NN_ZEROS, outs, weight);
                k += 4;
                weight += 4 * width;
            }
            for (; k + 4 <= t->end; k += 4, weight += 4 * width) {
                NN_UNROLL
                for (int i = 0; i < count; i++)
                    quad[i] = nn_quad_of(g, x + (from + i * x_step + k));
                nn_add_quads(s, quad, count + NN_ZEROS, outs, weight);
            }
            if (k < t->end) {
                for (int i = 0; i < count; i++)
                    quad[i] = nn_some_of(g, x + (from + i * x_step + k), 0, t->end - k);
                nn_add_quads(s, quad, count + NN_ZEROS, outs, weight);
            }
        }
    NN_UNROLL
    for (int i = 0; i < count; i++) {
#if defined NN_SHORTS
        int32_t sums[NN_GROUP];
        NN_UNROLL
        for (int v = 0; v * NN_EACH < outs; v++) {
            const nn_each some = nn_each_of(NN_ZEROS ? s[i][v] - s[count][v] : s[i][v]);
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

/* The width of the next panel if so many outputs are left. */
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
#if NN_NEAR > 4
    for (; i + 4 <= count; i += 4)
        nn_patch(4, outs, g, t, x, at + i * x_step, x_step, w, width, b, factor, y, to + i * y_step,
                 y_step);
#endif
    for (; i < count; i++)
        nn_patch(1, outs, g, t, x, at + i * x_step, x_step, w, width, b, factor, y, to + i * y_step,
                 y_step);
}

#if !defined NN_SHORTS
/* Without vectors: two outputs at a time, as registers are few. */
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
