/*
 * move.h - moving a box of items, with a stride along each dimension on both sides
 *
 * Transposing, cutting, joining, repeating, broadcasting, and filling borders with items from
 * inside, are all moves.
 */
#ifndef NNEFC_EXEC_MOVE_H
#define NNEFC_EXEC_MOVE_H

#include "exec/view.h"

#include <stddef.h>

struct team;

enum { MOVE_RANK = 2 * MAX_RANK };

/* Dimensions slowest first, with strides and offsets in items. */
struct move {
    int rank;
    int64_t extent[MOVE_RANK], from[MOVE_RANK], to[MOVE_RANK];
    int64_t from_at, to_at; /* the first item on each side */
};

/* Add a dimension, faster than those before.  It is merged with the last one if both sides go on
 * with the same stride; an extent of 1 adds nothing. */
void move_add(struct move *move, int64_t extent, int64_t from, int64_t to);

/* Bring it into the form that move_run() expects, once all dimensions are there. */
void move_finish(struct move *move);

/* From the items of one view to those of another, with dimensions in the order of a layout; ready
 * to run. */
struct move move_views(const struct shape *shape, enum layout order,
                       const struct strided_view *from, const struct strided_view *to);

/* Move items of 1, 4 or 8 bytes. */
void move_run(const struct move *move, size_t size, void *to, const void *from, struct team *team);

/* The state of a step without nodes: one buffer put into another layout, or copied. */
struct reordering {
    struct move move;
    size_t size; /* of an item, bytes */
};

/* --- a move to items that follow each other, in parts ----------------------------------------- */

/* From an operand to the shape that it is broadcast to, both in that layout; for the functions
 * below, with a rank of at least 1. */
struct move move_broadcast(const struct shape *operand, const struct shape *result,
                           enum layout layout);

/* Does it read one item after the other, or one item only? */
bool move_is_dense(const struct move *move);
bool move_is_constant(const struct move *move);

/* Write items range[0] to range[1] of its destination to `to`, one after the other; `size` as
 * above. */
void move_range(const struct move *move, size_t size, void *to, const void *from,
                const int64_t range[2]);

#endif
