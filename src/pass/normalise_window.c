/*
 * normalise_window.c - sliding windows (section 4.3)
 *
 * Strides and dilations that are all 1 need not be given.  Padding that is not given is automatic; it
 * can be written out where the same extents follow from it.
 */
#include "pass/normalise.h"

#include "op/window.h"

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

/* The padding that is automatic, NONE if it cannot be said otherwise. */
static struct datum explicit_padding(struct pass *pass, const struct node *node,
                                     const struct window *window)
{
    const struct window_attrs *attrs = node->attrs;
    int64_t padding[MAX_RANK][2];

    for (int i = 0; i < window->rank; i++) {
        const struct window_dim *dim = &window->dim[i];
        if (!scales_exactly(dim, window->reverse, attrs->output_shape.count > 0))
            return (struct datum){.kind = DATUM_NONE};
        padding[i][0] = dim->before;
        padding[i][1] = dim->after;
    }
    return datum_of_pair_list(pass, (const int64_t(*)[2])padding, window->rank);
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
    struct recipe_attr change[RECIPE_ATTRS] = {{0}};
    int changes = 0;

    if (source.rank <= source.first)
        return;
    struct window window = window_of(&source, output);
    struct datum padding = attrs->padding.count ? (struct datum){.kind = DATUM_NONE}
                                                : explicit_padding(pass, node, &window);
    if (padding.kind != DATUM_NONE)
        change[changes++] = (struct recipe_attr){"padding", padding};
    if (are_ones(&attrs->stride))
        change[changes++] = (struct recipe_attr){"stride", datum_of_list(pass, NULL, 0)};
    if (are_ones(&attrs->dilation))
        change[changes++] = (struct recipe_attr){"dilation", datum_of_list(pass, NULL, 0)};
    if (is_depthwise(node))
        change[changes++] = (struct recipe_attr){"groups", datum_of_integer(input->extent[1])};
    settle(pass, node, change);
}
