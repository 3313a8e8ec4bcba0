/*
 * epilogue.h - what a group does to the sums of its first node, a convolution or a product
 *
 *     result = activation(sums + residual)
 *
 * Sums include the bias.  Nearly all networks have no other operations there.
 */
#ifndef NNEFC_EXEC_EPILOGUE_H
#define NNEFC_EXEC_EPILOGUE_H

#include "exec/backend.h"
#include "kernel/epilogue.h"

struct tensor;

struct fused {
    const struct tensor *bias;    /* a constant added to products; see bias_of(); NULL: none */
    const struct value *residual; /* of the shape of the result; NULL: none */
    struct epilogue epilogue;
};

/* Read the nodes behind the first one; false if they do something else.  With `of_matrix` a bias of
 * the last dimension may be added, too. */
bool fused_of(const struct planner *planner, const struct group *group, bool of_matrix,
              struct fused *fused);

/*
 * A bias with an item for each of `channels`, which are dimension `axis` of the shape, or with one
 * item for all of them.  False if it is no constant, or has another shape.  *bias is NULL if the
 * one item is 0.
 */
bool bias_of(const struct planner *planner, const struct value *value, int axis, int64_t channels,
             const struct tensor **bias);

/* The sum of two biases, either of which may be NULL, with an item for each channel, in memory of
 * the plan or of all plans of the model; *sum is NULL if there is none.  False after a report. */
bool bias_make(struct planner *planner, const struct tensor *const bias[2], int64_t channels,
               const float **sum);

#endif
