/*
 * blocks.h - what a graph file holds of tensors besides their items: the same in another form
 *
 * A block is made of the items of one tensor by a maker, for whom its key means something; this folder
 * knows neither.  What lies in a block is as little to be trusted as what lies in a tensor: any bytes.
 */
#ifndef NNEFC_CONVERT_GRAPHFILE_BLOCKS_H
#define NNEFC_CONVERT_GRAPHFILE_BLOCKS_H

#include <stddef.h>

struct native_block {
    const char *key;
    const void *source; /* the items of the tensor */
    const void *items;
    size_t size; /* bytes of the block, at least 1 */
};

struct native_blocks {
    const char *maker; /* all are of one; whoever is another does not look at them */
    const char *kind;  /* what it calls them */
    struct native_block *block;
    int count;
};

#endif
