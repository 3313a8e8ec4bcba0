/* --- windows of images, channels last
 * ------------------------------------------------------------------------ */

/* Not NN_MAX: INT8_MAX is a macro of stdint.h. */
enum { NN_POOL_MAX, NN_POOL_SUM, NN_POOL_MEAN };

struct nn_pool {
    int kind, zeros, batch, channels, in_h, in_w, out_h, out_w;
    int k_h, k_w, stride_h, stride_w, dil_h, dil_w, pad_h, pad_w;
};

NN_USUAL void nn_pool_windows(const struct nn_pool *g, const float *x, float *y)
{
    for (int n = 0; n < g->batch * g->out_h; n++)
        for (int ox = 0; ox < g->out_w; ox++, y += g->channels) {
            int seen = 0;
            for (int q = 0; q < g->k_h * g->k_w; q++) {
                int iy = n % g->out_h * g->stride_h - g->pad_h + q / g->k_w * g->dil_h;
                int ix = ox * g->stride_w - g->pad_w + q % g->k_w * g->dil_w;
                int inside = iy >= 0 && iy < g->in_h && ix >= 0 && ix < g->in_w;
                const float *from = x;
                if (!inside && !g->zeros)
                    continue;
                if (inside)
                    from += ((n / g->out_h * g->in_h + iy) * g->in_w + ix) * g->channels;
                for (int c = 0; c < g->channels; c++) {
                    float item = inside ? from[c] : 0.0F;
                    if (seen == 0)
                        y[c] = item;
                    else if (g->kind == NN_POOL_MAX)
                        y[c] = item > y[c] || item != item ? item : y[c];
                    else
                        y[c] += item;
                }
                seen++;
            }
            for (int c = 0; g->kind == NN_POOL_MEAN && c < g->channels; c++)
                y[c] /= (float)seen;
        }
}
