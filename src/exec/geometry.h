/* geometry.h - windows over pictures with one or two dimensions behind batch and channel */
#ifndef NNEFC_EXEC_GEOMETRY_H
#define NNEFC_EXEC_GEOMETRY_H

#include "exec/view.h"
#include "kernel/conv.h"
#include "op/window.h"

enum { FIRST_SLIDING = 2, MOST_SLIDING = 2 };

/* Are both shapes (batch, channel, x) or (batch, channel, y, x)? */
bool is_image(const struct shape *in, const struct shape *out);

/* The geometry of a window over pictures of these shapes, channels last and without gaps; with one
 * dimension, y has one item.  Groups and epilogue are 0. */
struct conv geometry_of(const struct window *window, const struct shape *in,
                        const struct shape *out);

/* The steps of a picture under a view; false if neighbouring channels are not neighbours there. */
bool image_steps(const struct strided_view *view, const struct shape *shape, struct steps *steps);

/* Does any window that goes forward read beyond the input? */
bool window_is_exceeded(const struct window *window);

#endif
