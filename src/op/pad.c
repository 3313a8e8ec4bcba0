/*
 * pad.c - a border around a tensor, or less of it (section 4.5.5)
 *
 * output[.., i, ..] = input[.., i - before, ..], outside the input as 'border' says; 'constant'
 * puts 'value' there.  Padding has one pair for each dimension, negative ones crop (E31).
 */
#include "op/check.h"
#include "op/remap.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>

static bool pad_infer(struct infer *infer)
{
    const struct pad_attrs *attrs = infer->attrs;
    const struct shape *input = infer_in(infer, 0);
    struct shape *out = &infer->out[0];
    bool ok = true;

    *out = *input;
    if (!check_count(infer, "padding", attrs->padding.count, out->rank))
        return false;
    for (int i = 0; i < out->rank; i++) {
        int64_t before = attrs->padding.item[i][0], after = attrs->padding.item[i][1];
        int64_t extent = input->extent[i], room = border_room((enum border)attrs->border, extent);
        int64_t *to = &out->extent[i];
        if (!num_add(extent, before, to) || !num_add(*to, after, to) || *to < (extent > 0))
            ok = infer_error(infer, "padding", DIAG_EXTENT,
                             "'pad' of extent %" PRId64 " by (%" PRId64 ",%" PRId64
                             ") in dimension %d leaves no positive extent",
                             extent, before, after, i);
        else if (before > room || after > room)
            ok = infer_error(infer, "padding", DIAG_ITEM_VALUE,
                             "'pad' by (%" PRId64 ",%" PRId64
                             ") in dimension %d, expected at most %" PRId64
                             " with border '%s' and extent %" PRId64,
                             before, after, i, room, border_words[attrs->border], extent);
    }
    return ok;
}

struct padding {
    const struct pad_attrs *attrs;
    const struct shape *input;
};

static int64_t pad_coordinate(const void *context, int axis, int64_t i)
{
    const struct padding *padding = context;
    int64_t extent = padding->input->extent[axis];
    int64_t from = i - padding->attrs->padding.item[axis][0];

    assert(axis >= 0 && axis < MAX_RANK);
    if (from >= 0 && from < extent)
        return from;
    return border_index((enum border)padding->attrs->border, from, extent);
}

static bool pad_eval(const struct eval *eval)
{
    const struct pad_attrs *attrs = eval->attrs;
    struct padding padding = {attrs, &eval->in[0]->shape};
    struct remap remap = {
        .coordinate = pad_coordinate, .context = &padding, .fill = (float)attrs->value};

    assert(eval->node->nin == 1);
    return remap_run(eval, &remap);
}

DESCRIPTOR(pad, OP_ANY_LAYOUT, .kind = "move", .infer = pad_infer, .eval = pad_eval);
