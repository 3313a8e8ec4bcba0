/*
 * onnx_roi.c - regions of interest in ONNX (section 4.6)
 *
 * RoiAlign knows one method of three, two dimensions, and zeros beyond the map.  So the items
 * around each point are gathered, from the map with channels last: one row of them for each place.
 */
#include "op/box.h"
#include "op/onnx_window.h"
#include "op/pool.h"
#include "op/roi.h"

struct sampling {
    const struct emit *e;
    int spatial;
    int64_t extent[MAX_RANK]; /* of the map */
    int64_t points[MAX_RANK];
    const char *rows;
    const char *low[MAX_RANK], *high[MAX_RANK]; /* what a dimension adds to the row: [N,..,p,..] */
    const char *share[MAX_RANK];                /* of `high`: [N,..,p,..,1] */
};

/* A column of the regions: [N,1]. */
static const char *emit_column(const struct emit *e, int64_t index)
{
    static const int64_t axes[] = {1};
    const int64_t end = index + 1;
    const struct emit_range at = {1, axes, &index, &end, NULL};

    return emit_slice(e, EMIT_TEMP, emit_in(e, ROI_ROIS), &at);
}

/* Coordinates are start + size * slope + offset, [N,p], kept within the map. */
static const char *emit_coordinates(const struct sampling *s, int axis)
{
    const struct emit *e = s->e;
    const struct roi_attrs *attrs = e->attrs;
    enum resize_method method = (enum resize_method)attrs->method;
    int64_t count = s->points[axis];
    float *slope = emit_room(e, count, sizeof *slope), *offset = emit_room(e, count, sizeof *slope);
    const char *start = emit_column(e, axis), *end = emit_column(e, axis + s->spatial);
    struct chain chain = {.e = e, .x = emit(e, EMIT_TEMP, "Sub", end, start, NULL)};

    for (int64_t i = 0; i < count; i++) {
        double at_none = resize_coordinate(method, i, 0, count);
        slope[i] = (float)(resize_coordinate(method, i, 1, count) - at_none);
        offset[i] = (float)at_none;
    }
    chain_add(&chain, "Mul", emit_along(e, slope, count, 0));
    chain_add(&chain, "Add", start);
    chain_add(&chain, "Add", emit_along(e, offset, count, 0));
    return emit(e, EMIT_TEMP, "Clip", chain_end(&chain, EMIT_TEMP), emit_scalar(e, 0),
                emit_scalar(e, (double)(s->extent[axis] - 1)), NULL);
}

/* [N,p] as [N,..,p,..] with 1 for the other dimensions, and `behind` more. */
static const char *emit_spread(const struct sampling *s, const char *x, int axis, int behind)
{
    int64_t axes[MAX_RANK];
    int count = 0;

    for (int i = 0; i < s->spatial + behind; i++)
        if (i != axis)
            axes[count++] = 1 + i;
    return count > 0 ? emit_unsqueeze(s->e, EMIT_TEMP, x, axes, count) : x;
}

/* Number of rows from a whole coordinate. */
static const char *emit_rows(const struct sampling *s, const char *at, int axis)
{
    struct chain chain = {.e = s->e};
    int64_t pitch = 1;

    for (int i = axis + 1; i < s->spatial; i++)
        pitch *= s->extent[i];
    chain.x = emit_spread(s, emit_cast(s->e, EMIT_TEMP, at, DTYPE_INTEGER), axis, 0);
    if (pitch > 1)
        chain_add(&chain, "Mul", emit_integer(s->e, pitch));
    return chain.type ? chain_end(&chain, EMIT_TEMP) : chain.x;
}

static void emit_neighbours(struct sampling *s, int axis)
{
    const struct emit *e = s->e;
    const char *at = emit_coordinates(s, axis), *low = emit(e, EMIT_TEMP, "Floor", at, NULL);
    const char *high = emit(e, EMIT_TEMP, "Add", low, emit_scalar(e, 1), NULL);

    high = emit(e, EMIT_TEMP, "Min", high, emit_scalar(e, (double)(s->extent[axis] - 1)), NULL);
    s->low[axis] = emit_rows(s, low, axis);
    s->high[axis] = emit_rows(s, high, axis);
    s->share[axis] = emit_spread(s, emit(e, EMIT_TEMP, "Sub", at, low, NULL), axis, 1);
}

/* The map as rows of channels, and the row where the map of each region begins: [N,1,..]. */
static const char *emit_maps(struct sampling *s)
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
    s->rows = emit_transpose(e, EMIT_TEMP, emit_in(e, ROI_INPUT), order, 2 + s->spatial);
    s->rows = emit_reshape(e, EMIT_TEMP, s->rows, &rows);
    const char *index = emit_reshape(e, EMIT_TEMP, emit_in(e, ROI_BATCH_INDEX), &first);
    return emit(e, EMIT_TEMP, "Mul", index, emit_integer(e, items), NULL);
}

/* Interpolate along dimension `axis` and those behind it, from row `row` on: [N,p..,channels]. */
static const char *emit_between(const struct sampling *s, const char *row, int axis)
{
    const struct emit *e = s->e;
    const char *low, *high;

    if (axis == s->spatial)
        return emit(e, EMIT_TEMP, "Gather", s->rows, row, NULL);
    low = emit_between(s, emit(e, EMIT_TEMP, "Add", row, s->low[axis], NULL), axis + 1);
    high = emit_between(s, emit(e, EMIT_TEMP, "Add", row, s->high[axis], NULL), axis + 1);
    high = emit(e, EMIT_TEMP, "Sub", high, low, NULL);
    high = emit(e, EMIT_TEMP, "Mul", high, s->share[axis], NULL);
    return emit(e, EMIT_TEMP, "Add", low, high, NULL);
}

/* The map at `rate` points for each item of the result and dimension; NULL: at one. */
static const char *emit_samples(const struct emit *e, int result, const struct integers *rate)
{
    const struct roi_attrs *attrs = e->attrs;
    struct sampling s = {.e = e, .spatial = attrs->output_size.count};
    int64_t order[MAX_RANK] = {0};

    for (int i = 0; i < s.spatial; i++) {
        s.extent[i] = emit_shape(e, ROI_INPUT)->extent[2 + i];
        s.points[i] = attrs->output_size.item[i] * (rate ? rate->item[i] : 1);
        order[2 + i] = 1 + i;
    }
    for (int i = 0; i < s.spatial; i++)
        emit_neighbours(&s, i);
    order[1] = 1 + s.spatial;
    const char *y = emit_between(&s, emit_maps(&s), 0);
    return emit_transpose(e, result, y, order, 2 + s.spatial);
}

/* Windows of one item each, and as many samples. */
static struct window cells_of(const struct emit *e)
{
    const struct roi_attrs *attrs = e->attrs;
    const struct shape *out = emit_result_shape(e, 0);
    struct window window = {.rank = out->rank};

    for (int i = 0; i < out->rank; i++) {
        int64_t rate = i < 2 ? 1 : attrs->sampling_rate.item[i - 2];
        window.dim[i] = (struct window_dim){.in = out->extent[i] * rate,
                                            .out = out->extent[i],
                                            .size = rate,
                                            .stride = rate,
                                            .dilation = 1};
    }
    return window;
}

bool emit_roi_resample(const struct emit *e)
{
    emit_samples(e, 0, NULL);
    return true;
}

bool emit_avg_roi_align(const struct emit *e)
{
    const struct roi_attrs *attrs = e->attrs;
    struct window cells = cells_of(e);

    emit_box(e, 0, emit_samples(e, EMIT_TEMP, &attrs->sampling_rate), &cells, true);
    return true;
}

bool emit_max_roi_align(const struct emit *e)
{
    const struct roi_attrs *attrs = e->attrs;
    struct window cells = cells_of(e);

    emit_maxima(e, 0, emit_samples(e, EMIT_TEMP, &attrs->sampling_rate), &cells);
    return true;
}

/* MaxRoiPool has cells of another size, at other places. */
bool emit_roi_pool(const struct emit *e)
{
    return emit_refuse(e, "ONNX has nothing that divides regions into cells as '%s' does",
                       e->node->op->name);
}
