/* shape.c - arithmetic on extents */
#include "tensor/shape.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

bool shape_known(const struct shape *shape)
{
    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] == EXTENT_UNKNOWN)
            return false;
    return shape->rank != RANK_UNKNOWN;
}

bool shape_volume_checked(const struct shape *shape, int64_t limit, int64_t *volume)
{
    int64_t product = 1;
    bool empty = false;

    assert(limit >= 0 && shape->rank <= MAX_RANK);
    for (int i = 0; i < shape->rank; i++) {
        int64_t extent = shape->extent[i];
        empty |= extent == 0;
        if (extent > 0 && (!num_mul(product, extent, &product) || product > limit))
            return false;
    }
    *volume = empty ? 0 : product;
    return true;
}

int64_t shape_volume(const struct shape *shape)
{
    int64_t volume = 0;
    bool fits = shape_volume_checked(shape, INT64_MAX, &volume);

    assert(fits && shape_known(shape));
    (void)fits;
    return volume;
}

int64_t shape_volume_range(const struct shape *shape, int begin, int end)
{
    int64_t volume = 1;

    assert(begin >= 0 && end <= shape->rank);
    for (int i = begin; i < end; i++)
        volume *= shape->extent[i];
    return volume;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    return shape_equal_but(a, b, -1);
}

bool shape_equal_but(const struct shape *a, const struct shape *b, int axis)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (i != axis && a->extent[i] != b->extent[i])
            return false;
    return true;
}

bool shape_compatible(const struct shape *a, const struct shape *b)
{
    if (a->rank == RANK_UNKNOWN || b->rank == RANK_UNKNOWN)
        return true;
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->extent[i] != b->extent[i] && a->extent[i] != EXTENT_UNKNOWN &&
            b->extent[i] != EXTENT_UNKNOWN)
            return false;
    return true;
}

int64_t shape_extent(const struct shape *shape, int axis)
{
    assert(axis >= 0);
    return axis < shape->rank ? shape->extent[axis] : 1;
}

void shape_strides(const struct shape *shape, int64_t *stride)
{
    int64_t step = 1;

    assert(shape->rank >= 0 && shape->rank <= MAX_RANK);
    for (int i = shape->rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= shape->extent[i];
    }
}

void shape_broadcast_strides(const struct shape *shape, const struct shape *to, int64_t *stride)
{
    shape_strides(shape, stride);
    for (int i = 0; i < to->rank; i++)
        if (i >= shape->rank || (shape->extent[i] == 1 && to->extent[i] != 1))
            stride[i] = 0;
}

char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_SIZE])
{
    int n = 0;

    if (shape->rank == RANK_UNKNOWN) {
        snprintf(text, SHAPE_TEXT_SIZE, "[...]");
        return text;
    }
    text[n++] = '[';
    for (int i = 0; i < shape->rank; i++) {
        size_t room = (size_t)(SHAPE_TEXT_SIZE - n);
        const char *comma = i ? "," : "";
        if (shape->extent[i] == EXTENT_UNKNOWN)
            n += snprintf(text + n, room, "%s?", comma);
        else
            n += snprintf(text + n, room, "%s%" PRId64, comma, shape->extent[i]);
    }
    text[n++] = ']';
    text[n] = '\0';
    return text;
}

/* --- broadcasting -------------------------------------------------------------------------- */

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
    assert(count >= 0 && shape->rank + count <= MAX_RANK);
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
