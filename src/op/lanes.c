/* lanes.c - a tensor seen as many lanes */
#include "op/lanes.h"

#include "op/check.h"

#include <assert.h>

bool infer_axes(const struct infer *infer, const struct integers *axes)
{
    int rank = infer->graph->provisional ? MAX_RANK : infer_in(infer, 0)->rank;

    return check_axes(infer, "axes", axes, rank);
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
        int *rank = &dims->shape.rank;
        if (extent == 1)
            continue;
        /* A dimension that goes on where the one before ends makes that one longer. */
        if (*rank == 0 || dims->stride[*rank - 1] != stride[i] * extent)
            dims->shape.extent[(*rank)++] = 1;
        dims->shape.extent[*rank - 1] *= extent;
        dims->stride[*rank - 1] = stride[i];
    }
    lanes->count = shape_volume(&lanes->across.shape);
    lanes->length = shape_volume(&lanes->along.shape);
    if (lanes->along.shape.rank > 0) {
        int last = --lanes->along.shape.rank;
        lanes->row = lanes->along.shape.extent[last];
        lanes->step = lanes->along.stride[last];
    }
}

int64_t lanes_begin(const struct lanes *lanes, int64_t lane)
{
    assert(lane >= 0 && lane < lanes->count);
    return shape_offset(&lanes->across.shape, lanes->across.stride, lane);
}

int64_t lanes_row(const struct lanes *lanes, int64_t index)
{
    assert(lanes->row > 0 && index % lanes->row == 0);
    return shape_offset(&lanes->along.shape, lanes->along.stride, index / lanes->row);
}
