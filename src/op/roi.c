/*
 * roi.c - regions of interest, brought to one size (section 4.6)
 *
 * A row of 'rois' (N, 2M) is the corner where a region begins and the one where it ends, of the
 * map that 'batch_index' (N, 1) or (N) names (E23).  Pooling rounds the corners, divides the
 * region into cells of ceil(r / p) items every floor(r / p) (E22), and leaves out what lies beyond
 * the map.  Resampling interpolates at p points per dimension (E24), alignment at k * p, and pools
 * blocks of k of them (E25).
 */
#include "op/interpolate.h"

#include "base/num.h"
#include "op/check.h"
#include "op/compute.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* --- shapes ----------------------------------------------------------------------------- */

static bool roi_infer(struct infer *infer)
{
    const struct roi_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, ROI_INPUT), *rois = infer_in(infer, ROI_ROIS);
    const struct shape *index = infer_in(infer, ROI_BATCH_INDEX);
    struct shape *out = &infer->out[0];
    int spatial = input->rank - 2;

    if (spatial < 1)
        return infer_error(infer, "input", DIAG_RANK,
                           "input of '%s' has rank %d, expected 3 or more", infer_name(infer),
                           input->rank);
    if (!check_count(infer, "output_size", attrs->output_size.count, spatial))
        return false;
    if (rois->rank != 2 || rois->extent[1] != 2 * (int64_t)spatial)
        return infer_error(infer, "rois", DIAG_SHAPE_MISMATCH,
                           "rois of '%s' have shape %s, expected two dimensions, the second of "
                           "extent %d",
                           infer_name(infer), SHAPE_TEXT(rois), 2 * spatial);
    if (!(index->rank == 1 || (index->rank == 2 && index->extent[1] == 1)) ||
        index->extent[0] != rois->extent[0])
        return infer_error(infer, "batch_index", DIAG_SHAPE_MISMATCH,
                           "batch_index of '%s' has shape %s, expected [%" PRId64 ",1]",
                           infer_name(infer), SHAPE_TEXT(index), rois->extent[0]);
    *out = *input;
    out->extent[0] = rois->extent[0];
    for (int i = 0; i < spatial; i++)
        out->extent[2 + i] = attrs->output_size.item[i];
    return true;
}

static bool align_infer(struct infer *infer)
{
    const struct roi_attrs *attrs = infer->attrs;
    int64_t points, rates = 1;

    if (!roi_infer(infer) ||
        !check_count(infer, "sampling_rate", attrs->sampling_rate.count, attrs->output_size.count))
        return false;
    for (int i = 0; i < attrs->output_size.count; i++)
        if (!num_mul(attrs->output_size.item[i], attrs->sampling_rate.item[i], &points))
            return infer_error(infer, "sampling_rate", DIAG_ITEM_VALUE,
                               "sampling rate %" PRId64 " of '%s' is too large",
                               attrs->sampling_rate.item[i], infer_name(infer));
        else if (!num_mul(rates, attrs->sampling_rate.item[i], &rates))
            rates = INT64_MAX;
    return infer_work(infer, &infer->out[0], rates);
}

/* --- what all kernels need -------------------------------------------------------------- */

/* Where an item of the result comes from. */
struct roi_item {
    const float *map;   /* one channel of the input */
    const float *start; /* corners of the region */
    const float *end;
    int spatial;
    int64_t extent[MAX_RANK], pitch[MAX_RANK]; /* of the map */
    int64_t at[MAX_RANK];                      /* in the result */
};

/* Several values as one. */
struct fold {
    double sum, max;
    int64_t count;
};

static void fold_in(struct fold *fold, double value)
{
    fold->max = fold->count == 0 ? value : num_greater(fold->max, value);
    fold->sum += value;
    fold->count++;
}

/* Step through a box begin <= at < end; false after its last place. */
static bool advance(int64_t *at, const int64_t *begin, const int64_t *end, int rank)
{
    assert(rank >= 0 && rank <= MAX_RANK);
    for (int i = rank - 1; i >= 0; i--) {
        if (++at[i] < end[i])
            return true;
        at[i] = begin[i];
    }
    return false;
}

/* --- pooling ---------------------------------------------------------------------------- */

/* Rounded; beyond any map is as good as at its edge. */
static int64_t round_coordinate(float value)
{
    double rounded = num_round((double)value);

    if (isnan(rounded))
        return 0;
    return (int64_t)fmin(fmax(rounded, -COORDINATE_FAR), COORDINATE_FAR);
}

static int64_t clamp_to(int64_t value, int64_t extent)
{
    assert(extent > 0);
    if (value < 0)
        return 0;
    return value < extent ? value : extent;
}

/*
 * Of the items of a cell that lie in the map.  Cell i begins i * floor(r / p) items behind the
 * rounded corner and is ceil(r / p) wide, at least 1 (E22).
 */
static struct fold fold_cell(const struct eval *eval, const struct roi_item *item)
{
    const struct roi_attrs *attrs = eval->attrs;
    int64_t begin[MAX_RANK] = {0}, end[MAX_RANK] = {0}, at[MAX_RANK] = {0};
    struct fold fold = {0};
    int rank = item->spatial;
    bool some = true;

    for (int i = 0; i < rank; i++) {
        int64_t start = round_coordinate(item->start[i]);
        int64_t size = round_coordinate(item->end[i]) - start, count = attrs->output_size.item[i];
        if (size < 0)
            size = 0;
        int64_t first = start + item->at[i] * (size / count);
        int64_t width = size / count + (size % count != 0);
        begin[i] = at[i] = clamp_to(first, item->extent[i]);
        end[i] = clamp_to(first + (width > 0 ? width : 1), item->extent[i]);
        some &= begin[i] < end[i];
    }
    if (!some)
        return fold;
    do {
        int64_t offset = 0;
        for (int i = 0; i < rank; i++)
            offset += at[i] * item->pitch[i];
        fold_in(&fold, (double)item->map[offset]);
    } while (advance(at, begin, end, rank));
    return fold;
}

/* --- resampling and alignment ----------------------------------------------------------- */

/* The map at point `at` of a grid of `points` per dimension, clamped to its edge. */
static double resample(const struct eval *eval, const struct roi_item *item, const int64_t *at,
                       const int64_t *points)
{
    const struct roi_attrs *attrs = eval->attrs;
    struct neighbours near[MAX_RANK];

    for (int i = 0; i < item->spatial; i++) {
        double start = (double)item->start[i], size = (double)item->end[i] - start;
        double last = (double)(item->extent[i] - 1);
        double coordinate = start + resize_coordinate((enum resize_method)attrs->resize_method,
                                                      at[i], size, points[i]);
        near[i] = neighbours_of(fmin(fmax(coordinate, 0), last), BORDER_REPLICATE, item->extent[i],
                                item->pitch[i]);
    }
    return interpolate(item->map, near, item->spatial);
}

static struct fold fold_samples(const struct eval *eval, const struct roi_item *item)
{
    const struct roi_attrs *attrs = eval->attrs;
    int64_t begin[MAX_RANK], end[MAX_RANK], at[MAX_RANK], points[MAX_RANK];
    struct fold fold = {0};

    for (int i = 0; i < item->spatial; i++) {
        int64_t rate = attrs->sampling_rate.item[i];
        at[i] = begin[i] = item->at[i] * rate;
        end[i] = begin[i] + rate;
        points[i] = attrs->output_size.item[i] * rate;
    }
    do
        fold_in(&fold, resample(eval, item, at, points));
    while (advance(at, begin, end, item->spatial));
    return fold;
}

/* --- all of them --------------------------------------------------------------------------- */

/* Items of the result are numbered in row-major order. */
static void compute_item(const void *data, int64_t number)
{
    const struct eval *eval = data;
    const struct roi_attrs *attrs = eval->attrs;
    const struct shape *in = &eval->in[ROI_INPUT]->shape, *out = &eval->out[0]->shape;
    const int64_t *batch_index = eval->in[ROI_BATCH_INDEX]->data;
    float *to = (float *)eval->out[0]->data + number;
    struct roi_item item = {.spatial = in->rank - 2};
    unsigned op = eval->node->op->id;
    int64_t pitch = 1;

    assert(number >= 0 && item.spatial >= 1);
    for (int i = item.spatial - 1; i >= 0; i--) {
        item.extent[i] = in->extent[2 + i];
        item.pitch[i] = pitch;
        pitch *= item.extent[i];
        item.at[i] = number % out->extent[2 + i];
        number /= out->extent[2 + i];
    }
    int64_t channel = number % in->extent[1], roi = number / in->extent[1];
    int64_t plane = batch_index[roi] * in->extent[1] + channel;
    item.map = (const float *)eval->in[ROI_INPUT]->data + plane * pitch;
    item.start = (const float *)eval->in[ROI_ROIS]->data + roi * 2 * item.spatial;
    item.end = item.start + item.spatial;

    if (op == OP_roi_resample) {
        *to = (float)resample(eval, &item, item.at, attrs->output_size.item);
        return;
    }
    bool pools = op == OP_avg_roi_pool || op == OP_max_roi_pool;
    bool mean = op == OP_avg_roi_pool || op == OP_avg_roi_align;
    struct fold fold = pools ? fold_cell(eval, &item) : fold_samples(eval, &item);
    *to = (float)(!mean ? fold.max : fold.count > 0 ? fold.sum / (double)fold.count : 0);
}

static bool roi_eval(const struct eval *eval)
{
    int64_t batches = eval->in[ROI_INPUT]->shape.extent[0];

    if (!check_indices(eval, eval->in[ROI_BATCH_INDEX], "batch index", batches, ""))
        return false;
    if (shape_volume(&eval->in[ROI_INPUT]->shape) > 0)
        eval_share(eval, shape_volume(&eval->out[0]->shape), compute_item, eval);
    return true;
}

/* --- descriptors ------------------------------------------------------------------------ */

DESCRIPTOR(avg_roi_pool, 0, .infer = roi_infer, .eval = roi_eval);
DESCRIPTOR(max_roi_pool, 0, .infer = roi_infer, .eval = roi_eval);
DESCRIPTOR(roi_resample, 0, .infer = roi_infer, .eval = roi_eval);
DESCRIPTOR(avg_roi_align, 0, .infer = align_infer, .eval = roi_eval);
DESCRIPTOR(max_roi_align, 0, .infer = align_infer, .eval = roi_eval);
