/*
 * layout.h - in which order the items of a tensor lie while a plan runs
 *
 * NNEF has (batch, channel, x1, x2, ..) in row-major order, which is LAYOUT_PLAIN; with
 * LAYOUT_CHANNELS_LAST the same items lie as (batch, x1, x2, .., channel).
 */
#ifndef NNEFC_EXEC_LAYOUT_H
#define NNEFC_EXEC_LAYOUT_H

#include "tensor/shape.h"

#include <stdbool.h>

enum layout { LAYOUT_PLAIN, LAYOUT_CHANNELS_LAST, LAYOUT_COUNT };

/* Sets of layouts. */
enum { IN_PLAIN = 1 << LAYOUT_PLAIN, IN_CHANNELS_LAST = 1 << LAYOUT_CHANNELS_LAST };

/* Extents in the order of the layout, slowest first, of a shape that counts as one of `rank`. */
struct shape layout_shape(const struct shape *shape, int rank, enum layout layout);

/* Which dimension of NNEF the one at that place of the layout is. */
int layout_axis(int rank, enum layout layout, int place);

/* Do items of that shape lie alike in all layouts? */
bool layout_is_moot(const struct shape *shape);

/* Short name for plans and profiles: "plain", "channels-last". */
const char *layout_name(enum layout layout);

#endif
