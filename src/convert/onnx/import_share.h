/* import_share.h - what operators of several families are made of */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_SHARE_H
#define NNEFC_CONVERT_ONNX_IMPORT_SHARE_H

#include "convert/onnx/import_make.h"

/* A convolution by the attributes of the node; bias NULL: none. */
struct imported *convolve(struct translation *t, struct imported *x, struct imported *filter,
                          struct imported *bias);

/* To the nearest integer, halves to the even one. */
struct imported *round_even(struct translation *t, struct imported *x);

/* The weights of items along an axis, `to` by `from` of them, applied to x. */
struct imported *weigh_axis(struct translation *t, struct imported *x, int axis,
                            struct imported *weights);

/* `pads` items before and behind, for each dimension; negative ones take items away. */
struct imported *pad_with(struct translation *t, struct imported *x, const int64_t (*pads)[2],
                          double value);

/* Items of a known tensor along an axis. */
struct imported *pick_axis(struct translation *t, struct imported *x, int axis,
                           const int64_t *items, int count);

#endif
