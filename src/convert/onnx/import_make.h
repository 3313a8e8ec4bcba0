/*
 * import_make.h - nodes of NNEF made with the rules of ONNX, or computed if all operands are known
 *
 * - Operands of elementwise operations are aligned at the last dimension, as ONNX does it.  NNEF
 *   aligns them at the first one; batch_normalization keeps that.
 * - Arithmetic on integers becomes the operations of op/integer.c.  Where there is none, integers
 *   are cast to scalars and the result back, which is exact below 2^24: a warning says so.
 * - An operation all of whose operands are known is computed at once, unless its result is large.
 *
 * A NULL among the operands makes NULL.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_MAKE_H
#define NNEFC_CONVERT_ONNX_IMPORT_MAKE_H

#include "convert/onnx/import_node.h"
#include "op/op.h"

/*
 * An operation without attributes.  Returns the first result; t->made has all of them until the
 * next operation is made.
 */
struct imported *op1(struct translation *t, enum op_id op, struct imported *x);
struct imported *op2(struct translation *t, enum op_id op, struct imported *x, struct imported *y);
struct imported *op3(struct translation *t, enum op_id op, struct imported *x, struct imported *y,
                     struct imported *z);

/* An operation with attributes: make1(t, OP_SPEC(tile, .repeats = {1, repeats}), x). */
struct imported *make1(struct translation *t, struct op_spec spec, struct imported *x);
struct imported *make2(struct translation *t, struct op_spec spec, struct imported *x,
                       struct imported *y);
struct imported *make_all(struct translation *t, struct op_spec spec, struct imported *const *in,
                          int count);

/*
 * An operation that the expansion of a fragment asks for, with attributes as data.  A reshape of
 * what is known, or to the same shape, makes no node.
 */
struct imported *make_called(struct translation *t, const struct op_call *call,
                             struct imported *const *in);

/* --- known tensors -------------------------------------------------------------------------- */

/* A number of rank 0.  Beside an integer it counts as an integer, beside a scalar as a scalar. */
struct imported *literal(struct translation *t, double value);

/* An integer of rank 0. */
struct imported *known_integer(struct translation *t, int64_t item, int32_t type);

/* Zeroed items of the data type that `type` has, to be filled in unless `items` is NULL. */
struct imported *known_new(struct translation *t, int32_t type, const struct shape *shape,
                           struct tensor **items);

/* The same of integers of 4 bits, of ONNX_UINT8, which are nibbles (struct tensor) if they are
 * many.
 */
struct imported *known_nibbles(struct translation *t, const struct shape *shape,
                               struct tensor **items);

/* Nibbles that lie in known bytes, where these are. */
struct imported *nibbles_of(struct translation *t, const struct imported *bytes,
                            const struct shape *shape);
struct imported *known_copy(struct translation *t, int32_t type, const struct shape *shape,
                            const void *from);
struct imported *known_integers(struct translation *t, const int64_t *items, int count);

/* Numbers at the same distance in row-major order; step 0: all are the same. */
struct imported *known_ramp(struct translation *t, int32_t type, const struct shape *shape,
                            double begin, double step);

/* --- common operations ---------------------------------------------------------------------- */

/* What NNEF has for an enum onnx_data_type: scalar, integer or logical, else UNKNOWN. */
enum dtype dtype_of(int32_t type);

/*
 * To a type of ONNX.  That is an operation only if NNEF has another type for it, or if integers may
 * have to wrap; numbers other than 0 become true.
 */
struct imported *convert(struct translation *t, struct imported *x, int32_t type);

/* Scalars become integers of that type, which they are within: nothing needs to wrap. */
struct imported *whole_items(struct translation *t, struct imported *x, int32_t type);

/* `extent` along an axis and 1 along all others; axis -1: 1 along all. */
struct shape shape_along(int rank, int axis, int64_t extent);

/* Is an extent 0?  The others may overflow, which known_new() refuses. */
bool has_no_items(const struct shape *shape);

struct imported *reshape_to(struct translation *t, struct imported *x, const struct shape *shape);
struct imported *with_rank(struct translation *t, struct imported *x, int rank); /* ones in front */
struct imported *unsqueeze_at(struct translation *t, struct imported *x, int axis);
struct imported *squeeze_at(struct translation *t, struct imported *x, int axis);
struct imported *transpose_by(struct translation *t, struct imported *x, const int64_t *order);

/* Two dimensions change places; or the last two. */
struct imported *swap_axes(struct translation *t, struct imported *x, int a, int b);
struct imported *transpose_last(struct translation *t, struct imported *x);

/* The channels become the second dimension, or the last; rank 3 or more. */
struct imported *move_channels(struct translation *t, struct imported *x, bool last);

/* Items begin <= i < end of one axis. */
struct imported *slice_at(struct translation *t, struct imported *x, int axis, int64_t begin,
                          int64_t end);

/* Concatenated along an axis. */
struct imported *join(struct translation *t, struct imported *const *in, int count, int axis);

/* By OP_sum_reduce, OP_mean_reduce, OP_max_reduce ...; the axes keep extent 1. */
struct imported *reduce(struct translation *t, enum op_id op, struct imported *x,
                        const struct integers *axes);
struct imported *reduce_at(struct translation *t, enum op_id op, struct imported *x, int axis);

/* Without these axes, whose extents are 1, unless they are to be kept. */
struct imported *drop_axes(struct translation *t, struct imported *x, const struct integers *axes,
                           bool keep);

/* A constant for each channel, dimension 1, of something of `rank`: [C] becomes [1,C,1,...]. */
struct imported *per_channel(struct translation *t, struct imported *x, int rank);

/* Extents of 1 repeated to exactly that shape; dimensions are aligned at the last one. */
struct imported *spread_to(struct translation *t, struct imported *x, const struct shape *shape);

/*
 * As ONNX's MatMul: of the last two dimensions, while those in front broadcast.  A vector is a row
 * on the left and a column on the right.
 */
struct imported *matmul(struct translation *t, struct imported *a, struct imported *b);

#endif
