/*
 * tile.h - products of a few pixels with a panel of packed weights, the innermost loop of kernels
 *
 * A panel holds the weights of up to PANEL_VECS vectors of neighbouring output channels:
 * [tap][item of a run][vecs * LANES].  A tile is some pixels by a panel; its sums are in registers.
 */
#ifndef NNEFC_KERNEL_TILE_H
#define NNEFC_KERNEL_TILE_H

#include "kernel/epilogue.h"
#include "kernel/vector.h"

/* Registers hold the sums, the weights of one step and one pixel's item. */
#if LANES == 16
enum { PANEL_VECS = 4, FULL_ROWS = 7, TILE_ROWS = 14 };
#elif LANES == 4 && defined __SSE2__
enum { PANEL_VECS = 2, FULL_ROWS = 4, TILE_ROWS = 6 };
#else
enum { PANEL_VECS = 2, FULL_ROWS = 6, TILE_ROWS = 6 };
#endif

/* FULL_ROWS: pixels by PANEL_VECS; TILE_ROWS: pixels by fewer.  A line of the cache is fetched at
 * once. */
enum { LINE = 16 /* items */ };

/* Pixels that lie at the same distance from each other, in the source and in the results. */
struct tile {
    const float *src, *weights;
    const float *less;   /* weights that are taken off those, if vecs is PANEL_VECS; NULL: none */
    const int64_t *taps; /* where the run of each tap begins, from that of the pixel on */
    int64_t tap_count, run;
    const float *bias, *residual;    /* NULL: none */
    float *dst;                      /* and residual: the first pixel's */
    int64_t in_step, out_step;       /* items from pixel to pixel in src; in dst */
    int64_t residual_step;           /* in residual */
    const struct epilogue *epilogue; /* NULL: there will be more to add to what is stored */
    const float *weights_end;        /* of all that are packed, which will be wanted next */
    const float *next;               /* what will be wanted next; NULL: as many behind the tile's */
    int64_t next_items;              /* of what is not behind it */
    int64_t fetched;                 /* items of what is wanted next that were asked for */
    int64_t vecs;
    int last;  /* lanes of the last vector that are wanted */
    bool more; /* add to what is in dst, which has bias and residual */
};

/* Most rows of tiles of `vecs` vectors. */
int KERNEL(tile_rows)(int64_t vecs);

/* Compute any number of pixels, in tiles of nearly the same size; changes tile->fetched only. */
void KERNEL(tile_compute)(struct tile *tile, int64_t pixels);

#endif
