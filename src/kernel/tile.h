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

/* FULL_ROWS: pixels by PANEL_VECS; TILE_ROWS: pixels by fewer.  LINE: items of a line of the
 * cache. */
enum { LINE = 16 };

/* Pixels that lie at the same distance from each other, in the source and in the results. */
struct tile {
    const float *src, *weights;
    const float *less;   /* weights to subtract from those; vecs is PANEL_VECS then; NULL: none */
    const int64_t *taps; /* offset of the run of each tap, from the item of the pixel */
    int64_t tap_count, run;
    const float *bias, *residual;    /* NULL: none */
    float *dst;                      /* and residual: the first pixel's */
    int64_t in_step, out_step;       /* items from pixel to pixel in src; in dst */
    int64_t residual_step;           /* in residual */
    const struct epilogue *epilogue; /* NULL: later calls add more to the sums in dst */
    const float *weights_end;        /* the end of all packed weights */
    const float *next;               /* weights to fetch; NULL: as many behind the tile's */
    int64_t next_items;              /* of `next` */
    int64_t fetched;                 /* items of them that were fetched already */
    int64_t vecs;
    int last;  /* lanes of the last vector that are channels */
    bool more; /* add to the sums in dst, which have bias and residual */
};

/* The most pixels of a tile with `vecs` vectors. */
int KERNEL(tile_rows)(int64_t vecs);

/* Compute any number of pixels, in tiles of nearly the same size; changes tile->fetched only. */
void KERNEL(tile_compute)(struct tile *tile, int64_t pixels);

#endif
