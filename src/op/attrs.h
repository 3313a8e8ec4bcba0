/*
 * attrs.h - attributes of operators that their exporters read as well, decoded
 *
 * Those of sliding windows are in window.h, of recurrent networks in recurrent.h, of regions in
 * roi.h, of quantization in quantize.h, of products in matmul.h, of resizing in interpolate.h.
 */
#ifndef NNEFC_OP_ATTRS_H
#define NNEFC_OP_ATTRS_H

#include "op/attr.h"

struct concat_attrs {
    int64_t axis;
    struct integers ratios;
};

struct reshape_attrs {
    struct integers shape;
    int64_t axis_start, axis_count;
};

struct axes_attrs {
    struct integers axes;
};

struct transpose_attrs {
    struct integers axes;
};

struct slice_attrs {
    struct integers axes, begin, end, stride;
};

struct pad_attrs {
    struct pairs padding;
    int border;
    double value;
};

struct tile_attrs {
    struct integers repeats;
};

struct reduce_attrs {
    struct integers axes;
    bool normalize;
};

struct softmax_attrs {
    struct integers axes;
};

struct batch_normalization_attrs {
    double epsilon;
};

struct layer_normalization_attrs {
    struct integers axes;
    double epsilon;
};

struct attention_attrs {
    int64_t axis;
    double scale;
};

/* An 'end' of 0 means the end itself. */
bool slice_strides_are_one(const struct slice_attrs *attrs);

#endif
