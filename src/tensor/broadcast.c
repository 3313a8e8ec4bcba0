/* broadcast.c - shapes widened by others; see broadcast.h for the rules */
#include "tensor/broadcast.h"

/* An unknown extent may turn out to be 1, so it yields to anything larger. */
static bool widen_extent(int64_t *to, int64_t with)
{
    if (*to == with || with == 1)
        return true;
    if (*to == 1 || *to == EXTENT_UNKNOWN) {
        *to = with;
        return true;
    }
    return with == EXTENT_UNKNOWN;
}

static bool fits_extent(int64_t to, int64_t with)
{
    return to == with || with == 1 || to == EXTENT_UNKNOWN || with == EXTENT_UNKNOWN;
}

/* `count` more dimensions of extent 1, in front or behind. */
static void lengthen(struct shape *shape, int count, bool in_front)
{
    for (int i = shape->rank - 1; in_front && i >= 0; i--)
        shape->extent[i + count] = shape->extent[i];
    for (int i = 0; i < count; i++)
        shape->extent[in_front ? i : shape->rank + i] = 1;
    shape->rank += count;
}

bool broadcast(enum broadcast_rule rule, struct shape *to, const struct shape *with, int *axis)
{
    bool from_last = rule != BROADCAST_NNEF;

    if (to->rank == RANK_UNKNOWN || with->rank == RANK_UNKNOWN) {
        to->rank = rule == BROADCAST_ONNX_ONE_WAY ? to->rank : RANK_UNKNOWN;
        return true;
    }
    if (to->rank < with->rank) {
        *axis = -1;
        if (rule == BROADCAST_ONNX_ONE_WAY)
            return false;
        lengthen(to, with->rank - to->rank, from_last);
    }
    for (int i = 0; i < with->rank; i++) {
        int at = from_last ? i + to->rank - with->rank : i;
        bool fits = rule == BROADCAST_ONNX_ONE_WAY ? fits_extent(to->extent[at], with->extent[i])
                                                   : widen_extent(&to->extent[at], with->extent[i]);
        *axis = at;
        if (!fits)
            return false;
    }
    return true;
}

bool broadcasts_to(const struct shape *from, const struct shape *to)
{
    struct shape wide = *to;
    int axis;

    return broadcast(BROADCAST_NNEF, &wide, from, &axis) && shape_compatible(&wide, to);
}
