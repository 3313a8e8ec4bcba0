/*
 * remap.h - results whose items are items of one operand, found dimension by dimension
 *
 * Transposing, slicing, padding, tiling and nearest sampling all say which input coordinate
 * belongs to a result coordinate of each dimension, independently of the others.
 */
#ifndef NNEFC_OP_REMAP_H
#define NNEFC_OP_REMAP_H

#include "op/window.h"

struct remap {
    /* Input coordinate for coordinate `i` of dimension `axis`, OUTSIDE to fill; NULL: the same. */
    int64_t (*coordinate)(const void *context, int axis, int64_t i);
    const void *context;
    const int64_t *axes; /* input dimension for each of the first `naxes`; others keep their own */
    int naxes;
    float fill; /* only results of type scalar are filled */
};

/* Make eval->out[0] of eval->in[0], which has as many dimensions or fewer. */
bool remap_run(const struct eval *eval, const struct remap *remap);

#endif
