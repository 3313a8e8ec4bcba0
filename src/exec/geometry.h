/*
 * geometry.h - windows that slide over pictures, of one or two dimensions behind batch and channel
 */
#ifndef NNEFC_EXEC_GEOMETRY_H
#define NNEFC_EXEC_GEOMETRY_H

#include "exec/view.h"
#include "kernel/conv.h"
#include "op/window.h"

enum { FIRST_SLIDING = 2, MOST_SLIDING = 2 };

/* The geometry in both dimensions; that of y is of nothing where there is only one. */
struct geometry {
    struct plane in, out, kernel, stride, dilation, before;
};

bool is_image(const struct shape *in, const struct shape *out);

/* `first` is the dimension of the window that slides first. */
struct geometry geometry_of(const struct window *window, int first);

/* The steps of a picture that lies so; false if its channels do not follow each other. */
bool image_steps(const struct strided_view *view, const struct shape *shape, struct steps *steps);

/* Does any window that goes forward read beyond the input? */
bool window_is_exceeded(const struct window *window);

#endif
