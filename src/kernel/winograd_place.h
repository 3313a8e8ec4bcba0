/*
 * winograd_place.h - the tiles of Winograd's algorithm: squares of outputs of 3 x 3 taps
 *
 * Dilated taps make dilated tiles, see winograd_tiles_along().  Tiles overlap in their inputs.
 */
#ifndef NNEFC_KERNEL_WINOGRAD_PLACE_H
#define NNEFC_KERNEL_WINOGRAD_PLACE_H

#include "kernel/conv.h"

enum {
    WINOGRAD_TAPS = 3,
    WINOGRAD_LARGE = 4,                 /* outputs of the largest tile along a dimension */
    WINOGRAD_MOST = WINOGRAD_LARGE + 2, /* its inputs */
};

static inline bool winograd_fits(const struct conv *conv)
{
    const struct plane *kernel = &conv->kernel, *stride = &conv->stride;

    return conv->groups == 1 && kernel->y == WINOGRAD_TAPS && kernel->x == WINOGRAD_TAPS &&
           stride->y == 1 && stride->x == 1;
}

/* The tiles of an image, which have size * size outputs. */
static inline struct plane winograd_tiles(const struct conv *conv, int64_t size)
{
    return (struct plane){winograd_tiles_along(conv->out.y, conv->dilation.y, size),
                          winograd_tiles_along(conv->out.x, conv->dilation.x, size)};
}

/* A tile, in row-major order of the tiles of all images. */
struct tile_index {
    int64_t image, row, column;
};

static inline struct tile_index tile_at(const struct plane *tiles, int64_t index)
{
    const int64_t row = index / tiles->x;

    return (struct tile_index){row / tiles->y, row % tiles->y, index % tiles->x};
}

/* Go on to the next tile. */
static inline void tile_next(const struct plane *tiles, struct tile_index *tile)
{
    if (++tile->column < tiles->x)
        return;
    tile->column = 0;
    if (++tile->row < tiles->y)
        return;
    tile->row = 0;
    tile->image++;
}

/* The first output of a tile along a dimension. */
static inline int64_t first_output(int64_t tile, int64_t size, int64_t dilation)
{
    return dilation == 1 ? tile * size : tile / dilation * size * dilation + tile % dilation;
}

/* The first output of a tile, which may be beyond the image. */
static inline struct plane tile_place(const struct conv *conv, int64_t size,
                                      const struct tile_index *tile)
{
    return (struct plane){first_output(tile->row, size, conv->dilation.y),
                          first_output(tile->column, size, conv->dilation.x)};
}

#endif
