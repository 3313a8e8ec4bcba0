/* --- interpolation -----------------------------------------------------------------------------
 */

enum { NN_SYMMETRIC, NN_ASYMMETRIC, NN_ALIGNED };

struct nn_resize {
    int planes, rank, method, border;
    int in[6], out[6];
};

NN_USUAL int nn_beyond(int border, int i, int extent)
{
    const struct nn_dim d = {extent, 1, 1, 1, 1, -i};
    const struct nn_window w = {1, 0, border, 1, 1, {{0, 0, 0, 0, 0, 0}}};

    return nn_at(&w, &d, 0, 0);
}

NN_USUAL void nn_multilinear(const struct nn_resize *r, const float *x, float *y)
{
    int outs = 1, plane = 1;

    for (int i = 0; i < r->rank; i++) {
        outs *= r->out[i];
        plane *= r->in[i];
    }
    for (int n = 0; n < r->planes * outs; n++) {
        int low[6], high[6], o = n % outs, pitch = 1;
        double share[6], sum = 0;
        for (int i = r->rank - 1; i >= 0; i--) {
            double in = r->in[i], out = r->out[i], k = o % r->out[i], at = 0;
            if (r->method == NN_SYMMETRIC)
                at = ((2 * k + 1) * in - out) / (2 * out);
            else if (r->method == NN_ASYMMETRIC)
                at = k * in / out;
            else if (out > 1)
                at = k * (in - 1) / (out - 1);
            int below = (int)floor(at), a = nn_beyond(r->border, below, r->in[i]);
            int b = nn_beyond(r->border, below + 1, r->in[i]);
            low[i] = a < 0 ? -1 : a * pitch;
            high[i] = b < 0 ? -1 : b * pitch;
            share[i] = at - below;
            pitch *= r->in[i];
            o /= r->out[i];
        }
        for (int corner = 0; corner < 1 << r->rank; corner++) {
            double weight = 1;
            int at = 0;
            for (int i = 0; i < r->rank; i++) {
                int one = corner >> i & 1 ? high[i] : low[i];
                weight *= one < 0 ? 0 : corner >> i & 1 ? share[i] : 1 - share[i];
                at += one;
            }
            if (weight > 0)
                sum += weight * (double)x[n / outs * plane + at];
        }
        y[n] = (float)sum;
    }
}
