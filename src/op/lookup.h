/*
 * lookup.h - the parts of a tensor that indices name
 *
 * A part is an item, or all items behind several indices.  Parts are in the order of their indices,
 * in rows that begin at places which do not depend on indices.  A negative index counts from the
 * end.
 */
#ifndef NNEFC_OP_LOOKUP_H
#define NNEFC_OP_LOOKUP_H

#include "op/op.h"

struct lookup {
    const int64_t *index; /* `depth` of each part */
    int depth;
    int axis;                                   /* the first dimension that they index */
    int64_t extent[MAX_RANK], stride[MAX_RANK]; /* of these dimensions */
    struct shape rows;
    int64_t begin[MAX_RANK]; /* strides of the rows in the tensor */
    int64_t length, step;    /* parts of a row, and how far one is from the last */
    int64_t size;            /* items of a part */
};

/*
 * Those that the indices of a node name, which are operand 1, in operand 0.  By 'axis': an item for
 * each of the indices, from its own place but for the coordinate along the axis.  Else: a part for
 * each row of the indices, behind the 'batch' dimensions that go together.
 */
struct lookup lookup_of(const struct eval *eval);

/* Are all indices in range?  Reports through eval_error(). */
bool lookup_check(const struct eval *eval, const struct lookup *lookup);

/* The offset at which a part begins. */
struct lookup_row {
    const struct lookup *lookup;
    const int64_t *index; /* of the part at hand */
    int64_t at;           /* of the part at hand, apart from its indices */
};
static inline struct lookup_row lookup_begin(const struct lookup *lookup, int64_t row)
{
    return (struct lookup_row){lookup, lookup->index + row * lookup->length * lookup->depth,
                               shape_offset(&lookup->rows, lookup->begin, row)};
}

/* That of the next part of the row. */
static inline int64_t lookup_next(struct lookup_row *row)
{
    const struct lookup *lookup = row->lookup;
    int64_t at = row->at;

    for (int i = 0; i < lookup->depth; i++) {
        int64_t index = row->index[i];
        at += (index < 0 ? index + lookup->extent[i] : index) * lookup->stride[i];
    }
    row->index += lookup->depth;
    row->at += lookup->step;
    return at;
}

/* The rules of operand 1 as indices into operand 0.  *parts is the shape of all parts. */
bool infer_elements(const struct infer *infer, int64_t axis, struct shape *parts);
bool infer_sections(const struct infer *infer, int64_t batch, struct shape *parts);

/* --- unrolled ------------------------------------------------------------------------------ */

/* See op_desc.unroll: one index into all dimensions. */
bool unroll_gather_elements(struct graph *graph, struct node *node, struct value **results);
bool unroll_gather_nd(struct graph *graph, struct node *node, struct value **results);

#endif
