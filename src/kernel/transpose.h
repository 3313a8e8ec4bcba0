/* transpose.h - squares of LANES by LANES numbers, turned in registers */
#ifndef NNEFC_KERNEL_TRANSPOSE_H
#define NNEFC_KERNEL_TRANSPOSE_H

#include "kernel/vector.h"

#include <stdbool.h>

/* 0, 1, 2, ... */
ALWAYS_INLINE ints vec_lanes(void)
{
    static const int32_t number[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    ints lanes;

    memcpy(&lanes, number, sizeof lanes);
    return lanes;
}

/* Lane i of the result is that lane of `first` or, from LANES on, of `second`. */
ALWAYS_INLINE vec vec_pick(vec first, vec second, ints lane)
{
#if defined __clang__
    vec picked;

    UNROLL
    for (int i = 0; i < LANES; i++)
        picked[i] = lane[i] < LANES ? first[lane[i]] : second[lane[i] - LANES];
    return picked;
#else
    return __builtin_shuffle(first, second, lane);
#endif
}

/* Swap the two blocks beside the diagonal of each square of two by two blocks of `step` by `step`
 * numbers. */
ALWAYS_INLINE void swap_blocks(vec row[LANES], const int step)
{
    ints lane = vec_lanes(), turn = (lane & step) != 0;
    ints upper = lane + (turn & (LANES - step)), lower = upper + step;

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

/* Load `wanted` rows of `count` items, `step` items apart, and zeros for the rest.  Items further
 * along the rows are fetched. */
ALWAYS_INLINE void vec_load_square(const float *from, int64_t step, int wanted, int count,
                                   vec row[LANES])
{
    enum { AHEAD = 64 };
    bool whole = count == LANES && wanted == LANES;

    if (whole) {
        UNROLL
        for (int i = 0; i < LANES; i++) {
            __builtin_prefetch(from + i * step + AHEAD);
            row[i] = vec_load(from + i * step);
        }
        return;
    }
    UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = i < wanted ? vec_load_some(from + i * step, count) : (vec){0};
}

#endif
