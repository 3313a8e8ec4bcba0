/* reduction.c - see band.h */
#include "exec/reduction.h"

static bool is_among(const struct integers *axes, int64_t axis)
{
    for (int i = 0; i < axes->count; i++)
        if (axes->item[i] == axis)
            return true;
    return false;
}

bool band_of(const struct shape *shape, const struct integers *axes, enum layout layout,
             struct band *band)
{
    int64_t *part = &band->outer;

    *band = (struct band){1, 1, 1};
    for (int i = 0; i < shape->rank; i++) {
        int axis = layout_axis(shape->rank, layout, i);
        int64_t extent = shape->extent[axis];
        bool along = is_among(axes, axis);
        if (extent == 1)
            continue;
        if (along && part == &band->inner)
            return false;
        if (along)
            part = &band->length;
        else if (part == &band->length)
            part = &band->inner;
        *part *= extent;
    }
    return band->outer > 0 && band->length > 0 && band->inner > 0;
}
