/* --- maxima of bytes, channels last; what is outside is `zero`, or does not count ----------------
 */

NN_USUAL void nn_byte_pool(const struct nn_pool *g, int is_signed, int zero, const void *in,
                           void *out)
{
    const unsigned char *x = (const unsigned char *)in;
    unsigned char *y = (unsigned char *)out;
    const int sign = is_signed ? 128 : 0;

    for (int n = 0; n < g->batch * g->out_h; n++)
        for (int ox = 0; ox < g->out_w; ox++, y += g->channels) {
            int seen = 0, outside = 0;
            for (int q = 0; q < g->k_h * g->k_w; q++) {
                const int iy = n % g->out_h * g->stride_h - g->pad_h + q / g->k_w * g->dil_h;
                const int ix = ox * g->stride_w - g->pad_w + q % g->k_w * g->dil_w;
                if (iy < 0 || iy >= g->in_h || ix < 0 || ix >= g->in_w) {
                    outside = 1;
                    continue;
                }
                const unsigned char *from =
                    x + ((n / g->out_h * g->in_h + iy) * g->in_w + ix) * g->channels;
                for (int c = 0; c < g->channels; c++)
                    if (seen == 0 || (from[c] ^ sign) > (y[c] ^ sign))
                        y[c] = from[c];
                seen++;
            }
            for (int c = 0; c < g->channels; c++)
                if (seen == 0 || (outside && g->zeros && ((zero & 255) ^ sign) > (y[c] ^ sign)))
                    y[c] = (unsigned char)zero;
        }
}
