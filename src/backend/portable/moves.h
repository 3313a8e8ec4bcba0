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

/* From the operand of tile, which is repeated as a whole, or that of nearest_upsample, each item of
 * which is, to the result; where both lie, and in the order of that layout. */
struct move move_repeated(const struct node *node, enum layout layout,
                          const struct strided_view *from, const struct strided_view *to);

#endif
