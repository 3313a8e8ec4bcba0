/*
 * normalise_window.c - sliding windows (section 4.3)
 *
 * Strides and dilations that are all 1 need not be given.  Padding that is not given is automatic; it
 * can be written out where the same extents follow from it.
 */
#include "pass/normalise.h"

#include "op/window.h"
#include "pass/attributes.h"

enum { FILTER = 1, SPATIAL = 2 };

static bool has_filter(const struct node *node)
{
    return is_op(node, OP_conv) || is_op(node, OP_deconv);
}

static bool is_reverse(const struct node *node)
{
    return is_op(node, OP_deconv) || is_op(node, OP_debox) || is_op(node, OP_desample);
}

/* Extent of the larger side of the window, from what it is scaled down to, fits that padding? */
static bool scales_exactly(const struct window_dim *dim, bool reverse, bool shape_given)
{
    int64_t size = window_reach(dim), padding = dim->before + dim->after;
    int64_t small = reverse ? dim->in : dim->out, large = reverse ? dim->out : dim->in;

    if (small <= 0 || padding + large < size)
        return false;
    if (reverse && !shape_given)
        return (small - 1) * dim->stride + size - padding == large;
    return (padding + large - size) / dim->stride + 1 == small;
}

/* The padding that is automatic; false if it cannot be said otherwise. */
static bool explicit_padding(const struct window_attrs *attrs, const struct window *window,
                             struct pair_list *padding)
{
    padding->count = window->rank;
    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        if (!scales_exactly(dim, window->reverse, attrs->output_shape.count > 0))
            return false;
        padding->item[i][0] = dim->before;
        padding->item[i][1] = dim->after;
    }
    return true;
}

static bool are_ones(const struct integers *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i] != 1)
            return false;
    return list->count > 0;
}

/* As many groups as there are input channels, which 0 stands for. */
static bool is_depthwise(const struct node *node)
{
    return is_op(node, OP_conv) && ((const struct window_attrs *)node->attrs)->groups == 0;
}

void normalise_window(struct pass *pass, struct node *node)
{
    const struct window_attrs *attrs = node->attrs;
    const struct shape *input = node->in[0].value->shape, *output = node->out[0].shape;
    struct window_source source = {
        .attrs = attrs,
        .input = input,
        .filter = has_filter(node) ? node->in[FILTER].value->shape : NULL,
        .first = has_filter(node) ? SPATIAL : 0,
        .rank = input->rank,
        .reverse = is_reverse(node),
    };
    struct window_attrs settled = *attrs;
    struct pair_list padding;

    if (source.rank <= source.first)
        return;
    struct window window = window_of(&source, output);
    if (attrs->padding.count == 0 && explicit_padding(attrs, &window, &padding))
        settled.padding = list_pairs(&padding);
    if (are_ones(&attrs->stride))
        settled.stride.count = 0;
    if (are_ones(&attrs->dilation))
        settled.dilation.count = 0;
    if (is_depthwise(node))
        settled.groups = input->extent[1];
    settle(pass, node, &settled);
}
