/*
 * interpolate.h - multilinear interpolation between the items of a grid (section 4.3.4)
 */
#ifndef NNEFC_OP_INTERPOLATE_H
#define NNEFC_OP_INTERPOLATE_H

#include "op/window.h"

/*
 * Coordinate in an interval of `in` items that item `i` of `out` corresponds to; the items of
 * both are of width 1 and `in` need not be whole.
 */
double resize_coordinate(enum resize_method method, int64_t i, double in, int64_t out);

/* The two neighbours of a coordinate in one dimension, as offsets of items. */
struct neighbours {
    int64_t low, high; /* OUTSIDE: zero */
    double share;      /* of `high`, 0 <= share < 1 */
};

struct neighbours neighbours_of(double coordinate, enum border border, int64_t extent,
                                int64_t pitch);

/* Weighted sum over the 2^rank neighbours. */
double interpolate(const float *items, const struct neighbours *at, int rank);

/* Of an item at a distance, in cubic interpolation: the polynomial of Keys with a coefficient. */
double cubic_weight(double distance, double coefficient);

/* 1 for batch and channels, and where the provisional dialect may be short. */
int64_t resize_factor(const struct resize_attrs *attrs, int axis);

/* The window of area_downsample: blocks of `in` side by side. */
struct window resize_block(const struct resize_attrs *attrs, const struct shape *in,
                           const struct shape *out);

/* --- regions of interest (section 4.6) ---------------------------------------------------- */

enum { ROI_INPUT, ROI_ROIS, ROI_BATCH_INDEX };

/* Coordinates farther out are as good as this one. */
#define COORDINATE_FAR 0x1p40

/* roi_align by other operations: see struct op_desc. */
bool roi_align_unroll(struct graph *graph, struct node *node, struct value **results);

#endif
