/*
 * extent.h - numbers of an ONNX model that depend on open extents, computed when it runs
 *
 * A number is known by what it is in each sample.  One that is sum of multiples of extents, or a
 * multiple of their product, gets nodes, which stand at the beginning of the model: first Shape of
 * the input, then arithmetic; they are named by what they compute: "2*batch+1".
 */
#ifndef NNEFC_CONVERT_ONNX_EXTENT_H
#define NNEFC_CONVERT_ONNX_EXTENT_H

#include "convert/onnx/dynamic.h"

struct extents {
    struct onnx_out *out;
    const struct onnx_dynamic *dynamic;
    struct onnx_node_list nodes; /* to be put at the beginning */
    struct map names;            /* of the tensor, by interned text of what it computes */
};

/* Items of the same tensor in each sample: item `i` of sample `k` is at(tensors, k, i). */
struct samples_of {
    const struct onnx_tensor *const *tensor; /* INT64, of one shape */
    int count;                               /* items */
};

int64_t sample_item(const struct samples_of *tensors, int sample, int item);
bool sample_varies(const struct extents *extents, const struct samples_of *tensors, int item);

/* Is a number, which is value[k] in sample k, a sum of multiples of extents? */
bool extents_is_sum(const struct extents *extents, const int64_t *value);

/* The name of a tensor that is in each sample what `tensors` is; NULL if there is no way. */
const char *extents_tensor(struct extents *extents, const struct samples_of *tensors);

#endif
