/* mix.c - see mix.h */
#include "kernel/table.h"

static void scale(float *to, const float *from, float factor, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i] * factor;
}

void KERNEL(mix)(float *to, const float *const from[2], float share, int64_t count)
{
    const float *low = from[0], *high = from[1];
    float rest = 1 - share;
    int64_t i = 0;

    if (share == 0) {
        scale(to, low, rest, count);
        return;
    }
    for (; i + LANES <= count; i += LANES)
        vec_store(to + i, vec_load(low + i) * rest + vec_load(high + i) * share);
    for (; i < count; i++)
        to[i] = low[i] * rest + high[i] * share;
}
