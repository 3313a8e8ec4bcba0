/*
 * cascade.h - convolutions one after the other, a band of rows at a time
 *
 * A stage leaves a ring of rows for the next one, no more than that stage reads for a band of its
 * own, so that it stays in the cache of the processor.  Members of a team get segments of the last
 * results; at the border of two segments both compute the rows that both need.  Each item is summed
 * in the same order as by one convolution after the other.  Channels are stored last.
 */
#ifndef NNEFC_EXEC_CASCADE_H
#define NNEFC_EXEC_CASCADE_H

#include "kernel/conv.h"

enum { CASCADE_STAGES = 8 };

struct cascade_stage {
    const struct conv_kernel *kernel; /* NULL in a cascade that is not run: no scratch memory */
    struct conv conv;                 /* of whole images, stored densely */
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

/* Can a stage with that kernel follow another one?  The first stage may have any kernel that needs
 * no more scratch memory for rows within the image than for rows at its border. */
bool cascade_follows(const struct conv_kernel *kernel, const struct conv *conv);

/* Choose the rows of a band: as many as keep the memory of a member within `bytes`, at least one.
 * Reads the stages and their number, but not their weights. */
void cascade_fill(struct cascade *cascade, size_t bytes);

/* The share of additional work if `members` share the results of all images: 0.1 is 10 % more. */
double cascade_excess(const struct cascade *cascade, int members);

/* Bytes of scratch memory for so many members. */
size_t cascade_scratch_size(const struct cascade *cascade, int members);

/* Compute all images.  The team has no more members than the scratch memory was made for. */
void cascade_run(const struct cascade *cascade, const struct cascade_operands *operands,
                 struct team *team);

#endif
