/*
 * slice.c - sections of a tensor along some of its dimensions (section 4.5.4)
 *
 * output[.., i, ..] = input[.., begin + i * stride, ..]; there are ceil((end - begin) / stride)
 * of them (E30).  Negative bounds count from the end; what still lies outside is moved to -1 or
 * the extent.  An 'end' of 0 means the end itself where all strides are 1.
 */
#include "op/check.h"
#include "op/remap.h"

#include <assert.h>
#include <inttypes.h>

struct slice_range {
    int64_t begin, end, stride;
};

/* A bound of the text as coordinate, -1 to extent. */
static int64_t clamp_bound(int64_t bound, int64_t extent)
{
    if (bound < 0)
        bound += extent;
    if (bound < 0)
        return -1;
    return bound < extent ? bound : extent;
}

/* What item `i` of the attributes asks for. */
static struct slice_range range_of(const struct slice_attrs *attrs, int i, int64_t extent)
{
    struct slice_range range = {.begin = clamp_bound(attrs->begin.item[i], extent),
                                .end = clamp_bound(attrs->end.item[i], extent),
                                .stride = integers_at(&attrs->stride, i)};

    assert(i >= 0 && i < attrs->axes.count);
    if (attrs->end.item[i] == 0 && integers_are_ones(&attrs->stride))
        range.end = extent;
    return range;
}

static bool slice_infer(struct infer *infer)
{
    const struct slice_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    int items = attrs->axes.count;
    bool ok = check_count(infer, "begin", attrs->begin.count, items);

    ok &= check_count(infer, "end", attrs->end.count, items);
    if (attrs->stride.count)
        ok &= check_count(infer, "stride", attrs->stride.count, items);
    if (!ok || !check_axes(infer, "axes", &attrs->axes, input->rank))
        return false;
    if (integers_contain(&attrs->stride, 0))
        return infer_error(infer, "stride", DIAG_ITEM_VALUE,
                           "'stride' of 'slice' has a 0, expected other items");

    infer->out[0] = *input;
    for (int i = 0; i < items; i++) {
        int axis = (int)attrs->axes.item[i];
        int64_t extent = input->extent[axis];
        struct slice_range range = range_of(attrs, i, extent);
        int64_t distance = range.end - range.begin;
        int64_t count = distance / range.stride + (distance % range.stride != 0);
        infer->out[0].extent[axis] = count;
        if (distance != 0 && (distance > 0) != (range.stride > 0))
            ok = infer_error(infer, "end", DIAG_SLICE_RANGE,
                             "'slice' of dimension %d runs from %" PRId64 " to %" PRId64
                             ", against its stride %" PRId64,
                             axis, range.begin, range.end, range.stride);
        else if (count > 0 && (range.begin < 0 || range.begin >= extent))
            ok = infer_error(infer, "begin", DIAG_SLICE_RANGE,
                             "'slice' of dimension %d begins outside its extent %" PRId64, axis,
                             extent);
    }
    return ok;
}

/* `context` has a range for each dimension. */
static int64_t slice_coordinate(const void *context, int axis, int64_t i)
{
    const struct slice_range *range = context;

    return range[axis].begin + i * range[axis].stride;
}

static bool slice_eval(const struct eval *eval)
{
    const struct slice_attrs *attrs = eval->attrs;
    struct slice_range range[MAX_RANK];
    struct remap remap = {.coordinate = slice_coordinate, .context = range};

    assert(eval->node->nin == 1);
    for (int i = 0; i < MAX_RANK; i++)
        range[i] = (struct slice_range){.begin = 0, .stride = 1};
    for (int i = 0; i < attrs->axes.count; i++) {
        int64_t axis = attrs->axes.item[i];
        range[axis] = range_of(attrs, i, eval->in[0]->shape.extent[axis]);
    }
    return remap_run(eval, &remap);
}

DESCRIPTOR(slice, OP_ANY_LAYOUT | OP_MOVES, .kind = "move", .infer = slice_infer,
           .eval = slice_eval);
