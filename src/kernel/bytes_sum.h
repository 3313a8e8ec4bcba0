/*
 * bytes_sum.h - the innermost step of products of bytes: some pixels by a panel of channels
 *
 * A file defines TUPLE, item, weight, tuples, weights, TUPLES_ALL(), WEIGHTS_LOAD() and
 * ADD_PRODUCTS() before it includes this one: see bytes_layer.h.
 */
#ifndef NNEFC_KERNEL_BYTES_SUM_H
#define NNEFC_KERNEL_BYTES_SUM_H

#include "kernel/bytes_panels.h"
#include "kernel/pairs.h"

enum {
    LINE = 64,                     /* of the cache */
    PIXELS = LANES == 16 ? 12 : 6, /* at most */
};

/* Pixels that a panel of so many vectors multiplies at a time: registers hold the sums. */
ALWAYS_INLINE int tile_pixels(int vecs)
{
    return LANES == 16 && vecs > 2 ? 24 / vecs : PIXELS;
}

/* Add the products of the next tuple of each pixel, at src[i], and the weights of a panel for it.
 * `pixels` and `vecs` are constants. */
ALWAYS_INLINE void add_tuple(ints (*sum)[PANEL_VECS], const item **src, const weight *from,
                             const int pixels, const int vecs)
{
    weights w[PANEL_VECS];

    UNROLL
    for (int v = 0; v < vecs; v++)
        w[v] = WEIGHTS_LOAD(from + (int64_t)v * LANES * TUPLE);
    UNROLL
    for (int i = 0; i < pixels; i++) {
        const tuples x = TUPLES_ALL(src[i]);
        src[i] += TUPLE;
        UNROLL
        for (int v = 0; v < vecs; v++)
            sum[i][v] = ADD_PRODUCTS(sum[i][v], x, w[v]);
    }
}

/* Prefetch weights that are used next, for panels of three or four vectors; returns the next
 * address. */
ALWAYS_INLINE const char *fetch(const char *ahead, int64_t step, const int vecs)
{
    if (vecs > 2)
        __builtin_prefetch(ahead, 0, 2);
    return ahead + step;
}

#endif
