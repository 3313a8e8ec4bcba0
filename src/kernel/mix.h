/* mix.h - weighted means of items, and of the pixels of a row */
#ifndef NNEFC_KERNEL_MIX_H
#define NNEFC_KERNEL_MIX_H

#include <stdint.h>

/* to[i] = (1 - share) * from[0][i] + share * from[1][i]; a list without a share is not read. */
typedef void mix_items(float *to, const float *const from[2], float share, int64_t count);

/* A pixel as the mix of two of a row; from: the offset of each in the row, or MIX_ZEROS. */
struct pixel_mix {
    int64_t from[2];
    float share;
};

enum { MIX_ZEROS = -1 };

/* A row of `count` pixels, each a mix of two pixels of `row`; zeros: a pixel of zeros. */
struct mixed_row {
    const float *row, *zeros;
    int64_t channels;
    const struct pixel_mix *pixels;
    int64_t count;
};

/* Write the pixels one behind the other. */
typedef void mix_pixels(float *to, const struct mixed_row *mixed);

#endif
