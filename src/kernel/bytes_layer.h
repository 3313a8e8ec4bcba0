/*
 * bytes_layer.h - convolution of bytes, of any geometry, as sums of products of tuples
 *
 * Taps that follow each other in the image are a run.  The kernel computes a tile of pixels by a
 * panel of output channels: for each tuple of neighbours in a run, it multiplies a vector of
 * weights by the tuple of each pixel.  The final sums fit 32 bits (bytes.h), so their order does
 * not matter.
 *
 * A file defines these names before it includes this one:
 *     TUPLE              the number of neighbours
 *     source             the type of items of images in memory
 *     item, weight       the types of what is multiplied
 *     tuples, weights    vectors of tuples
 *     items_of()         converts items of images to items that are multiplied
 *     item_of_zero()     the item that stands for 0
 *     item_excess()      the difference of an item and the number that it stands for
 *     are_items()        whether items of images need no conversion
 *     TUPLES_ALL()       the tuple at an address, in all lanes
 *     WEIGHTS_LOAD()     a vector of weights
 *     ADD_PRODUCTS()     a sum and the products of tuples, modulo 2^32
 *     LAYER, RUN_LAYER   the names of the kernel and of its function in table.h
 *     LAYER_NAME         its name in plans
 *     WIDE_SUMS          optional: sums are those of bytes_wide.h
 *     HOLDS_FEW          optional: few weights are held in registers, see bytes_few.h
 */
#ifndef NNEFC_KERNEL_BYTES_LAYER_H
#define NNEFC_KERNEL_BYTES_LAYER_H

#include "kernel/bytes_tile.h"
#include "kernel/table.h"

#include <assert.h>

enum {
    BLOCK_TILES = 16,     /* tiles that a member computes at a time */
    NEAR_SIZE = 40 << 10, /* bytes of weights that stay in the cache beside a tile */
};

/* A pixel of the results of all images, with the first item that its window reads, and its first
 * result. */
struct pixel {
    int64_t image, y, x;
    const item *src;
    int64_t dst;
};

/* Set both for a group. */
static void find_items(const struct layer_run *r, int64_t group, struct pixel *at)
{
    const struct conv *conv = &r->layer->conv;

    at->src = r->first + group * r->group + at->image * r->steps.image +
              at->y * conv->stride.y * r->steps.row + at->x * conv->stride.x * r->steps.pixel;
    at->dst = at->image * conv->dst.image + at->y * conv->dst.row + at->x * conv->dst.pixel;
}

static struct pixel pixel_at(const struct layer_run *r, int64_t group, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t row = index / conv->out.x;
    struct pixel pixel = {row / conv->out.y, row % conv->out.y, index % conv->out.x, NULL, 0};

    find_items(r, group, &pixel);
    return pixel;
}

static void next_row(const struct layer_run *r, int64_t group, struct pixel *pixel)
{
    pixel->x = 0;
    if (++pixel->y == r->layer->conv.out.y) {
        pixel->y = 0;
        pixel->image++;
    }
    find_items(r, group, pixel);
}

/* Let a tile have so many pixels; *pixel becomes the one behind. */
static void set_pixels(const struct layer_run *r, struct tile *tile, int64_t group, int count,
                       struct pixel *pixel)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t step = conv->stride.x * r->steps.pixel, out_step = conv->dst.pixel;

    for (int begin = 0, end; begin < count; begin = end) {
        const item *src = pixel->src;
        int64_t dst = pixel->dst;
        end = (int)num_min(count, begin + conv->out.x - pixel->x);
        for (int i = begin; i < end; i++, src += step, dst += out_step) {
            HIDE(src); /* so that these stay single: loads of parts of a vector would wait for it */
            HIDE(dst);
            tile->src[i] = src;
            tile->dst[i] = dst;
        }
        pixel->src = src;
        pixel->dst = dst;
        pixel->x += end - begin;
        if (pixel->x == conv->out.x)
            next_row(r, group, pixel);
    }
}

/* Let a tile be computed with a panel of a group. */
static void set_panel(const struct layer_run *r, struct tile *tile, int64_t group, int64_t panel)
{
    const int64_t out = group_out(&r->layer->conv), vecs = panel_vecs(&r->panels, panel);
    const int64_t begin = panel_begin(&r->panels, panel), all = num_divide_up(out, LANES);

    tile->vecs = (int)vecs;
    tile->sums = (const void *)((const char *)r->operands->packed +
                                (size_t)(group * all + begin) * r->vec_size);
    tile->weights = (const void *)(tile->sums + vecs * LANES);
    tile->channel = group * out + begin * LANES;
    tile->padded = group * (num_divide_up(out, BYTE_PANEL) * BYTE_PANEL) + begin * LANES;
    tile->count = (int)num_min(out - begin * LANES, vecs * LANES);
}

#ifdef HOLDS_FEW
#include "kernel/bytes_few.h"
#endif

/* Tiles of a group that have nearly the same number of pixels: of all tiles, `more` have one more
 * than `few`. */
struct tile_block {
    int64_t group, tiles;
    int64_t few, more, rest; /* rest: what the tiles before have left of `more` */
    struct pixel first;
};

static struct tile_block block_of(const struct layer_run *r, int64_t group, int64_t index)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x, tiles = r->tiles;
    const int64_t begin = tiles * index / r->blocks, end = tiles * (index + 1) / r->blocks;

    return (struct tile_block){.group = group,
                               .tiles = end - begin,
                               .few = pixels / tiles,
                               .more = pixels % tiles,
                               .rest = pixels * begin % tiles,
                               .first = pixel_at(r, group, pixels * begin / tiles)};
}

/* Compute a block with a panel, while each tile fetches a part of the next panel. */
static void do_panel(const struct layer_run *r, const struct tile_block *block, int64_t panel)
{
    struct pixel pixel = block->first;
    int64_t rest = block->rest, fetched;
    struct tile tile = {.ahead_step = 0};

    set_panel(r, &tile, block->group, panel);
    tile.ahead = (const char *)tile.weights;
    if (panel + 1 < r->panels.count) {
        tile.ahead += (size_t)tile.vecs * r->vec_size;
        tile.ahead_step = num_min((int64_t)tile.vecs * LINE / block->tiles + 1, LINE);
    }
    fetched = r->taps.runs * r->taps.tuples * tile.ahead_step;
    for (int64_t t = 0; t < block->tiles; t++, tile.ahead += fetched) {
        int count = (int)block->few;
        rest += block->more;
        if (rest >= r->tiles) {
            rest -= r->tiles;
            count++;
        }
        set_pixels(r, &tile, block->group, count, &pixel);
        do_tile_of(r, &tile, count);
    }
}

/* A block of tiles of some panels of one group. */
static void do_block(const struct layer_run *r, int64_t index)
{
    const int64_t near = r->blocks / r->stripes, part = index / near % r->parts;
    const int64_t groups = r->layer->conv.groups, group = index / near / r->parts % groups;
    const int64_t panels = r->panels.count, last = panels * (part + 1) / r->parts;
    const struct tile_block block =
        block_of(r, group, index / near / r->parts / groups * near + index % near);

    for (int64_t panel = panels * part / r->parts; panel < last; panel++)
        do_panel(r, &block, panel);
}

static void do_blocks(void *data, int64_t begin, int64_t end, int member)
{
    (void)member;
    for (; begin < end; begin++)
        do_block(data, begin);
}

/* Divide the work: blocks of tiles, and parts of the panels where all weights are too many for the
 * nearest cache.  Members get the same number of blocks if there are enough tiles.  Each gets
 * pixels of its own then, which are in its cache if it has computed them, unless the weights are
 * more than the images. */
static void divide(struct layer_run *r, int members)
{
    const struct conv *conv = &r->layer->conv;
    const int64_t pixels = conv->batch * conv->out.y * conv->out.x;
    const size_t size = (size_t)vec_count(conv) * r->vec_size;
    const size_t images = (size_t)(conv->batch * (conv->src.image + conv->dst.image));
    const size_t all = (size_t)conv->groups * size;

    r->parts = size <= NEAR_SIZE ? 1 : r->panels.count;
    r->tiles = num_divide_up(pixels, tile_pixels((int)panel_vecs(&r->panels, 0)));
    r->blocks = num_divide_up(num_divide_up(r->tiles, BLOCK_TILES), members) * members;
    r->stripes = r->blocks <= r->tiles && all <= images * sizeof(item) ? members : 1;
    r->blocks = num_min(r->blocks, r->tiles);
}

void BYTE_KERNEL(RUN_LAYER)(const struct byte_layer *layer, const struct byte_operands *operands,
                            struct team *team)
{
    const struct conv *conv = &layer->conv;
    struct layer_run r = {.layer = layer,
                          .operands = operands,
                          .taps = taps_of(conv),
                          .extents = KERNEL(border_extents)(conv),
                          .channels = group_in(conv),
                          .panels = panels_of(conv),
                          .vec_size = vec_size(conv)};

    assert(conv->batch * conv->out.y * conv->out.x > 0 && layer->result <= RESULT_SUMS);
    divide(&r, team_size(team));
    r.saturation =
        saturation_of(layer, operands->factor,
                      conv->groups * (num_divide_up(group_out(conv), BYTE_PANEL) * BYTE_PANEL));
    prepare_source(&r, team);
#ifdef HOLDS_FEW
    if (has_few_weights(&r)) {
        run_few(&r, team);
        return;
    }
#endif
    team_share(team, conv->groups * r.parts * r.blocks, 1, do_blocks, &r);
}

const struct conv_kernel BYTE_KERNEL(LAYER) = {
    .name = LAYER_NAME,
    .fits = conv_fits_any,
    .packed_size = layer_packed_size,
    .pack = layer_pack,
    .scratch_size = layer_scratch_size,
};

#endif
