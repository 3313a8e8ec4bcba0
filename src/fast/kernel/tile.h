/*
 * tile.h - products of a few pixels with a panel of packed weights, the innermost loop of kernels
 *
 * A panel holds the weights of up to PANEL_VECS vectors of neighbouring output channels:
 * [tap][item of a run][vecs * LANES].  A tile is some pixels by a panel; its sums are in registers.
 */
#ifndef NNEFC_FAST_KERNEL_TILE_H
#define NNEFC_FAST_KERNEL_TILE_H

#include "fast/kernel/epilogue.h"
#include "fast/kernel/vector.h"

/* Registers hold the sums, the weights of one step and one pixel's item. */
#if LANES == 16
enum { PANEL_VECS = 4, FULL_ROWS = 7, TILE_ROWS = 14 };
#elif LANES == 4 && defined __SSE2__
enum { PANEL_VECS = 2, FULL_ROWS = 4, TILE_ROWS = 6 };
#else
enum { PANEL_VECS = 2, FULL_ROWS = 6, TILE_ROWS = 6 };
#endif

/* FULL_ROWS: pixels by PANEL_VECS; TILE_ROWS: pixels by fewer. */
enum { LINE = 16 /* items that are fetched at once */ };

struct tile {
    const float *src, *weights;
    const int64_t *taps; /* where the run of each tap begins, from that of the pixel on */
    int64_t tap_count, run;
    const float *bias, *residual; /* NULL: none */
    float *dst;
    const struct epilogue *epilogue; /* NULL: there will be more to add to what is stored */
    const float *ahead;              /* wanted soon: a line of the cache for each step */
    int64_t ahead_step;
    int64_t vecs;
    int last;                              /* lanes of the last vector that are wanted */
    bool more;                             /* add to what is in dst, which has bias and residual */
    int64_t in[TILE_ROWS], out[TILE_ROWS]; /* where each pixel is in src; dst and residual */
};

/*
 * What is asked for while a panel's products of some depth are computed, tile after tile: the
 * weights behind them, up to `end`.  `fetched` is 0 before the first tile.
 */
static inline void tile_look_ahead(struct tile *tile, const float *end, int64_t *fetched)
{
    int64_t depth = tile->tap_count * tile->run, volume = depth * tile->vecs * LANES;
    bool wanted = *fetched < volume && *fetched < end - tile->weights - volume;

    tile->ahead = wanted ? tile->weights + volume + *fetched : tile->weights;
    tile->ahead_step = wanted ? LINE : 0;
    *fetched += LINE * depth;
}

/* Most rows of tiles of `vecs` vectors. */
int KERNEL(tile_rows)(int64_t vecs);

/* Compute `rows` pixels, 0 < rows <= tile_rows(tile->vecs). */
void KERNEL(tile_compute)(const struct tile *tile, int rows);

#endif
