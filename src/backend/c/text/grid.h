/* --- images, looked up at the places of a grid --------------------------------------------------
 */

enum { NN_LINEAR, NN_NEAREST, NN_CUBIC };

struct nn_grid {
    int batch, channels, rank, mode, border, align_corners;
    int in[3], out[3];
};

NN_USUAL double nn_cubic(double distance)
{
    const double d = fabs(distance), c = -0.75;

    if (d <= 1)
        return ((c + 2) * d - (c + 3)) * d * d + 1;
    return d < 2 ? ((c * d - 5 * c) * d + 8 * c) * d - 4 * c : 0;
}

/* The item that stands for item i; -1 if none does. */
NN_USUAL int nn_grid_item(const struct nn_grid *g, int64_t i, int extent)
{
    int64_t period = g->align_corners ? 2 * ((int64_t)extent - 1) : 2 * (int64_t)extent;

    if (i >= 0 && i < extent)
        return (int)i;
    if (g->border == NN_REPLICATE)
        return i < 0 ? 0 : extent - 1;
    if (g->border != NN_REFLECT)
        return -1;
    if (period == 0)
        return 0;
    i = (i % period + period) % period;
    return (int)(i < extent ? i : g->align_corners ? period - i : period - 1 - i);
}

NN_USUAL float nn_grid_coordinate(const struct nn_grid *g, float extent, float place)
{
    volatile float product = (place + 1) * extent;

    return g->align_corners ? (place + 1) / 2 * (extent - 1) : (product - 1) / 2;
}

/* The taps about a coordinate along one axis: their items and weights. */
NN_USUAL int nn_grid_taps(const struct nn_grid *g, int axis, float place, int *item, double *weight)
{
    float at = nn_grid_coordinate(g, (float)g->in[axis], place);
    double far = 1099511627776.0, low, share;
    int count = g->mode == NN_LINEAR ? 2 : g->mode == NN_CUBIC ? 4 : 1;
    int first = g->mode == NN_CUBIC ? -1 : 0;

    if (!(fabsf(at) < 9223372036854775808.0F))
        at = nn_grid_coordinate(g, (float)g->in[axis], -1);
    share = (double)at < -far ? -far : (double)at > far ? far : (double)at;
    low = g->mode == NN_NEAREST ? rint(share) : floor(share);
    share -= low;
    for (int i = 0; i < count; i++) {
        item[i] = nn_grid_item(g, (int64_t)low + first + i, g->in[axis]);
        weight[i] = g->mode == NN_NEAREST ? 1
                    : g->mode == NN_CUBIC ? nn_cubic(share - (first + i))
                    : i == 0              ? 1 - share
                                          : share;
    }
    return count;
}

NN_USUAL void nn_grid_sample(const struct nn_grid *g, const float *x, const float *grid, float *y)
{
    int plane = 1, places = 1;

    for (int i = 0; i < g->rank; i++) {
        plane *= g->in[i];
        places *= g->out[i];
    }
    for (int n = 0; n < g->batch * places && plane > 0; n++) {
        int item[3][4], count = 1, all = 1, batch = n / places * g->channels;
        double weight[3][4];
        for (int i = 0; i < g->rank; i++) {
            count = nn_grid_taps(g, i, grid[n * g->rank + g->rank - 1 - i], item[i], weight[i]);
            all *= count;
        }
        for (int c = batch; c < batch + g->channels; c++) {
            double sum = 0;
            for (int tap = 0; tap < all; tap++) {
                int rest = tap, at = 0, pitch = 1, outside = 0;
                double w = 1;
                for (int i = g->rank - 1; i >= 0; i--) {
                    int k = rest % count;
                    rest /= count;
                    outside |= item[i][k] < 0;
                    at += item[i][k] * pitch;
                    pitch *= g->in[i];
                    w *= weight[i][k];
                }
                if (!outside && (w < 0 || w > 0))
                    sum += w * (double)x[c * plane + at];
            }
            y[c * places + n % places] = (float)sum;
        }
    }
}
