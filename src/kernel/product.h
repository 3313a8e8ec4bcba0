/*
 * product.h - products of two matrices that only a run knows; each call computes in one thread
 *
 * The caller packs the second one into panels (panel.h) first.
 */
#ifndef NNEFC_KERNEL_PRODUCT_H
#define NNEFC_KERNEL_PRODUCT_H

#include <stdint.h>

/* Item [k, j] is items[k * row + j * column]. */
struct matrix {
    const float *items;
    int64_t row, column;
};

struct packed_product {
    int64_t rows, depth, columns;
    const float *left; /* items of a row follow each other */
    int64_t left_row;
    const float *packed;
    float *result;
    int64_t result_row;
};

struct product_kernels {
    /* Items of the packed form, which is aligned to KERNEL_ALIGNMENT. */
    int64_t (*packed_size)(int64_t depth, int64_t columns);
    void (*pack)(const struct matrix *right, int64_t depth, int64_t columns, float *packed);
    void (*run)(const struct packed_product *product);
};

#endif
