/* block_product.h - the findings of a match of block_matmul, for the table of the backend */
#ifndef NNEFC_BACKEND_PORTABLE_BLOCK_PRODUCT_H
#define NNEFC_BACKEND_PORTABLE_BLOCK_PRODUCT_H

#include "exec/epilogue.h"
#include "kernel/block_product.h"

struct block_match {
    struct block_product product; /* its extents */
    struct filter codes;          /* as the constant has them */
    const struct tensor *scale, *zero;
    struct fused fused;
};

/* The integers that codes of so many bits stand for; none of them: there are no such codes. */
struct filter_range block_codes(const struct block_match *match, int *bits);

#endif
