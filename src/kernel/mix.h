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

/* --- bytes, exactly, by weights whose sums are powers of two -------------------------------- */

enum { MIX_MOST_BITS = 8 };

/* to[i] = weight[0] * from[0][i] + weight[1] * from[1][i], of bytes ^ flip; a list without a weight
 * is not read.  `to` has room for KERNEL_ALIGNMENT bytes more. */
typedef void mix_byte_items(uint16_t *to, const uint8_t *const from[2], const uint16_t weight[2],
                            uint8_t flip, int64_t count);

/* The like of struct pixel_mix; a pixel of zeros is one of the row, too. */
struct byte_mix {
    int64_t from[2];
    uint16_t weight[2];
};

/* The like of struct mixed_row: the row has mixes of bytes ^ flip, and the sum of all weights of a
 * byte of the result is 2^bits, 0 < bits <= MIX_MOST_BITS.  KERNEL_ALIGNMENT bytes behind each
 * pixel may be read.  Bytes less `zero` are rounded, halves to even numbers. */
struct mixed_byte_row {
    const uint16_t *row;
    int64_t channels;
    const struct byte_mix *pixels;
    int64_t count;
    int bits;
    uint8_t zero, flip;
};

typedef void mix_byte_pixels(uint8_t *to, const struct mixed_byte_row *mixed);

#endif
