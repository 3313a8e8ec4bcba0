/* layout.c - see layout.h */
#include "exec/layout.h"

enum { CHANNEL = 1 };

struct shape layout_shape(const struct shape *shape, int rank, enum layout layout)
{
    struct shape out = {.rank = rank};

    for (int axis = 0; axis < rank; axis++)
        out.extent[axis] = shape_extent(shape, axis);
    if (layout == LAYOUT_PLAIN || rank <= CHANNEL + 1)
        return out;
    for (int axis = CHANNEL; axis + 1 < rank; axis++)
        out.extent[axis] = shape_extent(shape, axis + 1);
    out.extent[rank - 1] = shape_extent(shape, CHANNEL);
    return out;
}

int layout_axis(int rank, enum layout layout, int place)
{
    if (layout == LAYOUT_PLAIN || place < CHANNEL || rank <= CHANNEL + 1)
        return place;
    return place + 1 < rank ? place + 1 : CHANNEL;
}

bool layout_is_moot(const struct shape *shape)
{
    return shape->rank <= CHANNEL + 1 || shape->extent[CHANNEL] == 1 ||
           shape_volume_range(shape, CHANNEL + 1, shape->rank) == 1;
}

const char *layout_name(enum layout layout)
{
    static const char *const names[LAYOUT_COUNT] = {"plain", "channels-last"};

    return names[layout];
}
