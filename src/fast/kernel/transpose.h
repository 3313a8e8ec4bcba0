/* transpose.h - squares of LANES by LANES numbers, turned in registers */
#ifndef NNEFC_FAST_KERNEL_TRANSPOSE_H
#define NNEFC_FAST_KERNEL_TRANSPOSE_H

#include "fast/kernel/vector.h"

/* Lanes of the first or, from LANES on, of the second. */
ALWAYS_INLINE vec vec_pick(vec first, vec second, ints lanes)
{
#if defined __clang__
    vec picked;

    UNROLL
    for (int i = 0; i < LANES; i++)
        picked[i] = lanes[i] < LANES ? first[lanes[i]] : second[lanes[i] - LANES];
    return picked;
#else
    return __builtin_shuffle(first, second, lanes);
#endif
}

/* Swap what is off the diagonal of each pair of blocks of `step` by `step` numbers. */
ALWAYS_INLINE void swap_blocks(vec row[LANES], const int step)
{
    ints upper, lower;

    UNROLL
    for (int i = 0; i < LANES; i++) {
        upper[i] = i & step ? LANES + i - step : i;
        lower[i] = i & step ? LANES + i : i + step;
    }
    UNROLL
    for (int i = 0; i < LANES; i++) {
        if (i & step)
            continue;
        vec first = row[i], second = row[i + step];
        row[i] = vec_pick(first, second, upper);
        row[i + step] = vec_pick(first, second, lower);
    }
}

/* Lane j of row i becomes lane i of row j. */
ALWAYS_INLINE void vec_transpose(vec row[LANES])
{
    UNROLL
    for (int step = 1; step < LANES; step *= 2)
        swap_blocks(row, step);
}

#endif
