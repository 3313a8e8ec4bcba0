/*
 * product.c - see product.h
 *
 * The product is made panel by panel: a panel stays in the cache while all rows meet it.
 */
#include "kernel/product.h"

#include "base/num.h"
#include "kernel/panel.h"
#include "kernel/table.h"

#include <assert.h>

enum { CHUNK_DEPTH = 512 };

/* The order of sums depends on the depth alone: chunks of CHUNK_DEPTH, one after the other. */
void KERNEL(product)(const struct packed_product *p)
{
    static const struct epilogue none;
    static const int64_t at_once;
    const struct panels panels = panels_of(p->columns);

    assert(p->rows >= 0 && p->depth >= 0);
    for (int64_t i = 0; i < panels.count; i++) {
        const struct panel panel = panel_at(&panels, i);
        for (int64_t k = 0; k < p->depth; k += CHUNK_DEPTH) {
            const float *weights = p->packed + panel.channel * p->depth + k * panel.vecs * LANES;
            struct tile tile = {.src = p->left + k,
                                .weights = weights,
                                .taps = &at_once,
                                .tap_count = 1,
                                .run = num_min(p->depth - k, CHUNK_DEPTH),
                                .dst = p->result + panel.channel,
                                .in_step = p->left_row,
                                .out_step = p->result_row,
                                .epilogue = &none,
                                .weights_end = weights,
                                .vecs = panel.vecs,
                                .last = panel.last,
                                .more = k > 0};
            KERNEL(tile_compute)(&tile, p->rows);
        }
    }
}
