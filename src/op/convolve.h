/*
 * convolve.h - what conv, deconv and deform_conv share (section 4.3.1)
 *
 * Down-scaled tensors are (B,c,x1,x2,..), up-scaled ones (B,C,X1,X2,..), filters
 * (c,C/groups,f1,f2,..); the first two dimensions do not slide.
 */
#ifndef NNEFC_OP_CONVOLVE_H
#define NNEFC_OP_CONVOLVE_H

#include "op/window.h"

enum { CONV_INPUT, CONV_FILTER, CONV_BIAS };

/*
 * Set *source from the operands and attributes.  Checks ranks and the number of items of each
 * attribute; the filter has taps, though perhaps no channels.
 */
bool conv_source(const struct infer *infer, bool reverse, struct window_source *source);

/*
 * The number of groups, from shapes that a shape rule has passed; 0 in the text stands for as many
 * as there are channels.  `in` and `out` are operand and result.  Without channels it is 1.
 */
static inline int64_t conv_groups(const struct shape *in, const struct shape *filter,
                                  const struct shape *out, bool reverse)
{
    int64_t each = shape_extent(filter, 1);

    return each > 0 ? shape_extent(reverse ? out : in, 1) / each : 1;
}

/* The number of groups that divides `batch`, the first extent of the filter. */
bool conv_check_groups(const struct infer *infer, int64_t groups, int64_t batch);

/* The bias adds one number per output channel. */
bool conv_check_bias(const struct infer *infer, int64_t channels);

/* Shape rule of conv, and of what has its operands first. */
bool conv_infer(struct infer *infer);

/* Reference kernel of conv and deconv. */
bool conv_eval(const struct eval *eval);

/* What a kernel convolves: items of the shapes that operands and result 0 have. */
struct convolve_items {
    const float *input, *filter;
    const float *bias;           /* a number for all or for each channel */
    const int64_t *integer_bias; /* instead of it; NULL: `bias` */
    float *output;
    int64_t *sums; /* instead of it, of whole numbers; NULL: `output` */
};

/* Sums are doubles, which hold whole numbers up to 2^53. */
void convolve_items(const struct eval *eval, const struct convolve_items *items);

#endif
