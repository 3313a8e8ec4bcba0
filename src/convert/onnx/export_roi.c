/*
 * export_roi.c - regions of interest in ONNX (section 4.6)
 *
 * RoiAlign knows one method of three, two dimensions, and zeros beyond the map.  So the items
 * around each point are gathered, from the map with channels last: one row of them for each place.
 */
#include "convert/onnx/export_rules.h"
#include "convert/onnx/export_window.h"
#include "convert/proto/onnx.h"

#include "op/interpolate.h"

#include <assert.h>
#include <math.h>

/* Points of regions; N are the regions, p the points of a dimension. */
struct roi_sampling {
    const struct emit *e;
    int spatial;                                /* dimensions */
    int64_t extent[MAX_RANK];                   /* of the map */
    int64_t points[MAX_RANK];                   /* in each region */
    const char *rows;                           /* the map: [batch * places,channels] */
    const char *low[MAX_RANK], *high[MAX_RANK]; /* what a dimension adds to the row: [N,..,p,..] */
    const char *share[MAX_RANK];                /* of `high`: [N,..,p,..,1] */
};

/* A column of the regions: [N,1]. */
static const char *emit_column(const struct emit *e, int64_t index)
{
    static const int64_t axes[] = {1};
    const int64_t end = index + 1;
    const struct emit_range at = {1, axes, &index, &end, NULL};

    return emit_slice(e, emit_in(e, ROI_ROIS), &at);
}

/* Coordinates are start + size * slope + offset, [N,p], kept within the map. */
static const char *emit_coordinates(const struct roi_sampling *s, int axis)
{
    const struct emit *e = s->e;
    const struct roi_attrs *attrs = e->attrs;
    enum resize_method method = (enum resize_method)attrs->resize_method;
    int64_t count = s->points[axis];
    float *slope = emit_room(e, count, sizeof *slope), *offset = emit_room(e, count, sizeof *slope);
    const char *start = emit_column(e, axis), *end = emit_column(e, axis + s->spatial);
    const char *at = emit(e, "Sub", end, start, NULL);
    for (int64_t i = 0; i < count; i++) {
        double at_none = resize_coordinate(method, i, 0, count);
        slope[i] = (float)(resize_coordinate(method, i, 1, count) - at_none);
        offset[i] = (float)at_none;
    }
    at = emit(e, "Mul", at, emit_along(e, slope, count, 0), NULL);
    at = emit(e, "Add", at, start, NULL);
    at = emit(e, "Add", at, emit_along(e, offset, count, 0), NULL);
    return emit(e, "Clip", at, emit_scalar(e, 0), emit_scalar(e, (double)(s->extent[axis] - 1)),
                NULL);
}

/* [N,p] as [N,..,p,..], of that rank, with p at `axis` and 1 for the other dimensions. */
static const char *emit_spread(const struct emit *e, const char *x, int axis, int rank)
{
    int64_t axes[MAX_RANK];
    int count = 0;

    assert(rank <= MAX_RANK);
    for (int i = 1; i < rank; i++)
        if (i != axis)
            axes[count++] = i;
    return emit_unsqueeze(e, x, axes, count);
}

/* Number of rows from a whole coordinate. */
static const char *emit_rows(const struct roi_sampling *s, const char *at, int axis)
{
    int64_t pitch = 1;

    for (int i = axis + 1; i < s->spatial; i++)
        pitch *= s->extent[i];
    at = emit_spread(s->e, emit_cast(s->e, at, ONNX_INT64), 1 + axis, 1 + s->spatial);
    return pitch > 1 ? emit(s->e, "Mul", at, emit_integer(s->e, pitch), NULL) : at;
}

/* The map as rows of channels, and the row where the map of each region begins: [N,1,..]. */
static const char *emit_maps(struct roi_sampling *s)
{
    const struct emit *e = s->e;
    struct shape rows = {.rank = 2, .extent = {-1, emit_shape(e, ROI_INPUT)->extent[1]}};
    struct shape first = {.rank = 1 + s->spatial, .extent = {-1}};
    int64_t order[MAX_RANK] = {0}, items = 1;

    for (int i = 0; i < s->spatial; i++) {
        order[1 + i] = 2 + i;
        first.extent[1 + i] = 1;
        items *= s->extent[i];
    }
    order[1 + s->spatial] = 1;
    s->rows = emit_transpose(e, emit_in(e, ROI_INPUT), order, 2 + s->spatial);
    s->rows = emit_reshape(e, s->rows, &rows);
    const char *index = emit_reshape(e, emit_in(e, ROI_BATCH_INDEX), &first);
    return emit(e, "Mul", index, emit_integer(e, items), NULL);
}

/* Interpolate along dimension `axis` and those behind it, from row `row` on: [N,p..,channels]. */
static const char *emit_between(const struct roi_sampling *s, const char *row, int axis)
{
    const struct emit *e = s->e;
    const char *low, *high;

    if (axis == s->spatial)
        return emit(e, "Gather", s->rows, row, NULL);
    low = emit_between(s, emit(e, "Add", row, s->low[axis], NULL), axis + 1);
    high = emit_between(s, emit(e, "Add", row, s->high[axis], NULL), axis + 1);
    high = emit(e, "Sub", high, low, NULL);
    high = emit(e, "Mul", high, s->share[axis], NULL);
    return emit(e, "Add", low, high, NULL);
}

/* The map at `rate` points for each item of the result and dimension; NULL: at one. */
static const char *emit_samples(const struct emit *e, const struct integers *rate)
{
    const struct roi_attrs *attrs = e->attrs;
    struct roi_sampling s = {.e = e, .spatial = attrs->output_size.count};
    int64_t order[MAX_RANK] = {0};

    assert(s.spatial == emit_shape(e, ROI_INPUT)->rank - 2);
    for (int i = 0; i < s.spatial; i++) {
        s.extent[i] = emit_shape(e, ROI_INPUT)->extent[2 + i];
        s.points[i] = attrs->output_size.item[i] * (rate ? rate->item[i] : 1);
        order[2 + i] = 1 + i;
    }
    /* Both neighbours of each point along each dimension, and the share of the higher one. */
    for (int i = 0; i < s.spatial; i++) {
        const char *at = emit_coordinates(&s, i), *low = emit(e, "Floor", at, NULL);
        const char *high = emit(e, "Add", low, emit_scalar(e, 1), NULL);
        const char *last = emit_scalar(e, (double)(s.extent[i] - 1));
        high = emit(e, "Min", high, last, NULL);
        s.low[i] = emit_rows(&s, low, i);
        s.high[i] = emit_rows(&s, high, i);
        s.share[i] = emit_spread(e, emit(e, "Sub", at, low, NULL), 1 + i, 2 + s.spatial);
    }
    order[1] = 1 + s.spatial;
    const char *y = emit_between(&s, emit_maps(&s), 0);
    return emit_transpose(e, y, order, 2 + s.spatial);
}

/* Windows of one item each, and as many samples. */
static struct window cells_of(const struct emit *e)
{
    const struct roi_attrs *attrs = e->attrs;
    const struct resize_attrs blocks = {.factor = attrs->sampling_rate};
    const struct shape *out = emit_result_shape(e, 0);
    struct shape samples = *out;

    for (int i = 2; i < out->rank; i++)
        samples.extent[i] *= attrs->sampling_rate.item[i - 2];
    return resize_block(&blocks, &samples, out);
}

const char *export_roi_resample(const struct emit *e)
{
    return emit_samples(e, NULL);
}

/* Several points in each cell, of which the mean or the maximum is taken. */
const char *export_roi_align(const struct emit *e)
{
    const struct roi_attrs *attrs = e->attrs;
    struct window cells = cells_of(e);
    const char *samples = emit_samples(e, &attrs->sampling_rate);

    return e->node->op->id == OP_avg_roi_align ? emit_box(e, samples, &cells, true)
                                               : emit_maxima(e, samples, &cells);
}

/* --- pooling ----------------------------------------------------------------------------- */

/*
 * MaxRoiPool has cells of another size, at other places.  So each region gets a map of its own,
 * of which one dimension after the other is reduced to its cells: [N,before,cells,extent,behind].
 */
struct roi_pooling {
    const struct emit *e;
    int spatial;
    int64_t extent[MAX_RANK];                    /* of the map */
    const char *begin[MAX_RANK], *end[MAX_RANK]; /* of the cells, within the map: [N,p] */
};

/* A rounded column of the regions: [N,1]. */
static const char *emit_corner(const struct emit *e, int64_t index)
{
    const char *corner = emit_round(e, emit_column(e, index));

    corner = emit(e, "Clip", corner, emit_scalar(e, -COORDINATE_FAR),
                  emit_scalar(e, COORDINATE_FAR), NULL);
    return emit_cast(e, corner, ONNX_INT64);
}

/* Coordinates from 0 to the extent of the map. */
static const char *emit_within(const struct emit *e, const char *at, int64_t extent)
{
    at = emit(e, "Max", at, emit_integer(e, 0), NULL);
    return emit(e, "Min", at, emit_integer(e, extent), NULL);
}

/* Which items of a dimension each cell has: [N,1,p,extent,1]. */
static const char *emit_members(const struct roi_pooling *p, int axis)
{
    static const int64_t axes[] = {1, 3, 4};
    const struct emit *e = p->e;
    const char *item = emit_steps(e, 0, 1, p->extent[axis], 1);
    const char *begin = emit_unsqueeze(e, p->begin[axis], axes, 3);
    const char *end = emit_unsqueeze(e, p->end[axis], axes, 3);

    begin = emit(e, "GreaterOrEqual", item, begin, NULL);
    end = emit(e, "Less", item, end, NULL);
    return emit(e, "And", begin, end, NULL);
}

/* Reduce each cell, items outside of which count as `none`, to one item: [N,channels,p..]. */
static const char *emit_reduced(const struct roi_pooling *p, const char *reduce, double none)
{
    static const int64_t reduced[] = {3}, flat[] = {-1};
    const struct emit *e = p->e;
    const struct shape *map = emit_shape(e, ROI_INPUT), *out = emit_result_shape(e, 0);
    int64_t seen[] = {0, map->extent[1], 1, 0, -1}, extents[MAX_RANK] = {0};
    const char *index = emit_reshape_to(e, emit_in(e, ROI_BATCH_INDEX), flat, 1);
    const char *x = emit(e, "Gather", emit_in(e, ROI_INPUT), index, NULL);

    for (int i = 0; i < p->spatial; i++) {
        seen[3] = p->extent[i];
        x = emit_reshape_to(e, x, seen, 5);
        x = emit(e, "Where", emit_members(p, i), x, emit_scalar(e, none), NULL);
        x = emit_reduce(e, reduce, x, &(struct integers){1, reduced});
        seen[1] *= out->extent[2 + i];
    }
    for (int i = 1; i < out->rank; i++)
        extents[i] = out->extent[i];
    return emit_reshape_to(e, x, extents, out->rank);
}

/* The cells of each dimension: equal parts of the region, rounded outwards, of one item at least.
 */
static struct roi_pooling emit_pooling(const struct emit *e)
{
    struct roi_pooling p = {.e = e, .spatial = emit_shape(e, ROI_INPUT)->rank - 2};
    const struct roi_attrs *attrs = e->attrs;

    assert(attrs->output_size.count == p.spatial);
    for (int i = 0; i < p.spatial; i++) {
        int64_t count = attrs->output_size.item[i];
        const char *start = emit_corner(e, i), *size = emit_corner(e, i + p.spatial);
        p.extent[i] = emit_shape(e, ROI_INPUT)->extent[2 + i];
        size = emit(e, "Sub", size, start, NULL);
        size = emit(e, "Max", size, emit_integer(e, 0), NULL);
        const char *begin = emit(e, "Div", size, emit_integer(e, count), NULL);
        begin = emit(e, "Mul", begin, emit_steps(e, 0, 1, count, 0), NULL);
        begin = emit(e, "Add", begin, start, NULL);
        const char *end = emit(e, "Add", size, emit_integer(e, count - 1), NULL);
        end = emit(e, "Div", end, emit_integer(e, count), NULL);
        end = emit(e, "Max", end, emit_integer(e, 1), NULL);
        end = emit(e, "Add", end, begin, NULL);
        p.begin[i] = emit_within(e, begin, p.extent[i]);
        p.end[i] = emit_within(e, end, p.extent[i]);
    }
    return p;
}

/* Sums by the volume of each cell, which counts as 1 if the cell is empty. */
const char *export_avg_roi_pool(const struct emit *e)
{
    const struct roi_pooling p = emit_pooling(e);
    const char *volume = NULL;

    for (int i = 0; i < p.spatial; i++) {
        const char *width = emit(e, "Sub", p.end[i], p.begin[i], NULL);
        width = emit_cast(e, emit_spread(e, width, 2 + i, 2 + p.spatial), ONNX_FLOAT);
        volume = volume ? emit(e, "Mul", volume, width, NULL) : width;
    }
    volume = emit(e, "Max", volume, emit_scalar(e, 1), NULL);
    return emit(e, "Div", emit_reduced(&p, "ReduceSum", 0), volume, NULL);
}

/* The maximum of an empty cell is 0. */
const char *export_max_roi_pool(const struct emit *e)
{
    const struct roi_pooling p = emit_pooling(e);
    const char *y = emit_reduced(&p, "ReduceMax", -(double)INFINITY);
    const char *none = emit_scalar(e, 0), *occupied = NULL;

    for (int i = 0; i < p.spatial; i++) {
        const char *some = emit(e, "Less", p.begin[i], p.end[i], NULL);
        some = emit_spread(e, some, 2 + i, 2 + p.spatial);
        occupied = occupied ? emit(e, "And", occupied, some, NULL) : some;
    }
    return emit(e, "Where", occupied, y, none, NULL);
}
