/* --- convolutions one after the other, a band of rows at a time --------------------------------
 */

enum { NN_CONV, NN_DEPTHWISE, NN_POINTWISE };

/* The rows of the image that rows `first` to `end` of the results read. */
NN_INLINE int nn_first_read(const struct nn_conv *g, int first)
{
    return nn_least(nn_most(first * g->stride_h - g->pad_h, 0), g->in_h);
}
NN_INLINE int nn_end_read(const struct nn_conv *g, int end)
{
    return nn_least(nn_most((end - 1) * g->stride_h - g->pad_h + (g->k_h - 1) * g->dil_h + 1, 0),
                    g->in_h);
}

/* Compute rows `first` to `end`, in pieces that end where a ring of rows begins again: the one that
 * is read, if a piece has to lie together there, or that of the results, of `rows`; 0: all rows of
 * the results are there. */
NN_INLINE void nn_band(const int kind, const struct nn_conv *g, const float *x, const float *w,
                       const float *b, const float *residual, float *y, int rows, int first,
                       int end)
{
    int out_row = g->out_w * g->out_c * g->groups;

    for (int next; first < end; first = next) {
        const float *r = residual ? residual + first * out_row : NULL;
        float *to = y + (rows ? first % rows : first) * out_row;
        next = end;
        if (rows)
            next = nn_least(next, (first / rows + 1) * rows);
        if (kind == NN_POINTWISE && g->ring)
            next = nn_least(next, (first / g->ring + 1) * g->ring);
        if (kind == NN_POINTWISE)
            nn_pointwise(g, x + (g->ring ? first % g->ring : first) * g->in_w * g->in_c, w, b, r,
                         to, (next - first) * g->out_w);
        else if (kind == NN_DEPTHWISE)
            nn_depthwise_rows(g, x, w, b, r, to, first, next);
        else
            nn_conv_rows(g, x, w, b, r, to, first, next);
    }
}
