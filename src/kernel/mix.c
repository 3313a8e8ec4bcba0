/* mix.c - the weighted mean of two lists of items, see mix.h */
#include "kernel/mix_vector.h"
#include "kernel/table.h"

#include <assert.h>

ALWAYS_INLINE void mix(float *to, const struct mix_pair *pair, int64_t count)
{
    for (int64_t i = 0; i < count; i += LANES) {
        const int lanes = count - i < LANES ? (int)(count - i) : LANES;
        vec_store_most(to + i, mix_of(pair, i, lanes), lanes);
    }
}

void KERNEL(mix)(float *to, const float *const from[2], float share, int64_t count)
{
    const struct mix_pair pair = mix_pair_of(from[0], from[1], share);

    assert(count >= 0 && to);
    mix(to, &pair, count);
}

ALWAYS_INLINE void mix_each(float *to, const struct mixed_row *mixed, const int64_t channels)
{
    const int64_t count = mixed->count;

    for (int64_t i = 0; i < count; i++, to += channels) {
        const struct mix_pair pair = mix_pair_at(mixed, i);
        mix(to, &pair, channels);
    }
}

/* A constant number of channels saves the inner loop. */
void KERNEL(mix_pixels)(float *to, const struct mixed_row *mixed)
{
    assert(mixed->count >= 0 && mixed->channels > 0);
    if (mixed->channels == LANES)
        mix_each(to, mixed, LANES);
    else
        mix_each(to, mixed, mixed->channels);
}
