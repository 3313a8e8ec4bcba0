/* shape.c - arithmetic on extents */
#include "tensor/shape.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

bool shape_volume_checked(const struct shape *shape, int64_t limit, int64_t *volume)
{
    int64_t product = 1;
    bool empty = false, any = false;

    assert(limit >= 0 && shape->rank <= MAX_RANK);
    for (int i = 0; i < shape->rank; i++) {
        int64_t extent = shape->extent[i];
        if (extent <= 0) {
            empty |= extent == 0;
            continue;
        }
        any = true;
        if (!num_mul(product, extent, &product))
            return false;
    }
    if (any && product > limit) /* more extents make no product less */
        return false;
    *volume = empty ? 0 : product;
    return true;
}

int64_t shape_volume_range(const struct shape *shape, int begin, int end)
{
    int64_t volume = 1;

    assert(begin >= 0 && end <= shape->rank);
    for (int i = begin; i < end; i++)
        volume *= shape->extent[i];
    return volume;
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

void shape_strides(const struct shape *shape, int64_t *stride)
{
    int64_t step = 1;

    assert(shape->rank >= 0 && shape->rank <= MAX_RANK);
    for (int i = shape->rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= shape->extent[i];
    }
}

int64_t shape_offset(const struct shape *shape, const int64_t *stride, int64_t index)
{
    int64_t offset = 0;

    assert(index >= 0);
    for (int i = shape->rank - 1; i >= 0; index /= shape->extent[i--])
        offset += index % shape->extent[i] * stride[i];
    return offset;
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

bool broadcast(enum broadcast_rule rule, struct shape *to, const struct shape *with, int *axis)
{
    bool from_last = rule != BROADCAST_NNEF, one_way = rule == BROADCAST_ONNX_ONE_WAY;

    assert(to->rank <= MAX_RANK && with->rank <= MAX_RANK);
    if (to->rank == RANK_UNKNOWN || with->rank == RANK_UNKNOWN) {
        to->rank = one_way ? to->rank : RANK_UNKNOWN;
        return true;
    }
    int lacking = with->rank > to->rank ? with->rank - to->rank : 0;
    *axis = -1;
    if (lacking > 0 && one_way)
        return false;
    for (int i = to->rank - 1; from_last && i >= 0; i--)
        to->extent[i + lacking] = to->extent[i];
    for (int i = 0; i < lacking; i++)
        to->extent[from_last ? i : to->rank + i] = 1;
    to->rank += lacking;
    for (int i = 0; i < with->rank; i++) {
        int at = from_last ? i + to->rank - with->rank : i;
        int64_t *wide = &to->extent[at], other = with->extent[i];
        bool unknown = *wide == EXTENT_UNKNOWN;
        *axis = at;
        if (*wide == other || other == 1)
            continue;
        /* An unknown extent may turn out to be 1, so it gives way to every larger one. */
        if (!one_way && (*wide == 1 || unknown))
            *wide = other;
        else if (other != EXTENT_UNKNOWN && !unknown)
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
