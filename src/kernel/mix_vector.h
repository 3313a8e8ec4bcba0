/* mix_vector.h - the means of mix.h, a vector at a time */
#ifndef NNEFC_KERNEL_MIX_VECTOR_H
#define NNEFC_KERNEL_MIX_VECTOR_H

#include "kernel/mix.h"
#include "kernel/vector.h"

/* Two lists of items, and the weights of each; `high` without a weight may be anything, even NaN.
 */
struct mix_pair {
    const float *low, *high;
    float rest, share;
    bool both;
};

static inline struct mix_pair mix_pair_of(const float *low, const float *high, float share)
{
    return (struct mix_pair){low, high, 1 - share, share, share != 0};
}

/* The pixels that a pixel is a mix of. */
static inline struct mix_pair mix_pair_at(const struct mixed_row *mixed, int64_t pixel)
{
    const struct pixel_mix *at = &mixed->pixels[pixel];
    const float *row = mixed->row, *zeros = mixed->zeros;

    return mix_pair_of(at->from[0] == MIX_ZEROS ? zeros : row + at->from[0],
                       at->from[1] == MIX_ZEROS ? zeros : row + at->from[1], at->share);
}

/* The mixes of so many items, from item `at` on. */
ALWAYS_INLINE vec mix_of(const struct mix_pair *pair, int64_t at, int lanes)
{
    const vec x = vec_load_most(pair->low + at, lanes) * pair->rest;

    return pair->both ? x + vec_load_most(pair->high + at, lanes) * pair->share : x;
}

#endif
