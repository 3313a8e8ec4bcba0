/*
 * move.h - items put elsewhere: a box of them, with a stride along each dimension on both sides
 *
 * Transposing, cutting, joining, repeating, and filling of borders by what is inside, are all
 * moves.
 */
#ifndef NNEFC_EXEC_MOVE_H
#define NNEFC_EXEC_MOVE_H

#include "exec/view.h"

#include <stddef.h>

struct team;

enum { MOVE_RANK = 2 * MAX_RANK };

/* Strides and offsets in items. */
struct move {
    int rank;
    int64_t extent[MOVE_RANK], from[MOVE_RANK], to[MOVE_RANK];
    int64_t from_at, to_at;
};

/* Add a dimension, within those before; of extent 1: nothing. */
void move_add(struct move *move, int64_t extent, int64_t from, int64_t to);

/* Bring it into the form that move_run() expects, once all dimensions are there. */
void move_finish(struct move *move);

/* The items of one view to where another has them; dimensions are gone through in the order of a
 * layout. */
struct move move_views(const struct shape *shape, enum layout order,
                       const struct strided_view *from, const struct strided_view *to);

/* Move items of 1, 4 or 8 bytes. */
void move_run(const struct move *move, size_t size, void *to, const void *from, struct team *team);

#endif
