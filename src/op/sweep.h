/*
 * sweep.h - running a window over the rows of a result
 *
 * A row is all outputs that differ in the last dimension only.  For one row, a sweep visits the
 * combinations of taps of the other dimensions in row-major order; the taps of the last
 * dimension are left to the kernel, which adds a whole row of inputs for each.  Long rows are
 * cut into blocks, so that the sums of one fit the stack.
 */
#ifndef NNEFC_OP_SWEEP_H
#define NNEFC_OP_SWEEP_H

#include "op/window.h"

struct sweep {
    const struct window *window;
    int64_t at[MAX_RANK];  /* coordinates of the row */
    int64_t tap[MAX_RANK]; /* the combination now visited */
    int64_t number;        /* of that combination */
    int64_t in;            /* where its row of inputs begins; OUTSIDE if it is no row of them */
};

/* Rows of the result, as far as the window's dimensions go. */
int64_t sweep_rows(const struct window *window);

/*
 * Visit the first combination of taps for a row, and the next; false after the last.
 *     sweep_begin(&sweep, window, row);
 *     do ... while (sweep_next(&sweep));
 */
void sweep_begin(struct sweep *sweep, const struct window *window, int64_t row);
bool sweep_next(struct sweep *sweep);

enum { BLOCK_SIZE = 256 };

/* Outputs begin <= o < end of a row. */
struct block {
    const struct window *window;
    int64_t begin, end;
    double sum[BLOCK_SIZE];
};

/* The block of a row that begins at output `begin`, with all sums at `sum`. */
void block_begin(struct block *block, const struct window *window, int64_t begin, double sum);

/* Those of a block that read inputs at even distances: output begin + n * step reads in + n *
 * in_step. */
struct span_taps {
    int64_t tap; /* of the last dimension */
    int64_t begin, end, count;
    int64_t step, in, in_step;
};

struct span_taps block_span(const struct block *block, int64_t tap);

/* Add weight * input, or its square, to every output that has one at the tap. */
void block_add(struct block *block, const struct span_taps *span, const float *row, double weight);
void block_add_squares(struct block *block, const struct span_taps *span, const float *row);

#endif
