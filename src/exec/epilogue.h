/*
 * epilogue.h - what a group does to the sums of its first node, a convolution or a product
 *
 *     result = activation(sums + residual)
 *
 * Sums include the bias.  It is what nearly all networks have.
 */
#ifndef NNEFC_EXEC_EPILOGUE_H
#define NNEFC_EXEC_EPILOGUE_H

#include "exec/backend.h"
#include "kernel/epilogue.h"

struct tensor;

struct fused {
    const struct tensor *bias;    /* see tail_of_matrix(); NULL: none */
    const struct value *residual; /* of the shape of the result; NULL: none */
    struct epilogue epilogue;
};

/* False if the nodes behind the first do something else. */
bool fused_of(const struct planner *planner, const struct group *group, struct fused *fused);

/* Of sums to which a constant may be added, too: a number for each item of the last dimension, or
 * one. */
bool fused_of_matrix(const struct planner *planner, const struct group *group, struct fused *fused);

/*
 * A bias of one item for each of `channels`, which stand in dimension `axis` of the shape; or of
 * one for all of them.  False if it is no constant, or of another shape.  *all is NULL if all are
 * 0.
 */
bool bias_of(const struct planner *planner, const struct value *value, int axis, int64_t channels,
             const struct tensor **bias);

/* One number for each channel: the bias, or that added to what is there. */
void bias_fill(const struct tensor *bias, int64_t channels, float *items);
void bias_add(const struct tensor *bias, int64_t channels, float *items);

#endif
