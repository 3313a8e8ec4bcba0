/*
 * product.h - products of two matrices that only a run knows; each call computes in one thread
 *
 * The caller has the second one packed first, as direct.c packs the filter of conv_of_matrices().
 */
#ifndef NNEFC_KERNEL_PRODUCT_H
#define NNEFC_KERNEL_PRODUCT_H

#include <stdint.h>

struct packed_product {
    int64_t rows, depth, columns;
    const float *left; /* items of a row follow each other */
    int64_t left_row;
    const float *packed;
    float *result;
    int64_t result_row;
};

typedef void product_run(const struct packed_product *product);

#endif
