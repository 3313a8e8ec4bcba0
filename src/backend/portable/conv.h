/*
 * conv.h - what is found out of convolutions and products when groups are matched, for their steps
 */
#ifndef NNEFC_BACKEND_PORTABLE_CONV_H
#define NNEFC_BACKEND_PORTABLE_CONV_H

#include "exec/cascade.h"
#include "exec/epilogue.h"
#include "kernel/conv.h"
#include "kernel/product.h"

struct value;

/* Of a group of one convolution and its epilogue. */
struct conv_match {
    struct conv conv; /* of images whose channels are stored last, densely */
    struct fused fused;
    struct filter filter;
    const struct value *weights; /* whose items the filter has */
    const struct tensor *bias;   /* NULL: none */
    bool is_transposed;
};

/* False if the group is not one convolution, transposed or not, and its epilogue. */
bool match_conv(const struct planner *planner, const struct group *group, struct conv_match *match);

/* The kernel that is likely to be the fastest. */
const struct conv_kernel *likely_kernel(const struct conv_match *r, bool exact);

/* As the kernel wants them. */
struct weights {
    const float *packed, *bias; /* bias: NULL if there is none */
};

/* False after a report. */
bool pack_conv(struct planner *planner, const struct conv_match *r,
               const struct conv_kernel *kernel, struct weights *to);

/* Of a group of one product with a constant matrix, and its epilogue. */
struct matrix_match {
    int64_t rows, depth, columns;
    struct matrix right;
    const struct tensor *bias; /* NULL: none */
    struct fused fused;
};

/* Of a group of several convolutions, each with its epilogue. */
struct cascade_match {
    struct group part[CASCADE_STAGES];
    struct conv_match conv[CASCADE_STAGES];
    int count;
};

#endif
