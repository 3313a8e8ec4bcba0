/*
 * bytes_held.h - sums of pixels by weights that registers hold; a part of bytes_layer.h, which
 * lists the names that have to be defined before
 */
#ifndef NNEFC_KERNEL_BYTES_HELD_H
#define NNEFC_KERNEL_BYTES_HELD_H

#include "kernel/bytes_tile.h"

enum { MOST_FEW = 12 /* tuples of a pixel at most */ };

/* What a loop over pixels is made for: the tuples of a window, the vectors of the panel, and
 * how steps are cut. */
struct held_form {
    int tuples, vecs;
    enum byte_saturation saturation;
};

/* The weights of a panel, the sums before any product, and where the tuples of a window are. */
struct held_panel {
    int64_t step; /* items to the next window */
    int64_t offset[MOST_FEW];
    weights w[MOST_FEW][PANEL_VECS];
    ints begin[PANEL_VECS];
};

ALWAYS_INLINE void hold_panel(const struct layer_run *r, const struct tile *panel,
                              struct held_panel *held, const struct held_form few)
{
    held->step = r->layer->conv.stride.x * r->steps.pixel;
    UNROLL
    for (int v = 0; v < few.vecs; v++)
        held->begin[v] = sums_before(r, panel, v);
    UNROLL
    for (int t = 0; t < few.tuples; t++) {
        held->offset[t] = run_offset(r, t / r->taps.tuples) + t % r->taps.tuples * TUPLE;
        UNROLL
        for (int v = 0; v < few.vecs; v++)
            held->w[t][v] =
                WEIGHTS_LOAD(panel->weights + ((int64_t)t * few.vecs + v) * LANES * TUPLE);
    }
}

/* The sums of some neighbouring pixels, a constant number: chains of products take turns. */
ALWAYS_INLINE void sum_up(ints *sum, const struct held_panel *held, const item *src,
                          const int count, const struct held_form few)
{
    UNROLL
    for (int i = 0; i < count * few.vecs; i++)
        sum[i] = held->begin[i % few.vecs];
    UNROLL
    for (int t = 0; t < few.tuples; t++)
        UNROLL
    for (int p = 0; p < count; p++) {
        const tuples x = TUPLES_ALL(src + p * held->step + held->offset[t]);
        UNROLL
        for (int v = 0; v < few.vecs; v++)
            sum[p * few.vecs + v] = ADD_PRODUCTS(sum[p * few.vecs + v], x, held->w[t][v]);
    }
}

#endif
