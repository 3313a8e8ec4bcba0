/*
 * conv.h - convolutions and products: the findings of a match, from which their steps are made
 */
#ifndef NNEFC_BACKEND_PORTABLE_CONV_H
#define NNEFC_BACKEND_PORTABLE_CONV_H

#include "exec/cascade.h"
#include "exec/epilogue.h"
#include "kernel/conv.h"

struct value;
struct window;

/* A group of one convolution and its epilogue, or of one product with a constant matrix, which is
 * conv_of_matrices(). */
struct conv_match {
    struct conv conv; /* of images whose channels are stored last, densely */
    struct fused fused;
    struct filter filter;        /* as the constant has it */
    const struct value *weights; /* that constant */
    const struct tensor *bias;   /* NULL: none */
    bool is_transposed;
    bool exact; /* only kernels that sum in full accuracy */
};

/* False if the group is not one convolution, transposed or not, and its epilogue. */
bool match_conv(const struct planner *planner, const struct group *group, struct conv_match *match);

/* Do windows stay so near to the image that its copy with borders is not much larger? */
bool is_near_image(const struct window *window, const struct shape *in, const struct shape *out);

/* The kernel that is likely to be the fastest of those that are accurate enough. */
const struct conv_kernel *likely_kernel(const struct planner *planner, const struct conv_match *r);

/* Weights in memory of the plan. */
struct weights {
    const float *packed; /* in the order of the kernel */
    const float *bias;   /* by output channel; NULL if there is none */
};

/* Pack weights and bias for the kernel.  False after a report. */
bool pack_conv(struct planner *planner, const struct conv_match *r,
               const struct conv_kernel *kernel, struct weights *to);

/* Read the source, and as operand 1 the residual, if there is one: the result may overwrite it.
 * False after a report. */
bool read_with_residual(struct planner *planner, const struct group *group, struct step *step,
                        const struct value *residual);

/* A group of several convolutions, each with its epilogue. */
struct cascade_match {
    struct group part[CASCADE_STAGES];
    struct conv_match conv[CASCADE_STAGES];
    int count;
};

enum { CASCADE_BAND = 256 << 10 /* bytes of the rows of a band, if one row takes no more */ };

/* Split the group into convolutions with what follows them, whose geometry is not set.  False if it
 * is not two or more convolutions, each of the result before it. */
bool cascade_split(const struct group *group, struct cascade_match *chain);

/* Is it faster than one convolution after the other?  `cascade` has the geometry of its stages, and
 * is filled. */
bool cascade_pays(const struct planner *planner, const struct cascade_match *chain,
                  const struct cascade *cascade);

#endif
