/*
 * window.h - sliding windows as ONNX and PyTorch write them: lists for the spatial dimensions
 *
 * A reader fills in struct window_lists from its file.  window_read() checks the lists and lays the
 * window upon an input, with all padding explicit, as the struct window of op/window.h.  The
 * functions build_...() make the nodes.  Tensors are [batch, channels, spatial...].
 */
#ifndef NNEFC_CONVERT_ONNX_WINDOW_H
#define NNEFC_CONVERT_ONNX_WINDOW_H

#include "convert/onnx/import_node.h"
#include "op/window.h"

enum auto_pad {
    PAD_AS_TOLD,    /* by `pads`; other ways ignore them */
    PAD_SAME_UPPER, /* as many results as strides fit into the input; an odd item goes behind */
    PAD_SAME_LOWER, /* ... in front */
    PAD_NONE,
};

/* What a node says of its windows.  A list without items stands for the usual numbers. */
struct window_lists {
    struct integers size, stride, dilation; /* usually: none, which is a fault; 1; 1 */
    struct integers pads;                   /* in front of all dimensions, then behind all */
    enum auto_pad auto_pad;
    bool ceil_mode; /* a last window may end beyond the padding, if it begins before its end */
    struct integers more, output; /* of transposed convolutions: output_padding, output_shape */
    int64_t groups;
    bool by_columns; /* of the indices of a pool: the first spatial dimension runs fastest */
};

/*
 * The window of dimensions 2 and on of `x`.  `in`, `size`, `stride`, `dilation`, `before` and
 * `after` of each are set, and `out` if the window is not transposed.  False after a report.
 */
bool window_read(struct translation *t, const struct window_lists *lists, const struct shape *x,
                 struct window *window);

/* Has the last window cells beyond the padding that was asked for? */
bool window_sticks_out(const struct window_lists *lists, const struct window *window);

/* The padding and `out` of a transposed convolution, and how many items more[i] it has behind
 * what its input reaches.  False after a report. */
bool window_transpose(struct translation *t, const struct window_lists *lists,
                      struct window *window, int64_t *more);

/* With size, padding, stride and dilation.  `first` dimensions in front of the window's do not
 * slide. */
struct window_attrs window_attributes(struct translation *t, const struct window *window, int first,
                                      bool has_size);

/* --- operations of windows: the first result, NULL after a report --------------------------- */

/*
 * The filter is [outputs, channels / groups, spatial...], for the transposed one [channels,
 * outputs / groups, spatial...]; `bias` is [outputs], or NULL.  An empty list of sizes becomes that
 * of the filter.
 */
struct imported *build_conv(struct translation *t, struct imported *x, struct imported *filter,
                            struct imported *bias, struct window_lists *lists);
struct imported *build_conv_transpose(struct translation *t, struct imported *x,
                                      struct imported *filter, struct imported *bias,
                                      struct window_lists *lists);

/* *index, unless NULL, becomes where in `x` the maxima are, as ONNX counts. */
struct imported *build_max_pool(struct translation *t, struct imported *x,
                                const struct window_lists *lists, struct imported **index);
struct imported *build_average_pool(struct translation *t, struct imported *x,
                                    const struct window_lists *lists, bool count_padding);
struct imported *build_lp_pool(struct translation *t, struct imported *x,
                               const struct window_lists *lists, double power);

#endif
