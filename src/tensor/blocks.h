/*
 * blocks.h - byte blocks that were derived from tensors, such as packed weights
 *
 * A planner makes a block from the items of one tensor and stores it under a key, so that the next
 * start need not make it again.  Files store blocks without knowing what the key means.  A reader
 * trusts neither: a block may hold any bytes.
 */
#ifndef NNEFC_TENSOR_BLOCKS_H
#define NNEFC_TENSOR_BLOCKS_H

#include <stddef.h>

struct tensor_block {
    const char *key;
    const void *source; /* the items of the tensor that it was made from */
    const void *items;
    size_t size; /* bytes of the block, at least 1 */
};

/* The blocks are views: the memory belongs to the code that made or mapped them. */
struct tensor_blocks {
    const char *maker; /* made all of them; any other maker ignores them */
    const char *kind;  /* the maker's name for this set, such as the variant of its kernels */
    struct tensor_block *block;
    int count;
};

#endif
