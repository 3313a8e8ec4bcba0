/*
 * block_product.h - products of matrices, of which the second one is codes of few bits in blocks
 *
 *     result[i, j] = activation(bias[j] + residual[i, j] +
 *         sum left[i, k] * (code[k, j] - zero[k / size, j]) * scale[k / size, j])
 *
 * Codes are packed once, as the filter of conv_of_matrices(), and stay codes: with few rows,
 * reading them takes most of the time.  Sums are floats, in an order that does not depend on the
 * threads.
 */
#ifndef NNEFC_KERNEL_BLOCK_PRODUCT_H
#define NNEFC_KERNEL_BLOCK_PRODUCT_H

#include "kernel/conv.h"
#include "tensor/quantization.h"

struct block_product {
    int64_t rows, depth, columns;
    int64_t size;          /* items of a block: a multiple of BLOCK_UNIT if there are more */
    int64_t blocks;        /* of the codes; depth is at most size * blocks */
    int bits;              /* of a code without sign: 4 or 8 */
    const void *codes;     /* packed with a depth of size * blocks */
    const float *scale;    /* packed by the direct convolution, with a depth of blocks */
    const uint8_t *zero;   /* in the same order, see zero_at(); NULL: all are zero_of_all */
    int64_t zero_of_all;   /* a code, too */
    const float *bias;     /* by column; NULL: none */
    const float *left;     /* [rows, depth] */
    const float *residual; /* lies like the result, which it may be; NULL: none */
    float *result;         /* [rows, columns] */
    void *scratch;         /* at a multiple of KERNEL_ALIGNMENT */
    const struct epilogue *epilogue;
};

struct block_kernels {
    /* Packers of codes, without a run().  The zero of the filter is taken from its integers, so
     * that codes begin with 0. */
    struct conv_kernel packing_4, packing_8;

    /* Bytes of scratch memory for a team of any size up to `members`. */
    size_t (*scratch_size)(const struct block_product *product, int members);
    void (*run)(const struct block_product *product, struct team *team);

    /* Zeros of all blocks and columns: how many there are, with gaps, and where one is. */
    int64_t (*zeros)(int64_t blocks, int64_t columns);
    int64_t (*zero_at)(const struct block_product *product, int64_t block, int64_t column);
};

#endif
