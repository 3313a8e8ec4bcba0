/* lanes.c - a tensor seen as many lanes */
#include "op/lanes.h"

#include "op/check.h"

#include <assert.h>

bool infer_axes(const struct infer *infer, const struct integers *axes)
{
    int rank = infer->graph->provisional ? MAX_RANK : infer_in(infer, 0)->rank;

    return check_axes(infer, "axes", axes, rank);
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

    assert(shape_known(shape));
    *lanes = (struct lanes){.row = 1};
    shape_strides(shape, stride);
    for (int i = 0; i < shape->rank; i++) {
        struct lane_dims *dims = integers_contain(axes, i) ? &lanes->along : &lanes->across;
        int64_t extent = shape->extent[i];
        bool merges = dims->rank > 0 && dims->stride[dims->rank - 1] == stride[i] * extent;
        if (extent == 1)
            continue;
        /* A dimension that goes on where the one before ends makes that one longer. */
        if (!merges)
            dims->extent[dims->rank++] = 1;
        dims->extent[dims->rank - 1] *= extent;
        dims->stride[dims->rank - 1] = stride[i];
    }
    lanes->count = volume(&lanes->across);
    lanes->length = volume(&lanes->along);
    if (lanes->along.rank > 0) {
        lanes->row = lanes->along.extent[lanes->along.rank - 1];
        lanes->step = lanes->along.stride[lanes->along.rank - 1];
    }
}

/* Of item `index`, counted in row-major order over the first `rank` dimensions. */
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
