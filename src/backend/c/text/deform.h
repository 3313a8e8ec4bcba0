/* --- convolutions whose taps are moved ----------------------------------------------------------
 *
 * Groups of a window (struct nn_groups) as nn_convolve() has them.  What a tap of a channel reads
 * is found for each result anew, which needs no memory.
 */

/* The input at a window's tap, moved by the numbers at `offset`, which are `step` apart. */
NN_USUAL double nn_moved(const struct nn_window *w, int o, int tap, const float *offset, int step,
                         const float *map)
{
    int low[6], high[6], pitch = 1;
    double share[6], sum = 0;

    for (int i = w->rank - 1; i >= 0; i--) {
        const struct nn_dim *d = &w->dim[i];
        double at = o % d->out * d->stride - d->before + tap % d->size * d->dilation;
        at += (double)offset[i * step];
        at = at > -2 ? at : -2;
        at = at < d->in + 1 ? at : d->in + 1;
        int below = (int)floor(at);
        low[i] = below >= 0 && below < d->in ? below * pitch : -1;
        high[i] = below + 1 >= 0 && below + 1 < d->in ? (below + 1) * pitch : -1;
        share[i] = at - below;
        pitch *= d->in;
        o /= d->out;
        tap /= d->size;
    }
    for (int corner = 0; corner < 1 << w->rank; corner++) {
        double weight = 1;
        int at = 0;
        for (int i = 0; i < w->rank; i++) {
            int one = corner >> i & 1 ? high[i] : low[i];
            weight *= one < 0 ? 0 : corner >> i & 1 ? share[i] : 1 - share[i];
            at += one;
        }
        if (weight > 0)
            sum += weight * (double)map[at];
    }
    return sum;
}

NN_USUAL void nn_deform(const struct nn_window *w, const struct nn_groups *g, int offset_groups,
                        int one_mask, const float *x, const float *f, const float *b,
                        const float *offset, const float *mask, float *y)
{
    int results = g->groups * g->out, channels = g->groups * g->in;
    int each = channels / offset_groups;

    for (int n = 0; n < g->batch * results; n++) {
        int batch = n / results, k = n % results, first = k / g->out * g->in;
        for (int o = 0; o < w->outs; o++) {
            double sum = (double)b[k * g->bias];
            for (int c = 0; c < g->in && g->plane > 0; c++)
                for (int tap = 0; tap < w->taps; tap++) {
                    int number = (batch * offset_groups + (first + c) / each) * w->taps + tap;
                    double share = (double)mask[one_mask ? 0 : number * w->outs + o];
                    sum += (double)f[(k * g->in + c) * w->taps + tap] * share *
                           nn_moved(w, o, tap, offset + number * w->rank * w->outs + o, w->outs,
                                    x + (batch * channels + first + c) * g->plane);
                }
            *y++ = (float)sum;
        }
    }
}
