/*
 * shape.h - extents of a tensor
 *
 * The rank may be unknown (RANK_UNKNOWN: after a custom operation or a reported fault), and so may
 * single extents (EXTENT_UNKNOWN: the 0 of a provisional external).  0 is a valid extent: an empty
 * slice.
 */
#ifndef NNEFC_TENSOR_SHAPE_H
#define NNEFC_TENSOR_SHAPE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_RANK = 8, RANK_UNKNOWN = -1, EXTENT_UNKNOWN = -1 };

struct shape {
    int rank;
    int64_t extent[MAX_RANK];
};

/* Rank and all extents known. */
static inline bool shape_known(const struct shape *shape)
{
    bool known = shape->rank != RANK_UNKNOWN;

    for (int i = 0; i < shape->rank; i++)
        known &= shape->extent[i] != EXTENT_UNKNOWN;
    return known;
}

/*
 * Product of all extents.  The shape must be known, and shape_volume_checked() must have accepted
 * it before, so that the product fits.
 */
static inline int64_t shape_volume(const struct shape *shape)
{
    int64_t volume = 1;

    assert(shape_known(shape));
    for (int i = 0; i < shape->rank; i++)
        volume *= shape->extent[i];
    return volume;
}

/* The same; false if the product overflows or exceeds `limit`.  Unknown extents count as 1. */
bool shape_volume_checked(const struct shape *shape, int64_t limit, int64_t *volume);

/* Product of the extents begin <= axis < end. */
int64_t shape_volume_range(const struct shape *shape, int begin, int end);

/* Whether rank and extents are equal, or all extents but that of dimension `axis`. */
bool shape_equal_but(const struct shape *a, const struct shape *b, int axis);

static inline bool shape_equal(const struct shape *a, const struct shape *b)
{
    return a == b || shape_equal_but(a, b, -1); /* most are the graph's one copy */
}

/* Equal as far as both are known. */
bool shape_compatible(const struct shape *a, const struct shape *b);

/* Extent of dimension `axis`, 1 beyond the rank. */
static inline int64_t shape_extent(const struct shape *shape, int axis)
{
    assert(axis >= 0);
    return axis < shape->rank ? shape->extent[axis] : 1;
}

/* Row-major strides in items; `stride` has shape->rank entries. */
void shape_strides(const struct shape *shape, int64_t *stride);

/* Where item `index` of the shape, in row-major order, lies by these strides. */
int64_t shape_offset(const struct shape *shape, const int64_t *stride, int64_t index);

/*
 * Strides that read `shape` along the dimensions of `to`, to which it broadcasts by NNEF's rule: 0
 * where it repeats.  `stride` has to->rank entries.
 */
void shape_broadcast_strides(const struct shape *shape, const struct shape *to, int64_t *stride);

/* "[1,3,224,224]", "[?,3]", "[...]" when the rank is unknown. */
enum { SHAPE_TEXT_SIZE = 24 * MAX_RANK };
char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_SIZE]);
#define SHAPE_TEXT(s) shape_text((s), (char[SHAPE_TEXT_SIZE]){0})

/*
 * Rules of broadcasting.  NNEF (section 4.2) aligns shapes at the first dimension, ONNX at the
 * last. Dimensions that the shorter shape lacks have extent 1, and an extent of 1 fits every other.
 * Where ONNX broadcasts one way only (PRelu, Gemm), the first shape keeps its extents.
 */
enum broadcast_rule { BROADCAST_NNEF, BROADCAST_ONNX, BROADCAST_ONNX_ONE_WAY };

/*
 * Widen *to so that `with` broadcasts to it.  False on a conflict; *axis is the dimension of the
 * wider shape where it is, or -1 if `with` has too many dimensions.  An unknown shape or extent
 * fits every other; an unknown rank makes the result unknown.
 */
bool broadcast(enum broadcast_rule rule, struct shape *to, const struct shape *with, int *axis);

/* True if `from` broadcasts to exactly `to` by NNEF's rule. */
bool broadcasts_to(const struct shape *from, const struct shape *to);

#endif
