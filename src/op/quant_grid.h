/*
 * quant_grid.h - the integers of an operation that quantizes in steps of one size
 *
 * Integer q of `low` to `high` stands for (q - zero) * scale.
 */
#ifndef NNEFC_OP_QUANT_GRID_H
#define NNEFC_OP_QUANT_GRID_H

#include "op/op.h"

struct arena;

/* Scales, which are positive, and zeros: each as many as broadcast to the tensor. */
struct quant_grid {
    struct tensor scale, zero;
    int64_t low, high, bits;
};

/*
 * The grid of an operation of section 4.9.5, of 2 to 32 bits, in the arena.  Between a minimum and
 * a maximum zero is one of the steps but for what float arithmetic moves it.  NULL: it is found;
 * else what keeps integers from doing it, to be put behind a colon.
 */
const char *quant_grid_find(struct arena *arena, const struct node *node, struct quant_grid *grid);

#endif
