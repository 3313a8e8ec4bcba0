/*
 * bytes_mix.c - means of bytes as bytes of the same scale and zero, see mix.h
 *
 * All is exact but for the rounding at the end: a half goes to the even step, as in 'quantize'.
 */
#include "kernel/bytes.h"
#include "kernel/pairs.h"
#include "kernel/table.h"

#include <assert.h>

enum { WIDTH = 2 * LANES };
typedef uint16_t mixes __attribute__((vector_size(4 * LANES)));

ALWAYS_INLINE mixes mixes_load(const uint16_t *from)
{
    mixes x;

    memcpy(&x, from, sizeof x);
    return x;
}

/* The lower bytes of the first `count` lanes. */
ALWAYS_INLINE void store_lower(uint8_t *to, mixes x, int64_t count)
{
    typedef uint8_t bytes __attribute__((vector_size(WIDTH)));
    const bytes lower = __builtin_convertvector(x, bytes);

    if (count >= WIDTH)
        memcpy(to, &lower, sizeof lower);
    else
        memcpy(to, &lower, (size_t)count);
}

void BYTE_KERNEL(mix_bytes)(uint16_t *to, const uint8_t *const from[2], const uint16_t weight[2],
                            uint8_t flip, int64_t count)
{
    const bool both = weight[1] != 0;
    const mixes flips = (mixes){0} + flip;

    for (int64_t i = 0; i < count; i += WIDTH) {
        const int wanted = (int)num_min(count - i, WIDTH);
        mixes x = ((mixes)pairs_of_bytes(from[0] + i, false, wanted) ^ flips) * weight[0];
        if (both)
            x += ((mixes)pairs_of_bytes(from[1] + i, false, wanted) ^ flips) * weight[1];
        memcpy(to + i, &x, sizeof x);
    }
}

/* How mixes become bytes. */
struct mean {
    int bits;
    mixes odd, nearly_half, flip;
};

ALWAYS_INLINE mixes mean_of(mixes x, const struct mean mean)
{
    const mixes is_odd = (x >> mean.bits ^ mean.odd) & 1;

    return (x + mean.nearly_half + is_odd) >> mean.bits ^ mean.flip;
}

ALWAYS_INLINE void mean_each(uint8_t *to, const struct mixed_byte_row *mixed,
                             const int64_t channels)
{
    const mixes none = {0};
    const struct mean mean = {
        .bits = mixed->bits,
        .odd = none + (uint16_t)(mixed->zero & 1),
        .nearly_half = none + (uint16_t)((1 << mixed->bits >> 1) - 1),
        .flip = none + mixed->flip,
    };
    const uint16_t *row = mixed->row;
    const struct byte_mix *at = mixed->pixels;

    for (int64_t i = 0, count = mixed->count; i < count; i++, at++, to += channels) {
        const uint16_t *low = row + at->from[0], *high = row + at->from[1];
        const mixes rest = none + at->weight[0], share = none + at->weight[1];
        for (int64_t c = 0; c < channels; c += WIDTH)
            store_lower(to + c,
                        mean_of(mixes_load(low + c) * rest + mixes_load(high + c) * share, mean),
                        channels - c);
    }
}

/* A constant number of channels saves the inner loop. */
void BYTE_KERNEL(mean_bytes)(uint8_t *to, const struct mixed_byte_row *mixed)
{
    assert(mixed->bits > 0 && mixed->bits <= MIX_MOST_BITS);
    if (mixed->channels == LANES)
        mean_each(to, mixed, LANES);
    else if (mixed->channels == WIDTH)
        mean_each(to, mixed, WIDTH);
    else if (mixed->channels % WIDTH == 0)
        mean_each(to, mixed, mixed->channels / WIDTH * WIDTH);
    else
        mean_each(to, mixed, mixed->channels);
}
