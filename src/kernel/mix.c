/* mix.c - the weighted mean of two lists of items, see mix_items() in kernels.h */
#include "kernel/table.h"

#include <assert.h>

void KERNEL(mix)(float *to, const float *const from[2], float share, int64_t count)
{
    const float *low = from[0], *high = from[1];
    float rest = 1 - share;
    int64_t i = 0;

    assert(count >= 0 && to);
    if (share == 0) { /* `high` may be anything, even NaN */
        for (; i < count; i++)
            to[i] = low[i] * rest;
        return;
    }
    for (; i + LANES <= count; i += LANES)
        vec_store(to + i, vec_load(low + i) * rest + vec_load(high + i) * share);
    for (; i < count; i++)
        to[i] = low[i] * rest + high[i] * share;
}
