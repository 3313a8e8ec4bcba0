/*
 * convolve.h - what conv and deconv share (section 4.3.1)
 *
 * Down-scaled tensors are (B,c,x1,x2,..), up-scaled ones (B,C,X1,X2,..), filters
 * (c,C/groups,f1,f2,..); the first two dimensions do not slide.
 */
#ifndef NNEFC_OP_CONVOLVE_H
#define NNEFC_OP_CONVOLVE_H

#include "op/window.h"

enum { CONV_INPUT, CONV_FILTER, CONV_BIAS };

/* Ranks and numbers of items; sets *source. */
bool conv_source(const struct infer *infer, bool reverse, struct window_source *source);

/* How many groups there are; 0 in the text stands for as many as channels. */
static inline int64_t conv_groups(const struct shape *in, const struct shape *filter,
                                  const struct shape *out, bool reverse)
{
    return shape_extent(reverse ? out : in, 1) / shape_extent(filter, 1);
}

/* The number of groups that divides `batch`, the first extent of the filter. */
bool conv_check_groups(const struct infer *infer, int64_t groups, int64_t batch);

/* The bias adds one number per output channel. */
bool conv_check_bias(const struct infer *infer, int64_t channels);

/* Reference kernel. */
bool conv_run(const struct eval *eval, bool reverse);

#endif
