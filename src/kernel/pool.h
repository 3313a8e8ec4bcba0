/*
 * pool.h - maxima, sums and means over windows, channels stored last (NNEF 1.0.5, sections 4.3.2
 * and 4.3.3)
 *
 * Taps outside the image either do not count or are 0.  A maximum is NaN if a tap is (E27).
 */
#ifndef NNEFC_KERNEL_POOL_H
#define NNEFC_KERNEL_POOL_H

#include "kernel/conv.h"

enum pool_kind { POOL_MAX, POOL_SUM, POOL_MEAN };

struct image_pool {
    enum pool_kind kind;
    bool zeros;       /* taps outside count */
    struct conv conv; /* which reads and writes the same images; without groups and epilogue */
};

typedef void pool_run(const struct image_pool *pool, const float *src, float *dst,
                      struct team *team);

#endif
