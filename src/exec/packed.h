/*
 * packed.h - weights as convolutions want them: in the file of the model, or packed when a plan is
 * made
 *
 * What a file has is taken if it was packed by this nnefc for the kernels that are used here, by
 * the same algorithm for the same geometry; nothing else is asked, so that it does not matter for
 * which plan it was.
 */
#ifndef NNEFC_EXEC_PACKED_H
#define NNEFC_EXEC_PACKED_H

#include "kernel/conv.h"
#include "tensor/blocks.h"

struct arena;
struct planner;
struct value;

struct weight_packing {
    const struct conv_kernel *kernel;
    const struct conv *conv;
    struct filter filter;
    const struct value *weights; /* whose items the filter has */
};

/* NULL after a report. */
const float *packed_weights(struct planner *planner, const struct weight_packing *packing);

/* What is packed while a plan is made with it as an option; starts as packed_nothing(). */
struct packed_list {
    struct tensor_blocks blocks;
    struct arena *arena; /* of keys */
    int room;
};

struct packed_list packed_nothing(struct arena *arena);

/* Does it say that it was packed by this nnefc, for these kernels? */
bool packed_fits(const struct tensor_blocks *blocks);

#endif
