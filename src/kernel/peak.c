/* peak.c - the fastest a processor can multiply and add: nothing but registers */
#include "kernel/table.h"

#include <assert.h>

/* Enough independent sums to hide how long one addition takes, few enough for the registers. */
enum { SUMS = LANES == 16 ? 24 : 12 };

int64_t KERNEL(peak)(int64_t rounds, float *result)
{
    vec sum[SUMS], x = vec_all(*result), y = vec_all(0.5F);

    assert(rounds > 0);
    UNROLL
    for (int i = 0; i < SUMS; i++)
        sum[i] = x * (float)i;
    for (int64_t round = 0; round < rounds; round++) {
        UNROLL
        for (int i = 0; i < SUMS; i++)
            sum[i] = sum[i] * y + x;
    }
    UNROLL
    for (int i = 1; i < SUMS; i++)
        sum[0] += sum[i];
    *result = sum[0][0];
    return rounds * SUMS * LANES * 2;
}
