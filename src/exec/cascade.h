/*
 * cascade.h - convolutions one after the other, a band of rows at a time
 *
 * What one leaves for the next is a ring of rows, no more than that reads for a band of its own, so
 * that it stays in the cache of the processor.  Rows of the last results are dealt to members in
 * segments; at the border of two segments both compute the rows that both need.  Each item is
 * summed in the same order as by one convolution after the other.  Images have their channels
 * stored last.
 */
#ifndef NNEFC_EXEC_CASCADE_H
#define NNEFC_EXEC_CASCADE_H

#include "kernel/conv.h"

enum { CASCADE_STAGES = 8 };

struct cascade_stage {
    const struct conv_kernel *kernel;
    struct conv conv; /* of whole images, stored densely */
    const float *packed, *bias;
};

struct cascade {
    struct cascade_stage stage[CASCADE_STAGES];
    int count;

    /* By cascade_fill(). */
    int64_t band;                 /* rows of the last results */
    int64_t rows[CASCADE_STAGES]; /* that there is room for of the results of a stage */
    size_t at[CASCADE_STAGES];    /* where they are in the memory of a member, in bytes */
    size_t scratch;               /* where the scratch memory of the kernels is */
    size_t member;                /* all of it */
};

struct cascade_operands {
    const float *src;
    const float *residual[CASCADE_STAGES]; /* of whole images; NULL: none */
    float *dst;    /* may be the last residual, but nothing else that is read */
    void *scratch; /* at a multiple of KERNEL_ALIGNMENT */
};

/* Can a stage with that kernel follow another one?  The first one may be any that needs no more
 * scratch memory for rows that lie within the image. */
bool cascade_follows(const struct conv_kernel *kernel, const struct conv *conv);

/* As many rows to a band as leave the memory of a member within so many bytes, one at least.  All
 * that is above that in the struct is there, but what was packed is not looked at. */
void cascade_fill(struct cascade *cascade, size_t bytes);

/* By how much more there is to compute, as a part, if the results of all images are shared among so
 * many. */
double cascade_excess(const struct cascade *cascade, int members);

size_t cascade_scratch_size(const struct cascade *cascade, int members);

void cascade_run(const struct cascade *cascade, const struct cascade_operands *operands,
                 struct team *team);

#endif
