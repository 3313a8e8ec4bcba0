/* interpolate.c - multilinear interpolation between the items of a grid */
#include "op/interpolate.h"

#include <assert.h>
#include <math.h>

double resize_coordinate(enum resize_method method, int64_t i, double in, int64_t out)
{
    double at = (double)i, count = (double)out;

    assert(out > 0);
    switch (method) {
    case RESIZE_METHOD_SYMMETRIC:
        return ((2 * at + 1) * in - count) / (2 * count);
    case RESIZE_METHOD_ASYMMETRIC:
        return at * in / count;
    case RESIZE_METHOD_ALIGNED:
        return out > 1 ? at * (in - 1) / (count - 1) : 0;
    }
    return 0;
}

static int64_t offset_of(int64_t i, enum border border, int64_t extent, int64_t pitch)
{
    int64_t in = i >= 0 && i < extent ? i : border_index(border, i, extent);

    return in == OUTSIDE ? OUTSIDE : in * pitch;
}

struct neighbours neighbours_of(double coordinate, enum border border, int64_t extent,
                                int64_t pitch)
{
    double low = floor(coordinate);
    int64_t i = (int64_t)low;

    assert(extent > 0);
    return (struct neighbours){.low = offset_of(i, border, extent, pitch),
                               .high = offset_of(i + 1, border, extent, pitch),
                               .share = coordinate - low};
}

double interpolate(const float *items, const struct neighbours *at, int rank)
{
    double sum = 0;

    assert(rank >= 0 && rank <= MAX_RANK);
    for (unsigned corner = 0; corner < 1U << rank; corner++) {
        double weight = 1;
        int64_t offset = 0;
        for (int i = 0; i < rank && weight > 0; i++) {
            bool high = corner >> i & 1U;
            int64_t at_i = high ? at[i].high : at[i].low;
            weight *= high ? at[i].share : 1 - at[i].share;
            if (at_i == OUTSIDE)
                weight = 0;
            offset += at_i;
        }
        if (weight > 0)
            sum += weight * (double)items[offset];
    }
    return sum;
}

double cubic_weight(double distance, double coefficient)
{
    double d = fabs(distance), c = coefficient;

    if (d <= 1)
        return ((c + 2) * d - (c + 3)) * d * d + 1;
    return d < 2 ? ((c * d - 5 * c) * d + 8 * c) * d - 4 * c : 0;
}
