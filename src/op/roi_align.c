/*
 * roi_align.c - regions of interest as ONNX and PyTorch have them (nnefc-ext.nnef)
 *
 * A row of 'rois' of roi_align is [x, y, x, y], and one of roi_pool has the batch in front of that.
 *
 * roi_align divides a region into cells of equal size and looks up points of each.  A point less
 * than one item beyond the map takes that at its edge, one farther out, or none, counts as 0.
 * Coordinates are 32-bit floats, for it is their rounding that decides what is how far out.
 *
 * roi_pool rounds the corners, and the last one belongs to the region, which has an item at least.
 * Cell i of p goes from floor(i * extent / p) to ceil((i + 1) * extent / p), and is 0 without
 * items.
 */
#include "op/check.h"
#include "op/compute.h"
#include "op/interpolate.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Dimensions of a map; numbers of a region, and with the batch. */
enum { SPATIAL = 2, CORNERS = 4, BATCH_AND_CORNERS = 5 };

/* --- shape rules ------------------------------------------------------------------------------ */

/* A region for each of `columns` numbers, and cells. */
static bool regions_infer(struct infer *infer, const struct integers *size, int64_t columns)
{
    const struct shape *input = infer_in(infer, ROI_INPUT), *rois = infer_in(infer, ROI_ROIS);
    struct shape *out = &infer->out[0];

    if (!check_rank(infer, ROI_INPUT, 2 + SPATIAL, false) ||
        !check_count(infer, "output_size", size->count, SPATIAL))
        return false;
    if (rois->rank != 2 || rois->extent[1] != columns)
        return infer_error(infer, "rois", DIAG_SHAPE_MISMATCH,
                           "rois of '%s' have shape %s, expected two dimensions, the second of "
                           "extent %" PRId64,
                           infer_name(infer), SHAPE_TEXT(rois), columns);
    *out = *input;
    out->extent[0] = rois->extent[0];
    for (int i = 0; i < SPATIAL; i++)
        out->extent[2 + i] = size->item[i];
    return true;
}

static bool roi_align_infer(struct infer *infer)
{
    const struct roi_align_attrs *attrs = infer->attrs;
    int64_t points = attrs->sampling_ratio, reads, all;

    if (!regions_infer(infer, &attrs->output_size, CORNERS))
        return false;
    const struct shape each = {1, {infer->out[0].extent[0]}};
    if (!check_shape(infer, ROI_BATCH_INDEX, &each, false))
        return false;
    if (points == 0)
        points = 2;
    for (int i = 0; i < SPATIAL; i++) /* also if there are no regions, which cost nothing */
        if (!num_mul(attrs->output_size.item[i], points, &all))
            return infer_error(infer, "sampling_ratio", DIAG_WORK_LIMIT,
                               "'%s' looks up %" PRId64 " points in each of %" PRId64
                               " cells, expected fewer",
                               infer_name(infer), points, attrs->output_size.item[i]);
    if (!num_mul(points, points, &reads) || !num_mul(reads, 1 << SPATIAL, &reads))
        reads = INT64_MAX;
    return infer_work(infer, &infer->out[0], reads);
}

static bool roi_pool_infer(struct infer *infer)
{
    const struct roi_pool_attrs *attrs = infer->attrs;

    return regions_infer(infer, &attrs->output_size, BATCH_AND_CORNERS);
}

/* --- points of cells ------------------------------------------------------------------------ */

/* A point on the map: its neighbours along one axis, as offsets. */
struct point {
    int64_t low, high;
    double share; /* of the higher one */
};

/* An axis of the map, and into how many cells a region is divided along it. */
struct roi_axis {
    int64_t extent, pitch;
    int64_t cells;
    int64_t most; /* points of a cell that are on the map */
};

/* A block is every so many rows of cells, which have a room for the points of a cell. */
enum { BLOCKS = 64 };

struct alignment {
    const struct eval *eval;
    const struct roi_align_attrs *attrs;
    int64_t channels, plane, rows, blocks;
    struct roi_axis axis[SPATIAL];
    struct point *room; /* of each block: `most` points along either axis */
};

/* A cell of a region along an axis. */
struct roi_cell {
    float begin, size;
    double points;
};

static struct roi_cell cell_of(const struct alignment *a, int axis, int64_t region, int64_t number)
{
    const struct roi_align_attrs *attrs = a->attrs;
    const float *corner = (const float *)a->eval->in[ROI_ROIS]->data + region * CORNERS;
    const float shift = attrs->half_pixel ? 0.5F : 0, scale = (float)attrs->scale;
    const float start = corner[SPATIAL - 1 - axis] * scale - shift;
    float extent = corner[2 * SPATIAL - 1 - axis] * scale - shift - start;

    if (!attrs->half_pixel && extent < 1)
        extent = 1;
    struct roi_cell cell = {.size = extent / (float)a->axis[axis].cells};
    cell.begin = start + (float)number * cell.size;
    cell.points = (double)attrs->sampling_ratio;
    if (attrs->sampling_ratio == 0 && isfinite(cell.size))
        cell.points = fmax(ceil((double)cell.size), 0);
    return cell;
}

/* Point `i` of a cell; false if it is not on the map. */
static bool point_of(const struct roi_axis *axis, const struct roi_cell *cell, double i,
                     struct point *point)
{
    float at = cell->begin + ((float)i + 0.5F) * cell->size / (float)cell->points;
    const int64_t last = axis->extent - 1;

    if (!(at >= -1 && at <= (float)axis->extent))
        return false;
    at = at < 0 ? 0 : at;
    int64_t low = num_min((int64_t)at, last);
    *point = (struct point){.low = low * axis->pitch,
                            .high = num_min(low + 1, last) * axis->pitch,
                            .share = low < last ? (double)at - (double)low : 0};
    return true;
}

/*
 * The points of a cell that are on the map, in `to` unless it is NULL.  How many.  Of a large
 * region only those are tried that can be.
 */
static int64_t place_points(const struct roi_axis *axis, const struct roi_cell *cell,
                            struct point *to)
{
    double step = (double)cell->size / cell->points, first = 0, end = cell->points;
    int64_t count = 0;

    if (!isfinite(step) || !isfinite(cell->begin))
        return 0;
    if (step > 0) {
        first = fmax(first, floor((-1 - (double)cell->begin) / step) - 2);
        end = fmin(end, ceil(((double)axis->extent - (double)cell->begin) / step) + 2);
    }
    const int64_t tries = first <= COORDINATE_FAR && first < end ? (int64_t)(end - first) : 0;
    for (int64_t i = 0; i < tries; i++) {
        struct point point;
        if (!point_of(axis, cell, first + (double)i, &point))
            continue;
        if (to)
            to[count] = point;
        count++;
    }
    return count;
}

/* How many points the cell with most of them has. */
static int64_t most_points(const struct alignment *a, int axis)
{
    const int64_t regions = a->eval->out[0]->shape.extent[0], cells = a->axis[axis].cells;
    int64_t most = 0;

    for (int64_t i = 0; i < regions * cells; i++) {
        struct roi_cell cell = cell_of(a, axis, i / cells, i % cells);
        most = num_max(most, place_points(&a->axis[axis], &cell, NULL));
    }
    return most;
}

/* --- alignment -------------------------------------------------------------------------------- */

/* The points of a cell along either axis. */
struct cell_points {
    const struct point *at[SPATIAL];
    int64_t seen[SPATIAL]; /* on the map */
    double all;
};

/*
 * The mean of the points of a cell, or the greatest share of an item in one of them. Those beyond
 * the map count as 0.
 */
static double align_cell(const struct alignment *a, const float *map, const struct cell_points *c)
{
    const bool greatest = a->attrs->align_mode == ALIGN_MODE_MAX;
    double fold = greatest ? -HUGE_VAL : 0, seen = (double)c->seen[0] * (double)c->seen[1];

    if (seen == 0)
        return 0;
    for (int64_t i = 0; i < c->seen[0]; i++)
        for (int64_t k = 0; k < c->seen[1]; k++) {
            const struct point p = c->at[0][i], q = c->at[1][k];
            double part[] = {(1 - p.share) * (1 - q.share) * (double)map[p.low + q.low],
                             (1 - p.share) * q.share * (double)map[p.low + q.high],
                             p.share * (1 - q.share) * (double)map[p.high + q.low],
                             p.share * q.share * (double)map[p.high + q.high]};
            if (!greatest)
                fold += part[0] + part[1] + part[2] + part[3];
            for (int n = 0; greatest && n < 1 << SPATIAL; n++)
                fold = num_greater(fold, part[n]);
        }
    if (!greatest)
        return fold / c->all;
    return seen < c->all ? num_greater(fold, 0) : fold;
}

/* A row of cells of a region, in all channels. */
static void align_row(const struct alignment *a, int64_t number, struct point *room)
{
    const struct roi_axis *y = &a->axis[0], *x = &a->axis[1];
    const int64_t region = number / y->cells, row = number % y->cells;
    const int64_t batch = ((const int64_t *)a->eval->in[ROI_BATCH_INDEX]->data)[region];
    const float *map = (const float *)a->eval->in[ROI_INPUT]->data + batch * a->channels * a->plane;
    float *out =
        (float *)a->eval->out[0]->data + (region * a->channels * y->cells + row) * x->cells;
    const struct roi_cell along = cell_of(a, 0, region, row);
    struct cell_points points = {.at = {room, room + y->most}};

    points.seen[0] = place_points(y, &along, room);
    for (int64_t k = 0; k < x->cells; k++) {
        const struct roi_cell across = cell_of(a, 1, region, k);
        points.seen[1] = place_points(x, &across, room + y->most);
        points.all = along.points * across.points;
        for (int64_t c = 0; c < a->channels; c++)
            out[c * y->cells * x->cells + k] = (float)align_cell(a, map + c * a->plane, &points);
    }
}

static void align_block(const void *data, int64_t block)
{
    const struct alignment *a = data;

    for (int64_t i = block; i < a->rows; i += a->blocks)
        align_row(a, i, a->room + block * (a->axis[0].most + a->axis[1].most));
}

static bool roi_align_eval(const struct eval *eval)
{
    const struct shape *input = &eval->in[ROI_INPUT]->shape, *out = &eval->out[0]->shape;
    struct alignment a = {.eval = eval, .attrs = eval->attrs, .channels = input->extent[1]};

    if (!check_indices(eval, eval->in[ROI_BATCH_INDEX], "batch index", input->extent[0], ""))
        return false;
    if (shape_volume(input) == 0 || shape_volume(out) == 0)
        return true;
    a.plane = input->extent[2] * input->extent[3];
    a.rows = out->extent[0] * out->extent[2];
    a.blocks = num_min(a.rows, BLOCKS);
    for (int i = 0; i < SPATIAL; i++) {
        a.axis[i] = (struct roi_axis){.extent = input->extent[2 + i],
                                      .pitch = i == 0 ? input->extent[3] : 1,
                                      .cells = out->extent[2 + i]};
        a.axis[i].most = most_points(&a, i);
    }
    a.room = calloc((size_t)(a.blocks * (a.axis[0].most + a.axis[1].most)) + 1, sizeof *a.room);
    if (!a.room)
        return eval_no_memory(eval);
    eval_share(eval, a.blocks, align_block, &a);
    free(a.room);
    return true;
}

/* --- pooling ---------------------------------------------------------------------------------- */

/* Halves go away from 0. */
static int64_t round_corner(float corner, double scale)
{
    float at = corner * (float)scale;

    return isnan(at) ? 0 : (int64_t)fmin(fmax(round((double)at), -COORDINATE_FAR), COORDINATE_FAR);
}

/* The items of a cell along an axis of the map. */
static void pooled_range(const struct eval *eval, const float *corner, int axis, int64_t cell,
                         int64_t range[2])
{
    const struct roi_pool_attrs *attrs = eval->attrs;
    const int64_t extent = eval->in[ROI_INPUT]->shape.extent[2 + axis];
    const int64_t start = round_corner(corner[SPATIAL - 1 - axis], attrs->scale);
    const int64_t last = round_corner(corner[2 * SPATIAL - 1 - axis], attrs->scale);
    const float size = (float)num_max(last - start + 1, 1);
    const float each = size / (float)attrs->output_size.item[axis];

    range[0] = start + (int64_t)floorf((float)cell * each);
    range[1] = start + (int64_t)ceilf((float)(cell + 1) * each);
    for (int i = 0; i < 2; i++)
        range[i] = num_min(num_max(range[i], 0), extent);
}

/* All cells of a region in one channel. */
static void pool_plane(const void *data, int64_t number)
{
    const struct eval *eval = data;
    const struct shape *input = &eval->in[ROI_INPUT]->shape, *shape = &eval->out[0]->shape;
    const float *region =
        (const float *)eval->in[ROI_ROIS]->data + number / input->extent[1] * BATCH_AND_CORNERS;
    const float *map = (const float *)eval->in[ROI_INPUT]->data +
                       ((int64_t)region[0] * input->extent[1] + number % input->extent[1]) *
                           input->extent[2] * input->extent[3];
    int64_t rows = shape->extent[2], columns = shape->extent[3], row[2], column[2];
    float *out = (float *)eval->out[0]->data + number * rows * columns;

    for (int64_t i = 0; i < rows * columns; i++) {
        pooled_range(eval, region + 1, 0, i / columns, row);
        pooled_range(eval, region + 1, 1, i % columns, column);
        double most = row[0] < row[1] && column[0] < column[1] ? -HUGE_VAL : 0;
        for (int64_t y = row[0]; y < row[1]; y++)
            for (int64_t x = column[0]; x < column[1]; x++)
                most = num_greater(most, (double)map[y * input->extent[3] + x]);
        out[i] = (float)most;
    }
}

static bool roi_pool_eval(const struct eval *eval)
{
    const struct shape *input = &eval->in[ROI_INPUT]->shape, *out = &eval->out[0]->shape;
    const float *region = eval->in[ROI_ROIS]->data;

    for (int64_t i = 0; i < out->extent[0]; i++, region += BATCH_AND_CORNERS)
        if (!(region[0] >= 0 && region[0] < (float)input->extent[0]))
            return eval_error(eval, DIAG_RUN_INDEX,
                              "batch index of '%s' is %g, expected 0 or more and below %" PRId64,
                              eval->node->op->name, (double)region[0], input->extent[0]);
    if (shape_volume(input) > 0 && shape_volume(out) > 0)
        eval_share(eval, out->extent[0] * out->extent[1], pool_plane, eval);
    return true;
}

DESCRIPTOR(roi_align, 0, .infer = roi_align_infer, .eval = roi_align_eval,
           .unroll = roi_align_unroll);
DESCRIPTOR(roi_pool, 0, .infer = roi_pool_infer, .eval = roi_pool_eval);
