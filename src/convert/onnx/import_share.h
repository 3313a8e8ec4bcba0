/* import_share.h - what operators of several families are made of */
#ifndef NNEFC_CONVERT_ONNX_IMPORT_SHARE_H
#define NNEFC_CONVERT_ONNX_IMPORT_SHARE_H

#include "convert/onnx/import_make.h"

/* A convolution by the attributes of the node; bias NULL: none. */
struct entry *convolve(struct take *t, struct entry *x, struct entry *filter, struct entry *bias);

/* To the nearest integer, halves to the even one. */
struct entry *round_even(struct take *t, struct entry *x);

/* The weights of items along an axis, `to` by `from` of them, applied to x. */
struct entry *weigh_axis(struct take *t, struct entry *x, int axis, struct entry *weights);

/* `pads` items before and behind, for each dimension; negative ones take items away. */
struct entry *pad_with(struct take *t, struct entry *x, const int64_t (*pads)[2], double value);

/* Items of a known tensor along an axis. */
struct entry *pick_axis(struct take *t, struct entry *x, int axis, const int64_t *items, int count);

#endif
