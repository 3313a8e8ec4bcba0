/*
 * lanes.h - a tensor seen as many lanes, each the items along some of its axes
 *
 * Lanes are numbered like the items of a result in which those axes have extent 1, in row-major
 * order; so are the items within a lane, along the axes in ascending order.
 */
#ifndef NNEFC_OP_LANES_H
#define NNEFC_OP_LANES_H

#include "op/op.h"

/* Dimensions, without those of extent 1 and merged where the items allow it. */
struct lane_dims {
    struct shape shape;
    int64_t stride[MAX_RANK];
};

struct lanes {
    struct lane_dims across, along; /* from lane to lane; from row to row of a lane */
    int64_t count;                  /* lanes */
    int64_t length;                 /* items of a lane */
    int64_t row; /* a lane is made of rows of so many items at a fixed distance: */
    int64_t step;
};

void lanes_init(struct lanes *lanes, const struct shape *shape, const struct integers *axes);

/* Offset of the first item of a lane. */
int64_t lanes_begin(const struct lanes *lanes, int64_t lane);

/* How far from there the row is that begins with item `index`, a multiple of lanes->row. */
int64_t lanes_row(const struct lanes *lanes, int64_t index);

/*
 * Argument 'axes' names axes of operand 0, none twice.  In the provisional dialect an axis may
 * lie beyond the rank, where the extent is 1.
 */
bool infer_axes(const struct infer *infer, const struct integers *axes);

/*
 * The rule of reductions: the rank stays, and the extent along `axes` is 1.  An operation that
 * `chooses` an item is refused if there is none: sums of nothing are 0, means NaN, but no item of
 * nothing is the greatest or the least one.
 */
bool infer_reduction(struct infer *infer, const struct integers *axes, bool chooses);

#endif
