/*
 * product.c - see product.h
 *
 * The product is made panel by panel: a panel stays in the cache while all rows meet it.
 */
#include "kernel/product.h"

#include "base/num.h"
#include "kernel/panel.h"
#include "kernel/table.h"
#include "kernel/transpose.h"

#include <assert.h>

enum { CHUNK_DEPTH = 512 };

static int64_t product_packed_size(int64_t depth, int64_t columns)
{
    const struct panels panels = panels_of(columns);

    return panels_volume(&panels, depth);
}

/* A panel of columns whose items follow each other: squares are transposed in registers. */
static void pack_turned(const struct matrix *right, const struct panel *panel, int64_t depth,
                        float *to)
{
    int64_t width = panel->vecs * LANES;
    const float *from = right->items + panel->channel * right->column;

    for (int64_t j = 0; j < panel->vecs; j++, from += LANES * right->column) {
        int wanted = j + 1 < panel->vecs ? LANES : panel->last;
        float *put = to + j * LANES;
        for (int64_t k = 0; k < depth; k += LANES) {
            int count = (int)num_min(depth - k, LANES);
            vec row[LANES];
            vec_load_square(from + k, right->column, wanted, count, row);
            vec_transpose(row);
            for (int i = 0; i < count; i++, put += width)
                vec_store(put, row[i]);
        }
    }
}

/* A panel of rows whose items follow each other. */
static void pack_rows(const struct matrix *right, const struct panel *panel, int64_t depth,
                      float *to)
{
    const float *from = right->items + panel->channel;
    int64_t last = (panel->vecs - 1) * LANES;

    for (int64_t k = 0; k < depth; k++, to += last + LANES, from += right->row) {
        for (int64_t j = 0; j < last; j += LANES)
            vec_store(to + j, vec_load(from + j));
        vec_store(to + last, vec_load_some(from + last, panel->last));
    }
}

/* A panel of any other matrix. */
static void pack_items(const struct matrix *right, const struct panel *panel, int64_t depth,
                       float *to)
{
    int64_t width = panel->vecs * LANES, wanted = width - LANES + panel->last;
    const float *from = right->items + panel->channel * right->column;

    for (int64_t k = 0; k < depth; k++, to += width, from += right->row)
        for (int64_t j = 0; j < width; j++)
            to[j] = j < wanted ? from[j * right->column] : 0;
}

static void product_pack(const struct matrix *right, int64_t depth, int64_t columns, float *packed)
{
    const struct panels panels = panels_of(columns);

    assert(right->items && packed && depth >= 0);
    for (int64_t i = 0; i < panels.count; i++) {
        const struct panel panel = panel_at(&panels, i);
        float *to = packed + panel.channel * depth;
        if (right->column == 1)
            pack_rows(right, &panel, depth, to);
        else if (right->row == 1)
            pack_turned(right, &panel, depth, to);
        else
            pack_items(right, &panel, depth, to);
    }
}

/* The order of sums depends on the depth alone: chunks of CHUNK_DEPTH, one after the other. */
static void product_run(const struct packed_product *p)
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

const struct product_kernels KERNEL(product) = {product_packed_size, product_pack, product_run};
