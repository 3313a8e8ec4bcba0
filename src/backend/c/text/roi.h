/* --- regions of interest, brought to one size ---------------------------------------------------
 */

enum { NN_ROI_MEAN = 1, NN_ROI_ALIGN = 2, NN_ROI_RESAMPLE = 4 };

/* `method` of interpolation; `rate` of points in each cell; regions, channels. */
struct nn_roi {
    int kind, method, rank, regions, channels, batch;
    int in[6], out[6], rate[6];
};

/* What folds some items. */
struct nn_roi_fold {
    double sum, most;
    int count;
};
NN_USUAL void nn_roi_fold_in(struct nn_roi_fold *f, double x)
{
    if (f->count == 0 || x > f->most || x != x)
        f->most = x;
    f->sum += x;
    f->count++;
}

/* Rounded, as far out as any map needs. */
NN_USUAL double nn_roi_round(float x)
{
    double below = floor((double)x), far = 1099511627776.0;
    double rounded = below + ((double)x - below >= 0.5 ? 1.0 : 0.0);

    return rounded > far ? far : rounded < -far ? -far : x == x ? rounded : 0.0;
}
NN_USUAL int nn_roi_clamp(int64_t i, int extent)
{
    return i < 0 ? 0 : i < extent ? (int)i : extent;
}

/* The items of a cell that lie in the map. */
NN_USUAL struct nn_roi_fold nn_roi_cell(const struct nn_roi *r, const float *map,
                                        const float *region, const int *cell)
{
    struct nn_roi_fold fold = {0, 0, 0};
    int begin[6], size[6], all = 1;

    for (int i = 0; i < r->rank; i++) {
        int64_t start = (int64_t)nn_roi_round(region[i]);
        int64_t extent = (int64_t)nn_roi_round(region[r->rank + i]) - start, n = r->out[i];
        if (extent < 0)
            extent = 0;
        int64_t first = start + cell[i] * (extent / n), width = (extent + n - 1) / n;
        begin[i] = nn_roi_clamp(first, r->in[i]);
        size[i] = nn_roi_clamp(first + (width > 0 ? width : 1), r->in[i]) - begin[i];
        all *= size[i];
    }
    for (int n = 0; n < all; n++) {
        int rest = n, at = 0, pitch = 1;
        for (int i = r->rank - 1; i >= 0; i--) {
            at += (begin[i] + rest % size[i]) * pitch;
            rest /= size[i];
            pitch *= r->in[i];
        }
        nn_roi_fold_in(&fold, (double)map[at]);
    }
    return fold;
}

/* The map at a point of a grid, clamped to its edge. */
NN_USUAL double nn_roi_point(const struct nn_roi *r, const float *map, const float *region,
                             const int *point)
{
    int low[6], high[6], pitch = 1;
    double share[6], sum = 0;

    for (int i = r->rank - 1; i >= 0; i--) {
        double start = (double)region[i], in = (double)region[r->rank + i] - start;
        double k = point[i], out = (double)r->out[i] * r->rate[i], at = 0, last = r->in[i] - 1;
        if (r->method == NN_SYMMETRIC)
            at = ((2 * k + 1) * in - out) / (2 * out);
        else if (r->method == NN_ASYMMETRIC)
            at = k * in / out;
        else if (out > 1)
            at = k * (in - 1) / (out - 1);
        at += start;
        at = at > 0 ? at : 0;
        at = at < last ? at : last;
        int below = (int)floor(at);
        low[i] = below * pitch;
        high[i] = (below < r->in[i] - 1 ? below + 1 : below) * pitch;
        share[i] = at - below;
        pitch *= r->in[i];
    }
    for (int corner = 0; corner < 1 << r->rank; corner++) {
        double weight = 1;
        int at = 0;
        for (int i = 0; i < r->rank; i++) {
            weight *= corner >> i & 1 ? share[i] : 1 - share[i];
            at += corner >> i & 1 ? high[i] : low[i];
        }
        if (weight > 0)
            sum += weight * (double)map[at];
    }
    return sum;
}

NN_USUAL struct nn_roi_fold nn_roi_points(const struct nn_roi *r, const float *map,
                                          const float *region, const int *cell)
{
    struct nn_roi_fold fold = {0, 0, 0};
    int all = 1;

    for (int i = 0; i < r->rank; i++)
        all *= r->rate[i];
    for (int n = 0; n < all; n++) {
        int point[6], rest = n;
        for (int i = r->rank - 1; i >= 0; i--) {
            point[i] = cell[i] * r->rate[i] + rest % r->rate[i];
            rest /= r->rate[i];
        }
        nn_roi_fold_in(&fold, nn_roi_point(r, map, region, point));
    }
    return fold;
}

NN_USUAL int nn_regions(const struct nn_roi *r, const float *x, const float *rois,
                        const int64_t *index, float *y)
{
    int plane = 1, cells = 1;

    for (int i = 0; i < r->rank; i++) {
        plane *= r->in[i];
        cells *= r->out[i];
    }
    for (int n = 0; n < r->regions; n++)
        if (index[n] < 0 || index[n] >= r->batch)
            return 1;
    for (int n = 0; n < r->regions * r->channels * cells && plane > 0; n++) {
        int cell[6], rest = n % cells, roi = n / cells / r->channels;
        const float *map = x + (index[roi] * r->channels + n / cells % r->channels) * plane;
        struct nn_roi_fold fold;
        for (int i = r->rank - 1; i >= 0; i--) {
            cell[i] = rest % r->out[i];
            rest /= r->out[i];
        }
        if (r->kind & (NN_ROI_ALIGN | NN_ROI_RESAMPLE))
            fold = nn_roi_points(r, map, rois + roi * 2 * r->rank, cell);
        else
            fold = nn_roi_cell(r, map, rois + roi * 2 * r->rank, cell);
        y[n] = (float)(!(r->kind & NN_ROI_MEAN) ? fold.most
                       : fold.count > 0         ? fold.sum / fold.count
                                                : 0);
    }
    return 0;
}
