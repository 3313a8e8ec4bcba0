/*
 * window.h - sliding windows as ONNX and PyTorch write them: lists for the spatial dimensions
 *
 * A reader fills in struct window_lists from its file.  The functions check the lists, lay the
 * window upon an input, with all padding explicit, and make the nodes.  Tensors are [batch,
 * channels, spatial...].
 */
#ifndef NNEFC_CONVERT_ONNX_WINDOW_H
#define NNEFC_CONVERT_ONNX_WINDOW_H

#include "convert/onnx/import_node.h"

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
    bool transposed; /* of convolutions */
    bool by_columns; /* of the indices of a pool: the first spatial dimension runs fastest */
};

/* --- operations of windows: the first result, NULL after a report --------------------------- */

/*
 * The filter is [outputs, channels / groups, spatial...], for the transposed one [channels,
 * outputs / groups, spatial...]; `bias` is [outputs], or NULL.  An empty list of sizes becomes that
 * of the filter.
 */
struct imported *build_conv(struct translation *t, struct imported *x, struct imported *filter,
                            struct imported *bias, struct window_lists *lists);

/* A convolution whose taps move; bias NULL: none, mask NULL: all taps count. */
struct deforming {
    struct imported *x, *filter, *bias, *offset, *mask;
    int64_t offset_groups;
};
struct imported *build_deform_conv(struct translation *t, const struct deforming *conv,
                                   struct window_lists *lists);

/* *index, unless NULL, becomes where in `x` the maxima are, as ONNX counts. */
struct imported *build_max_pool(struct translation *t, struct imported *x,
                                const struct window_lists *lists, struct imported **index);
struct imported *build_average_pool(struct translation *t, struct imported *x,
                                    const struct window_lists *lists, bool count_padding);

#endif
