/* moves.h - the description of a step that computes nothing, see move.c */
#ifndef NNEFC_BACKEND_PORTABLE_MOVES_H
#define NNEFC_BACKEND_PORTABLE_MOVES_H

#include "exec/move.h"

struct node;

/* From an operand of the step to a result. */
struct transfer {
    struct move move;
    int in, out;
};

/* The state of a step. */
struct moves {
    size_t size; /* of an item, bytes */
    int count;
    struct transfer *transfer; /* in the order of the operands */
    bool fills;                /* the result is filled with `value` before */
    float value;
    int64_t items; /* of the result that is filled */
};

/* Repeat the operand of tile as a whole, or each item of the operand of nearest_upsample.  The
 * views say where operand and result lie; their dimensions are in the order of the layout. */
struct move move_repeated(const struct node *node, enum layout layout,
                          const struct strided_view *from, const struct strided_view *to);

#endif
