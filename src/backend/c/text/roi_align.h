/* --- regions of images by the rules of roi_align and roi_pool ------------------------------------
 *
 * Coordinates are floats: it is their rounding that decides what is beyond a map, so that nothing
 * of it may be fused.
 */

struct nn_align {
    int regions, channels, batch, in[2], out[2], ratio, greatest, half_pixel;
    float scale;
};

/* A cell of a region along an axis. */
struct nn_align_cell {
    float begin, size;
    double points;
};
NN_USUAL struct nn_align_cell nn_align_cell_of(const struct nn_align *a, const float *corner,
                                               int axis, int number)
{
    const float shift = a->half_pixel ? 0.5F : 0.0F;
    volatile float low = corner[1 - axis] * a->scale, high = corner[3 - axis] * a->scale, moved;
    const float start = low - shift, end = high - shift;
    float extent = end - start;
    struct nn_align_cell cell;

    if (!a->half_pixel && extent < 1)
        extent = 1;
    cell.size = extent / (float)a->out[axis];
    moved = (float)number * cell.size;
    cell.begin = start + moved;
    cell.points = a->ratio;
    if (a->ratio == 0 && cell.size - cell.size == 0)
        cell.points = cell.size > 0 ? ceil((double)cell.size) : 0;
    return cell;
}

/* The neighbours of a point, and the share of the higher one; 0 if it is not on the map. */
struct nn_align_point {
    int low, high;
    double share;
};
NN_USUAL int nn_align_point_of(int extent, const struct nn_align_cell *cell, double i,
                               struct nn_align_point *point)
{
    volatile float along = ((float)i + 0.5F) * cell->size / (float)cell->points;
    float at = cell->begin + along;
    int low;

    if (!(at >= -1 && at <= (float)extent))
        return 0;
    at = at < 0 ? 0 : at;
    low = (int)at < extent - 1 ? (int)at : extent - 1;
    point->low = low;
    point->high = low < extent - 1 ? low + 1 : low;
    point->share = low < extent - 1 ? (double)at - low : 0;
    return 1;
}

/* Which of its points can be on the map: from `first` on, how many. */
NN_USUAL int nn_align_tries(int extent, const struct nn_align_cell *cell, double *first)
{
    double step = (double)cell->size / cell->points, end = cell->points, low, high;

    *first = 0;
    if (step - step != 0 || cell->begin - cell->begin != 0)
        return 0;
    if (step > 0) {
        low = floor((-1 - (double)cell->begin) / step) - 2;
        high = ceil((extent - (double)cell->begin) / step) + 2;
        *first = low > 0 ? low : 0;
        end = high < end ? high : end;
    }
    return *first <= 1099511627776.0 && *first < end ? (int)(end - *first) : 0;
}

NN_USUAL float nn_align_fold(const struct nn_align *a, const float *map,
                             const struct nn_align_cell *y, const struct nn_align_cell *x)
{
    double fold = 0, first[2];
    int rows = nn_align_tries(a->in[0], y, &first[0]), any = 0, all = 1;
    int columns = nn_align_tries(a->in[1], x, &first[1]);
    double seen = 0;

    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            struct nn_align_point p, q;
            if (!nn_align_point_of(a->in[0], y, first[0] + i, &p) ||
                !nn_align_point_of(a->in[1], x, first[1] + k, &q))
                continue;
            const float *low = map + p.low * a->in[1], *high = map + p.high * a->in[1];
            const double part[4] = {(1 - p.share) * (1 - q.share) * (double)low[q.low],
                                    (1 - p.share) * q.share * (double)low[q.high],
                                    p.share * (1 - q.share) * (double)high[q.low],
                                    p.share * q.share * (double)high[q.high]};
            seen++;
            if (!a->greatest)
                fold += part[0] + part[1] + part[2] + part[3];
            for (int n = 0; a->greatest && n < 4; n++) {
                if (!any || part[n] > fold || part[n] != part[n])
                    fold = part[n];
                any = 1;
            }
        }
    if (seen <= 0)
        return 0;
    all = seen >= y->points * x->points;
    if (!a->greatest)
        fold /= y->points * x->points;
    else if (!all && !(fold > 0) && fold == fold)
        fold = 0;
    return (float)fold;
}

NN_USUAL int nn_roi_align(const struct nn_align *a, const float *x, const float *rois,
                          const int64_t *index, float *to)
{
    int plane = a->in[0] * a->in[1], cells = a->out[0] * a->out[1];

    for (int n = 0; n < a->regions; n++)
        if (index[n] < 0 || index[n] >= a->batch)
            return 1;
    for (int n = 0; n < a->regions * cells && plane > 0; n++) {
        int roi = n / cells, cell = n % cells;
        const struct nn_align_cell row = nn_align_cell_of(a, rois + roi * 4, 0, cell / a->out[1]);
        const struct nn_align_cell column =
            nn_align_cell_of(a, rois + roi * 4, 1, cell % a->out[1]);
        for (int c = 0; c < a->channels; c++)
            to[(roi * a->channels + c) * cells + cell] =
                nn_align_fold(a, x + (index[roi] * a->channels + c) * plane, &row, &column);
    }
    return 0;
}

/* Halves go away from 0. */
NN_USUAL int64_t nn_roi_corner(float corner, float scale)
{
    volatile float at = corner * scale;
    double far = 1099511627776.0, x = (double)at;

    if (x != x)
        return 0;
    x = x > far ? far : x < -far ? -far : x;
    return (int64_t)(x < 0 ? ceil(x - 0.5) : floor(x + 0.5));
}
NN_USUAL void nn_roi_pooled(const struct nn_align *a, const float *corner, int axis, int cell,
                            int range[2])
{
    const int64_t start = nn_roi_corner(corner[1 - axis], a->scale);
    const int64_t size = nn_roi_corner(corner[3 - axis], a->scale) - start + 1;
    const float each = (float)(size > 1 ? size : 1) / (float)a->out[axis];
    const int64_t end[2] = {start + (int64_t)floorf((float)cell * each),
                            start + (int64_t)ceilf((float)(cell + 1) * each)};

    for (int i = 0; i < 2; i++)
        range[i] = end[i] < 0 ? 0 : end[i] < a->in[axis] ? (int)end[i] : a->in[axis];
}

NN_USUAL int nn_roi_pool(const struct nn_align *a, const float *x, const float *rois, float *to)
{
    int plane = a->in[0] * a->in[1], cells = a->out[0] * a->out[1];

    for (int n = 0; n < a->regions; n++)
        if (!(rois[n * 5] >= 0 && rois[n * 5] < (float)a->batch))
            return 1;
    for (int n = 0; n < a->regions * a->channels * cells && plane > 0; n++) {
        const float *region = rois + n / cells / a->channels * 5;
        const float *map = x + ((int)region[0] * a->channels + n / cells % a->channels) * plane;
        int row[2], column[2], any = 0;
        float most = 0;
        nn_roi_pooled(a, region + 1, 0, n % cells / a->out[1], row);
        nn_roi_pooled(a, region + 1, 1, n % cells % a->out[1], column);
        for (int i = row[0]; i < row[1]; i++)
            for (int k = column[0]; k < column[1]; k++) {
                float item = map[i * a->in[1] + k];
                if (!any || item > most || item != item)
                    most = item;
                any = 1;
            }
        to[n] = most;
    }
    return 0;
}
