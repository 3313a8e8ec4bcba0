/* lanes.c - a tensor seen as many lanes */
#include "op/lanes.h"

#include "op/check.h"

#include <assert.h>

bool infer_axes(const struct infer *infer, const struct integers *axes)
{
    int rank = infer->graph->provisional ? MAX_RANK : infer_in(infer, 0)->rank;

    return check_axes(infer, "axes", axes, rank);
}

static void add_dimension(struct lane_dims *dims, int64_t extent, int64_t stride)
{
    int last = dims->rank - 1;

    assert(dims->rank < MAX_RANK);
    if (extent == 1)
        return;
    if (last >= 0 && dims->stride[last] == stride * extent) {
        dims->extent[last] *= extent;
        dims->stride[last] = stride;
        return;
    }
    dims->extent[dims->rank] = extent;
    dims->stride[dims->rank++] = stride;
}

static int64_t volume(const struct lane_dims *dims)
{
    int64_t product = 1;

    for (int i = 0; i < dims->rank; i++)
        product *= dims->extent[i];
    return product;
}

void lanes_init(struct lanes *lanes, const struct shape *shape, const struct integers *axes)
{
    int64_t stride[MAX_RANK];
    int last;

    assert(shape_known(shape));
    *lanes = (struct lanes){.row = 1};
    shape_strides(shape, stride);
    for (int i = 0; i < shape->rank; i++)
        add_dimension(integers_contain(axes, i) ? &lanes->along : &lanes->across, shape->extent[i],
                      stride[i]);
    lanes->count = volume(&lanes->across);
    lanes->length = volume(&lanes->along);
    last = lanes->along.rank - 1;
    if (last >= 0) {
        lanes->row = lanes->along.extent[last];
        lanes->step = lanes->along.stride[last];
    }
}

static int64_t offset(const struct lane_dims *dims, int rank, int64_t index)
{
    int64_t sum = 0;

    for (int i = rank - 1; i >= 0; index /= dims->extent[i--])
        sum += index % dims->extent[i] * dims->stride[i];
    return sum;
}

int64_t lanes_begin(const struct lanes *lanes, int64_t lane)
{
    assert(lane >= 0 && lane < lanes->count);
    return offset(&lanes->across, lanes->across.rank, lane);
}

int64_t lanes_row(const struct lanes *lanes, int64_t index)
{
    assert(lanes->row > 0 && index % lanes->row == 0);
    return offset(&lanes->along, lanes->along.rank - 1, index / lanes->row);
}
