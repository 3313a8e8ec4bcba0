/* range.h - the taps of a window that are inside an image, along one dimension */
#ifndef NNEFC_KERNEL_RANGE_H
#define NNEFC_KERNEL_RANGE_H

#include <assert.h>
#include <stdint.h>

/* first <= i < end; empty if these are equal. */
struct tap_range {
    int64_t first, end;
};

/* i, limited to 0 <= i <= most. */
static inline int64_t limit(int64_t i, int64_t most)
{
    return i < 0 ? 0 : i < most ? i : most;
}

/* The taps 0 <= k < taps that read one of `extent` items, at `from` + k * dilation. */
static inline struct tap_range taps_inside(int64_t from, int64_t dilation, int64_t taps,
                                           int64_t extent)
{
    assert(dilation > 0);
    int64_t first = from < 0 ? limit((-from + dilation - 1) / dilation, taps) : 0;
    int64_t end = extent > from ? limit((extent - 1 - from) / dilation + 1, taps) : 0;

    return (struct tap_range){first, end > first ? end : first};
}

#endif
