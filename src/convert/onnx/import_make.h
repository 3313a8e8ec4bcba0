/*
 * import_make.h - operations made from those of ONNX, or computed at once if all operands are known
 *
 * Operands of elementwise operations are aligned at their last dimension, as ONNX does, but for those
 * of batch_normalization.  Where NNEF
 * takes scalars only, integers go there and back by `cast`, which is exact below 2^24; what is known
 * is computed in 64 bits.  NULL makes NULL.
 */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_MAKE_H
#define NNEFC_CONVERT_ONNX_IMPORT_MAKE_H

#include "convert/onnx/import_node.h"
#include "op/op.h"

/* Attributes of the operation that is made next, whose operands are made before; all others are 0,
 * empty or the first of names. */
void set_integer(struct take *t, const char *name, int64_t value);
void set_scalar(struct take *t, const char *name, double value);
void set_logical(struct take *t, const char *name, bool value);
void set_string(struct take *t, const char *name, const char *value);
void set_integers(struct take *t, const char *name, const int64_t *items, int count);
void set_scalars(struct take *t, const char *name, const double *items, int count);
void set_strings(struct take *t, const char *name, const char *const *items, int count);
void set_pairs(struct take *t, const char *name, const int64_t (*items)[2], int count);

/* The first result; the others are at t->made. */
struct entry *op1(struct take *t, enum op_id op, struct entry *x);
struct entry *op2(struct take *t, enum op_id op, struct entry *x, struct entry *y);
struct entry *op3(struct take *t, enum op_id op, struct entry *x, struct entry *y, struct entry *z);
struct entry *op_all(struct take *t, enum op_id op, struct entry *const *in, int count);

/* --- what is known ---------------------------------------------------------------------------- */

/* A number of the type that it meets. */
struct entry *literal(struct take *t, double value);

/* Zeroed items to be filled in, of the data type that `type` has; NULL after a report. */
struct entry *known_new(struct take *t, int32_t type, const struct shape *shape,
                        struct tensor **items);
struct entry *known_integers(struct take *t, const int64_t *items, int count);

/* Items 0, 1, 2, ... of rank 1. */
struct entry *known_ramp(struct take *t, int32_t type, int64_t count);

/* --- what is often needed ---------------------------------------------------------------------- */

/* Scalar, integer or logical; UNKNOWN for types that NNEF has not. */
enum dtype dtype_of(int32_t type);

struct entry *convert(struct take *t, struct entry *x, int32_t type);
struct entry *reshape_to(struct take *t, struct entry *x, const struct shape *shape);
struct entry *with_rank(struct take *t, struct entry *x, int rank); /* ones in front */
struct entry *unsqueeze_at(struct take *t, struct entry *x, int axis);
struct entry *squeeze_at(struct take *t, struct entry *x, int axis);
struct entry *transpose_by(struct take *t, struct entry *x, const int64_t *order);

/* The last two dimensions the other way round. */
struct entry *transpose_last(struct take *t, struct entry *x);

/* Items begin <= i < end of one axis, by `stride`; as NNEF has it. */
struct entry *slice_at(struct take *t, struct entry *x, int axis, int64_t begin, int64_t end);
struct entry *join(struct take *t, struct entry *const *in, int count, int axis);

/* axes keep extent 1; OP_sum_reduce, OP_mean_reduce, OP_max_reduce ... */
struct entry *reduce(struct take *t, enum op_id op, struct entry *x, const struct integers *axes);
struct entry *reduce_at(struct take *t, enum op_id op, struct entry *x, int axis);

/* A constant for each channel, dimension 1, of something of `rank`: [C] becomes [1,C,1,...]. */
struct entry *per_channel(struct take *t, struct entry *x, int rank);

/* Repeated to exactly that shape. */
struct entry *spread_to(struct take *t, struct entry *x, const struct shape *shape);

struct entry *matmul(struct take *t, struct entry *a, struct entry *b); /* as ONNX's MatMul */

#endif
