/*
 * kernels.h - fast kernels, in variants for the instructions of several kinds of processors
 *
 * All variants compute the same but for rounding.  No variant can read what another has packed.
 * Tables are constant, so that any number of threads may use them.
 */
#ifndef NNEFC_KERNEL_KERNELS_H
#define NNEFC_KERNEL_KERNELS_H

#include "kernel/block_product.h"
#include "kernel/bytes.h"
#include "kernel/conv.h"
#include "kernel/map.h"
#include "kernel/mix.h"
#include "kernel/narrow.h"
#include "kernel/pool.h"
#include "kernel/product.h"
#include "kernel/reduction.h"

struct kernels {
    const char *name;                     /* generic, avx2, avx2_vnni, avx512, avx512_vnni */
    const struct conv_kernel *direct;     /* convolution of any geometry */
    const struct conv_kernel *depthwise;  /* each channel its own group */
    const struct conv_kernel *winograd_2; /* 3 x 3 taps, stride 1; error as direct's */
    const struct conv_kernel *winograd_4; /* fewer products, some three times the error */
    const struct conv_kernel *strassen;   /* products of matrices; some more error; or NULL */
    const struct conv_kernel *transposed; /* transposed convolution of any geometry */
    pool_run *pool;
    activate_items *activate;
    const struct maps *maps;
    const struct reduction_kernels *reductions;
    product_run *product;
    narrow_columns *narrow; /* products with a matrix that is not packed */
    mix_items *mix;
    mix_pixels *mix_pixels;
    const struct byte_kernels *bytes;
    const struct block_kernels *blocks; /* products with a matrix of codes in blocks */

    /* Multiply and add in registers only; returns the number of operations.  *result makes sure
     * that none is left out. */
    int64_t (*peak)(int64_t rounds, float *result);
};

/* Variant `i` of those that this processor can run, the fastest first; NULL behind the last one.
 * The environment variable NNEFC_KERNELS names the first one to consider. */
const struct kernels *kernels_variant(int i);

/* Bytes of scratch memory for a team of at most so many members: the system may refuse threads, and
 * fewer members may need more. */
size_t kernels_scratch(const struct conv_kernel *kernel, const struct conv *conv, int members);

/* Floating-point operations a second of so many threads that multiply and add in registers only:
 * the best rate within so many seconds.  0 threads: team_processors(). */
double kernels_peak(int threads, double seconds);

#endif
