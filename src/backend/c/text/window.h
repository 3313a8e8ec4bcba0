/* --- windows over any dimensions, with any border --------------------------------------------- */

struct nn_dim {
    int in, out, size, stride, dilation, before;
};

struct nn_window {
    int rank, reverse, border, outs, taps;
    struct nn_dim dim[8];
};

enum { NN_CONSTANT, NN_REPLICATE, NN_REFLECT, NN_REFLECT_EVEN, NN_IGNORE };

/* The item that output `o` reads at tap `k` of a dimension; -1: none. */
NN_USUAL int nn_at(const struct nn_window *w, const struct nn_dim *d, int o, int k)
{
    int i =
        w->reverse ? o + d->before - k * d->dilation : o * d->stride + k * d->dilation - d->before;

    if (w->reverse && i % d->stride != 0)
        return -1;
    if (w->reverse)
        i /= d->stride;
    if (i >= 0 && i < d->in)
        return i;
    switch (w->border) {
    case NN_REPLICATE:
        i = i < 0 ? 0 : d->in - 1;
        break;
    case NN_REFLECT:
        i = i < 0 ? -i : 2 * (d->in - 1) - i;
        break;
    case NN_REFLECT_EVEN:
        i = i < 0 ? -i - 1 : 2 * d->in - 1 - i;
        break;
    default:
        return -1;
    }
    return i < d->in ? i : -1;
}

/* The same for all dimensions, by numbers of output and tap. */
NN_USUAL int nn_find(const struct nn_window *w, int o, int tap)
{
    int at = 0, pitch = 1;

    for (int i = w->rank - 1; i >= 0; i--) {
        const struct nn_dim *d = &w->dim[i];
        int in = nn_at(w, d, o % d->out, tap % d->size);
        if (in < 0)
            return -1;
        at += in * pitch;
        pitch *= d->in;
        o /= d->out;
        tap /= d->size;
    }
    return at;
}

struct nn_groups {
    int batch, groups, in, out, plane,
        bias; /* channels of a group; items of an input plane; step */
};

NN_USUAL void nn_convolve(const struct nn_window *w, const struct nn_groups *g, const float *x,
                          const float *f, const float *b, float *y)
{
    for (int n = 0; n < g->batch * g->groups * g->out; n++) {
        int k = n % (g->groups * g->out), first = k / g->out * g->in;
        const float *from = x + (n / (g->groups * g->out) * g->groups * g->in + first) * g->plane;
        for (int o = 0; o < w->outs; o++) {
            double sum = (double)b[k * g->bias];
            for (int tap = 0; tap < w->taps; tap++) {
                int at = nn_find(w, o, tap);
                for (int c = 0; at >= 0 && c < g->in; c++) {
                    int row = w->reverse ? (first + c) * g->out + k % g->out : k * g->in + c;
                    sum += (double)from[c * g->plane + at] * (double)f[row * w->taps + tap];
                }
            }
            *y++ = (float)sum;
        }
    }
}

NN_USUAL void nn_box(const struct nn_window *w, int normalize, const float *x, float *y)
{
    for (int o = 0; o < w->outs; o++) {
        double sum = 0;
        int hits = 0;
        for (int tap = 0; tap < w->taps; tap++) {
            int at = nn_find(w, o, tap);
            sum += at >= 0 ? (double)x[at] : 0.0;
            hits += at >= 0;
        }
        if (w->border != NN_IGNORE)
            hits = w->taps;
        y[o] = (float)(normalize && hits > 0 ? sum / hits : sum);
    }
}

/* The greatest, and the number of its tap; either may be NULL. */
NN_USUAL void nn_greatest(const struct nn_window *w, const float *x, float *y, int64_t *index)
{
    for (int o = 0; o < w->outs; o++) {
        float best = 0;
        int found = -1;
        for (int tap = 0; tap < w->taps; tap++) {
            int at = nn_find(w, o, tap);
            float item = at >= 0 ? x[at] : 0.0F;
            if (at < 0 && w->border == NN_IGNORE)
                continue;
            if (found < 0 || item > best || (item != item && best == best)) {
                best = item;
                found = tap;
            }
        }
        if (y)
            y[o] = best;
        if (index)
            index[o] = found;
    }
}

NN_USUAL void nn_sample(const struct nn_window *w, const float *x, const int64_t *index, float *y)
{
    for (int o = 0; o < w->outs; o++) {
        int at = nn_find(w, o, (int)index[o]);
        y[o] = at >= 0 ? x[at] : 0.0F;
    }
}

NN_USUAL void nn_desample(const struct nn_window *w, const float *x, const int64_t *index, float *y)
{
    for (int o = 0; o < w->outs; o++) {
        double sum = 0;
        for (int tap = 0; tap < w->taps; tap++) {
            int at = nn_find(w, o, tap);
            if (at >= 0 && index[at] == tap)
                sum += (double)x[at];
        }
        y[o] = (float)sum;
    }
}
