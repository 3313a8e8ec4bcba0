/* mix.c - the weighted mean of two lists of items, see mix_items() in kernels.h */
#include "kernel/table.h"

#include <assert.h>

ALWAYS_INLINE void mix(float *to, const float *low, const float *high, float share, int64_t count)
{
    const float rest = 1 - share;
    const bool both = share != 0; /* else `high` may be anything, even NaN */

    for (int64_t i = 0; i < count; i += LANES) {
        const int lanes = count - i < LANES ? (int)(count - i) : LANES;
        vec x = vec_load_most(low + i, lanes) * rest;
        if (both)
            x += vec_load_most(high + i, lanes) * share;
        vec_store_most(to + i, x, lanes);
    }
}

void KERNEL(mix)(float *to, const float *const from[2], float share, int64_t count)
{
    assert(count >= 0 && to);
    mix(to, from[0], from[1], share, count);
}

ALWAYS_INLINE void mix_each(float *to, const struct mix_row *row, const struct pixel_mix *at,
                            int64_t count, const int64_t channels)
{
    for (int64_t i = 0; i < count; i++, to += channels) {
        const float *from[2];
        for (int side = 0; side < 2; side++)
            from[side] = at[i].from[side] == MIX_ZEROS ? row->zeros : row->row + at[i].from[side];
        mix(to, from[0], from[1], at[i].share, channels);
    }
}

/* A constant number of channels saves the inner loop. */
void KERNEL(mix_pixels)(float *to, const struct mix_row *row, const struct pixel_mix *at,
                        int64_t count)
{
    assert(count >= 0 && row->channels > 0);
    if (row->channels == LANES)
        mix_each(to, row, at, count, LANES);
    else
        mix_each(to, row, at, count, row->channels);
}
