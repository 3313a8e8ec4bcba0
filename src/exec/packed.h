/*
 * packed.h - weights in the order that convolutions read, from the file of the model or packed when
 * a plan is made
 *
 * Weights of a file serve if this nnefc has packed them for the kernels in use, by the same
 * algorithm and from the same filter.  The plan that they were packed for does not matter, nor do
 * the images that its steps read.
 */
#ifndef NNEFC_EXEC_PACKED_H
#define NNEFC_EXEC_PACKED_H

#include "kernel/conv.h"
#include "tensor/blocks.h"

struct arena;
struct planner;
struct tensor;
struct value;

struct weight_packing {
    const struct conv_kernel *kernel;
    const struct conv *conv;
    struct filter filter;
    const struct value *weights; /* the filter reads its items */
};

/* The form of a constant's integers. */
enum filter_form filter_form_of(const struct tensor *integers);

/* The packed weights, in memory of the plan or of the file; NULL after a report. */
const float *packed_weights(struct planner *planner, const struct weight_packing *packing);

/* Collects the weights that plans pack which have it as an option; starts as packed_nothing(). */
struct packed_list {
    struct tensor_blocks blocks;
    struct arena *arena; /* of keys */
};

struct packed_list packed_nothing(struct arena *arena);

/* Do the blocks claim that this nnefc has packed them, for these kernels? */
bool packed_fits(const struct tensor_blocks *blocks);

#endif
