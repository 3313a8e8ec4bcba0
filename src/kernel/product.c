/*
 * product.c - see product.h; panel by panel, so that one stays in the cache while all rows meet it
 */
#include "kernel/product.h"

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

/* LANES columns, `wanted` of which are there, whose items follow each other. */
static void pack_columns(const float *from, int64_t column, int wanted, const int64_t size[2],
                         float *to)
{
    int64_t depth = size[0], width = size[1];

    for (int64_t k = 0; k < depth; k += LANES) {
        int count = depth - k < LANES ? (int)(depth - k) : LANES;
        vec row[LANES];
        vec_load_square(from + k, column, wanted, count, row);
        vec_transpose(row);
        for (int i = 0; i < count; i++, to += width)
            vec_store(to, row[i]);
    }
}

static void pack_turned(const struct matrix *right, const struct panel *panel, int64_t depth,
                        float *to)
{
    const int64_t size[] = {depth, panel->vecs * LANES};
    const float *from = right->items + panel->channel * right->column;

    for (int64_t j = 0; j < panel->vecs; j++)
        pack_columns(from + j * LANES * right->column, right->column,
                     j + 1 < panel->vecs ? LANES : panel->last, size, to + j * LANES);
}

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

static void pack_items(const struct matrix *right, const struct panel *panel, int64_t depth,
                       float *to)
{
    int64_t width = panel->vecs * LANES, wanted = width - LANES + panel->last;
    const float *from = right->items + panel->channel * right->column;

    for (int64_t k = 0; k < depth; k++, to += width, from += right->row)
        for (int64_t j = 0; j < width; j++)
            to[j] = j < wanted ? from[j * right->column] : 0;
}

static void product_pack_panel(const struct matrix *right, const struct panel *panel, int64_t depth,
                               float *to)
{
    if (right->column == 1)
        pack_rows(right, panel, depth, to);
    else if (right->row == 1)
        pack_turned(right, panel, depth, to);
    else
        pack_items(right, panel, depth, to);
}

static void product_pack(const struct matrix *right, int64_t depth, int64_t columns, float *packed)
{
    const struct panels panels = panels_of(columns);

    for (int64_t i = 0; i < panels.count; i++) {
        const struct panel panel = panel_at(&panels, i);
        product_pack_panel(right, &panel, depth, packed + panel.channel * depth);
    }
}

/* Depth `begin` to `end` of the sums of a panel. */
static void multiply_panel(const struct packed_product *p, const struct panel *panel, int64_t begin,
                           int64_t end)
{
    static const struct epilogue none;
    static const int64_t at_once;
    const float *weights = p->packed + panel->channel * p->depth + begin * panel->vecs * LANES;
    struct tile tile = {.src = p->left + begin,
                        .weights = weights,
                        .taps = &at_once,
                        .tap_count = 1,
                        .run = end - begin,
                        .dst = p->result + panel->channel,
                        .in_step = p->left_row,
                        .out_step = p->result_row,
                        .epilogue = &none,
                        .weights_end = weights,
                        .vecs = panel->vecs,
                        .last = panel->last,
                        .more = begin > 0};

    KERNEL(tile_compute)(&tile, p->rows);
}

static void product_run(const struct packed_product *product)
{
    const struct panels panels = panels_of(product->columns);

    assert(product->rows >= 0 && product->depth >= 0);
    for (int64_t i = 0; i < panels.count; i++) {
        const struct panel panel = panel_at(&panels, i);
        for (int64_t k = 0; k < product->depth; k += CHUNK_DEPTH) {
            int64_t left = product->depth - k;
            multiply_panel(product, &panel, k, k + (left < CHUNK_DEPTH ? left : CHUNK_DEPTH));
        }
    }
}

const struct product_kernels KERNEL(product) = {product_packed_size, product_pack, product_run};
