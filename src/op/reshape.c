/*
 * reshape.c - the same items under another shape (section 4.5.1)
 *
 * reshape replaces the dimensions axis_start <= i < axis_start + axis_count of the input by
 * 'shape', in which 0 inherits an extent and -1 takes what is left; squeeze drops dimensions of
 * extent 1, unsqueeze inserts some.  The order of the items is the same everywhere.
 */
#include "op/broadcast.h"
#include "op/check.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>

/* --- reshape ---------------------------------------------------------------------------- */

/* Dimensions of the input that are replaced. */
struct reshaped_dims {
    int begin, count;
};

/*
 * The extents that 'shape' asks for; *rest is the place of -1, or -1.  An item 0 takes the extent
 * of the input at its place; beyond the rank a provisional shape has ones.
 */
static bool wanted_extents(const struct infer *infer, const struct reshaped_dims *range,
                           int64_t *extent, int *rest)
{
    const struct reshape_attrs *attrs = infer->attrs;

    *rest = -1;
    for (int i = 0; i < attrs->shape.count; i++) {
        int64_t item = attrs->shape.item[i];
        extent[i] = item == 0 ? shape_extent(infer_in(infer, 0), range->begin + i) : item;
        if (item == 0 && i >= range->count && !infer->graph->provisional)
            return infer_error(infer, "shape", DIAG_ITEM_VALUE,
                               "item %d of 'shape' of 'reshape' is 0, but only %d dimensions of "
                               "the input are reshaped",
                               i, range->count);
        if (item == -1 && *rest != -1)
            return infer_error(infer, "shape", DIAG_ITEM_VALUE,
                               "'shape' of 'reshape' has -1 at items %d and %d, expected one at "
                               "most",
                               *rest, i);
        if (item == -1)
            *rest = i;
    }
    return true;
}

/* Product without item `rest`; unknown if an extent is. */
static bool product(const int64_t *extent, int count, int rest, int64_t *volume)
{
    assert(count >= 0 && count <= MAX_RANK && rest < count);
    *volume = 1;
    for (int i = 0; i < count; i++)
        if (i != rest && extent[i] == EXTENT_UNKNOWN) {
            *volume = EXTENT_UNKNOWN;
            return true;
        }
    for (int i = 0; i < count; i++)
        if (i != rest && !num_mul(*volume, extent[i], volume))
            return false;
    return true;
}

/* The volume of what is replaced stays; it settles the -1. */
static bool settle_volume(const struct infer *infer, const struct reshaped_dims *range,
                          int64_t *extent, int rest)
{
    const struct reshape_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    int64_t old, new;
    bool fits = product(input->extent + range->begin, range->count, -1, &old) &&
                product(extent, attrs->shape.count, rest, &new);

    if (fits && (old == EXTENT_UNKNOWN || new == EXTENT_UNKNOWN))
        return true;
    if (fits && rest == -1 && old == new)
        return true;
    if (fits && rest != -1 && new > 0 && old % new == 0) {
        extent[rest] = old / new;
        return true;
    }
    if (!fits)
        return infer_error(infer, "shape", DIAG_VOLUME, "'shape' of 'reshape' is too large");
    return infer_error(infer, "shape", DIAG_VOLUME,
                       "'reshape' of %" PRId64 " items to a shape of %" PRId64 "%s", old, new,
                       rest == -1 ? "" : ", which does not divide them");
}

static bool reshape_infer(struct infer *infer)
{
    const struct reshape_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];
    struct reshaped_dims range = {0, input->rank};
    int rest, tail;

    /* The provisional dialect always replaces all dimensions. */
    if (!infer->graph->provisional) {
        if (attrs->axis_start < 0 || attrs->axis_start > input->rank)
            return infer_error(infer, "axis_start", DIAG_AXIS,
                               "'axis_start' of 'reshape' is %" PRId64 ", expected 0 to %d",
                               attrs->axis_start, input->rank);
        range.begin = (int)attrs->axis_start;
        range.count = input->rank - range.begin;
        if (attrs->axis_count < -1 || attrs->axis_count > range.count)
            return infer_error(infer, "axis_count", DIAG_AXIS,
                               "'axis_count' of 'reshape' is %" PRId64 ", expected -1 to %d",
                               attrs->axis_count, range.count);
        if (attrs->axis_count != -1)
            range.count = (int)attrs->axis_count;
    }
    tail = input->rank - range.begin - range.count;
    if (!check_rank_limit(infer, (int64_t)attrs->shape.count + range.begin + tail))
        return false;
    int64_t *extent = out->extent + range.begin;
    if (!wanted_extents(infer, &range, extent, &rest) ||
        !settle_volume(infer, &range, extent, rest))
        return false;
    for (int i = 0; i < range.begin; i++)
        out->extent[i] = input->extent[i];
    for (int i = 0; i < tail; i++)
        extent[attrs->shape.count + i] = input->extent[range.begin + range.count + i];
    out->rank = range.begin + attrs->shape.count + tail;
    return true;
}

/* --- squeeze and unsqueeze -------------------------------------------------------------- */

static bool squeeze_infer(struct infer *infer)
{
    const struct axes_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];

    if (!check_axes(infer, "axes", &attrs->axes, input->rank))
        return false;
    for (int i = 0; i < input->rank; i++)
        if (!integers_contain(&attrs->axes, i))
            out->extent[out->rank++] = input->extent[i];
        else if (extents_differ(input->extent[i], 1))
            return infer_error(infer, "axes", DIAG_EXTENT,
                               "'squeeze' of dimension %d, which has extent %" PRId64
                               ", expected 1",
                               i, input->extent[i]);
    return true;
}

static bool unsqueeze_infer(struct infer *infer)
{
    const struct axes_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];
    int from = 0;

    if (!check_rank_limit(infer, (int64_t)input->rank + attrs->axes.count))
        return false;
    out->rank = input->rank + attrs->axes.count;
    if (!check_axes(infer, "axes", &attrs->axes, out->rank))
        return false;
    for (int i = 0; i < out->rank; i++)
        out->extent[i] = integers_contain(&attrs->axes, i) ? 1 : input->extent[from++];
    return true;
}

/* --- descriptors ------------------------------------------------------------------------ */

#define RESHAPE(name)                                                        \
    DESCRIPTOR(name, OP_PARTIAL | OP_KEEPS_ORDER | OP_MOVES, .kind = "move", \
               .infer = name##_infer, .eval = eval_copy)

RESHAPE(reshape);
RESHAPE(squeeze);
RESHAPE(unsqueeze);
