/* portable.h - the functions of the portable backend's files, for its table */
#ifndef NNEFC_BACKEND_PORTABLE_PORTABLE_H
#define NNEFC_BACKEND_PORTABLE_PORTABLE_H

#include "exec/backend.h"

struct image_pool;

/*
 * The functions of struct fast_op, by the file that has them:
 *
 *     block_product products with integers in blocks, which stay integers
 *     byte_group functions and maxima of the numbers of bytes (byte_table, byte_pool)
 *     quantized  layers of bytes, and what goes byte by byte (byte_layer, bytes)
 *     cascade    several convolutions, band by band
 *     chain      operators that go item by item, and chains of them
 *     conv       convolutions, transposed or not, with their epilogue
 *     matrix     products with a constant matrix, with their epilogue
 *     move       operators that compute nothing
 *     pool       maxima, sums and means over windows
 *     product    products of matrices of a run, and attention (one match for both)
 *     reduction  reductions, softmax (one match for both) and layer normalization
 *     upsample   multilinear upsampling (upsample, byte_upsample)
 */
#define MATCH(name)                                                                            \
    unsigned portable_##name##_match(const struct planner *planner, const struct group *group, \
                                     void *match);
#define MAKE(name)                                                                  \
    bool portable_##name##_make(struct planner *planner, const struct group *group, \
                                struct step *step);

MATCH(block_product)
MATCH(byte_layer)
MATCH(byte_pool)
MATCH(byte_sums)
MATCH(byte_table)
MATCH(byte_upsample)
MATCH(bytes)
MATCH(cascade)
MATCH(chain)
MATCH(conv)
MATCH(reduction)
MATCH(matrix)
MATCH(move)
MATCH(normalize)
MATCH(pool)
MATCH(product)
MATCH(upsample)
MAKE(attention)
MAKE(block_product)
MAKE(byte_layer)
MAKE(byte_pool)
MAKE(byte_sums)
MAKE(byte_table)
MAKE(byte_upsample)
MAKE(bytes)
MAKE(cascade)
MAKE(chain)
MAKE(conv)
MAKE(reduction)
MAKE(matrix)
MAKE(move)
MAKE(normalize)
MAKE(pool)
MAKE(product)
MAKE(softmax)
MAKE(upsample)

/* The windows of a max_pool, avg_pool or box over an image; false: kernels cannot do them. */
bool match_pool(const struct node *node, struct image_pool *pool);

#undef MATCH
#undef MAKE

#endif
