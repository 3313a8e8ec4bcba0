/*
 * emit.h - how an operator is written in ONNX
 *
 * An operator that ONNX has under another name has its row in export_list.def.  Any other has a
 * function there, which adds ONNX nodes that compute the same, and an operator with a body may have
 * neither: it is expanded before it gets here.
 *
 * Such a function returns the tensor that is to be result 0; it names other results itself, by
 * onnx_out_result().  NULL: it refused (emit_refuse).
 *
 * Tensors of ONNX go by name.  A name that a function here returns lives as long as the export;
 * equal literals are one initializer.  Shapes of the NNEF side are all known; ONNX sees the same
 * ranks and extents, and data types FLOAT for scalar, INT64 for integer, BOOL for logical.
 */
#ifndef NNEFC_CONVERT_ONNX_EMIT_H
#define NNEFC_CONVERT_ONNX_EMIT_H

#include "op/op.h"

struct onnx_out;

/* What such a function sees. */
struct emit {
    struct onnx_out *out; /* the export */
    const struct node *node;
    const char *type;  /* of the rule, for functions that several operators share; may be NULL */
    const void *attrs; /* decoded, of the operator's family */
    int opset;         /* EMIT_OPSET_MIN to EMIT_OPSET_MAX */
};

enum { EMIT_OPSET_MIN = 13, EMIT_OPSET_MAX = 28, EMIT_OPSET = 17 };

/* --- operands ----------------------------------------------------------------------------- */

const struct shape *emit_shape(const struct emit *e, int index);
const struct shape *emit_result_shape(const struct emit *e, int result);

/* Operand `index` as it is. */
const char *emit_in(const struct emit *e, int index);

/*
 * With extents of 1 behind its last.  NNEF aligns shapes at the first dimension, ONNX at the last;
 * for equal ranks both mean the same.  Rank 0 stays.  In the provisional dialect, ones at the end
 * beyond `rank` are taken away.
 */
const char *emit_in_rank(const struct emit *e, int index, int rank);

/* What was reshaped to be the operand, if it had that shape; else NULL. */
const char *emit_in_before(const struct emit *e, int index, const struct shape *shape);

/* With other extents of the same volume. */
const char *emit_in_shape(const struct emit *e, int index, const struct shape *shape);

/* The axes of the node that operand 0 has, for a provisional graph may name more; in `item`. */
struct integers emit_axes(const struct emit *e, int64_t item[MAX_RANK]);

/*
 * The items of an operand that is a constant, one for all of them if tensor->shape has volume 1;
 * NULL for any other, variables included.
 */
const struct tensor *emit_constant(const struct emit *e, int index);

/* It is a constant all of whose items are `value`. */
bool emit_is(const struct emit *e, int index, double value);

/* The nodes depend on the rest of a division of an extent of operand 0 by `divisor`. */
void emit_goes_by_rest(const struct emit *e, int axis, int64_t divisor);

/* For whatever lasts as long as the export. */
struct arena *emit_arena(const struct emit *e);

/* --- nodes -------------------------------------------------------------------------------- */

/*
 * Add a node of `type` whose operands are the names that follow, up to NULL ("" for one left out).
 * Its first output is a new tensor, whose name is returned.
 */
const char *emit(const struct emit *e, const char *type, ...) __attribute__((sentinel));
const char *emit_list(const struct emit *e, const char *type, const char *const *in, int count);

/* One more output of the node added last: a new tensor. */
const char *emit_also(const struct emit *e);

/* Attributes of the node added last; `ints` and texts are copied. */
void emit_attr_int(const struct emit *e, const char *name, int64_t value);
void emit_attr_ints(const struct emit *e, const char *name, const int64_t *values, int count);
void emit_attr_float(const struct emit *e, const char *name, double value);
void emit_attr_string(const struct emit *e, const char *name, const char *value);

/* --- nodes that are often needed; x itself where there is nothing to do ---------------------- */

const char *emit_unsqueeze(const struct emit *e, const char *x, const int64_t *axes, int count);
const char *emit_squeeze(const struct emit *e, const char *x, const int64_t *axes, int count);
const char *emit_reshape(const struct emit *e, const char *x, const struct shape *shape);
/* An extent of 0 is that of x at that place; one may be -1, which follows from the others. */
const char *emit_reshape_to(const struct emit *e, const char *x, const int64_t *extents, int count);
const char *emit_transpose(const struct emit *e, const char *x, const int64_t *axes, int count);
/* The product of matrices, which have `rank` dimensions with those of batches. */
struct matmul_attrs;
const char *emit_product(const struct emit *e, const char *a, const char *b, int rank,
                         const struct matmul_attrs *attrs);
/* `to` is of enum onnx_data_type. */
const char *emit_cast(const struct emit *e, const char *x, int32_t to);
/* Halves go up, as with NNEF. */
const char *emit_round(const struct emit *e, const char *x);
/* axes that are kept with extent 1: "ReduceSum", "ReduceMax" ...; no axes: x. */
const char *emit_reduce(const struct emit *e, const char *type, const char *x,
                        const struct integers *axes);
/* begin <= i < end of each axis, by `stride` (NULL: 1). */
struct emit_range {
    int count;
    const int64_t *axes, *begin, *end, *stride;
};
const char *emit_slice(const struct emit *e, const char *x, const struct emit_range *at);

/* --- literals: names of initializers --------------------------------------------------------- */

const char *emit_scalar(const struct emit *e, double value);                     /* FLOAT, rank 0 */
const char *emit_integer(const struct emit *e, int64_t value);                   /* INT64, rank 0 */
const char *emit_vector(const struct emit *e, const int64_t *values, int count); /* INT64, rank 1 */

/* A computed tensor of FLOAT or INT64; the items are copied. */
const char *emit_scalars(const struct emit *e, const struct shape *shape, const float *items);
const char *emit_integers(const struct emit *e, const struct shape *shape, const int64_t *items);

/* Zeroed memory for `count` items of `size` bytes that lives as long as the export. */
void *emit_room(const struct emit *e, int64_t count, size_t size);

/* --- refusal -------------------------------------------------------------------------------- */

/*
 * ONNX, or this opset of it, has nothing that computes the same: say why, which becomes a report
 * of the invocation or, where that is allowed, a node of domain ONNX_CUSTOM.  Returns false.
 */
bool emit_refuse(const struct emit *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
