/*
 * normalise.c - one way of saying what NNEF can say in several
 *
 * Nodes that compute the same get the same attributes, so that others need to know one form only,
 * and find equal ones.  What NNEF makes of the forms is in sections 4.3 to 4.5 of the standard.
 */
#include "op/op_attr.h"
#include "op/window.h"
#include "pass/attributes.h"
#include "pass/section.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void replace_results(struct pass *pass, struct node *node, struct node *made)
{
    assert(node->nout == made->nout);
    for (uint32_t i = 0; i < node->nout; i++)
        if (node->out[i].uses || value_stays(pass, &node->out[i]))
            pass_replace(pass, &node->out[i], &made->out[i]);
}

/* Let the node have these attributes, a struct of its operator; nothing is done if it has them. */
static void settle(struct pass *pass, struct node *node, const void *attrs)
{
    bool settled = attrs_equal(node->op, node->attrs, attrs);
    struct value *made = settled ? NULL : pass_remake(pass, node, NULL, attrs);

    assert(node->attrs && attrs);
    if (made)
        replace_results(pass, node, made->producer);
}

/* --- parts and borders -------------------------------------------------------------------- */

static void slice(struct pass *pass, struct node *node)
{
    struct section section = section_of_slice(node);
    struct section_lists lists;
    struct slice_attrs attrs = section_attrs(&lists, &section, node->in[0].value->shape);

    settle(pass, node, &attrs);
}

static void replace_by_slice(struct pass *pass, struct node *node, const struct pairs *padding)
{
    struct section section = section_whole(node->out[0].shape);

    for (int i = 0; i < section.rank; i++)
        section.dim[i].first = -padding->item[i][0];
    struct value *part = pass_slice(pass, node->in[0].value, &section);
    if (part)
        pass_replace(pass, &node->out[0], part);
}

/* Padding that only takes away is a slice; the value matters to a constant border only. */
static void pad(struct pass *pass, struct node *node)
{
    struct pad_attrs attrs = *(const struct pad_attrs *)node->attrs;
    bool adds = false, takes = false;

    for (int i = 0; i < attrs.padding.count; i++)
        for (int side = 0; side < 2; side++) {
            adds = adds || attrs.padding.item[i][side] > 0;
            takes = takes || attrs.padding.item[i][side] < 0;
        }
    if (attrs.border != BORDER_CONSTANT)
        attrs.value = 0;
    if (takes && !adds)
        replace_by_slice(pass, node, &attrs.padding);
    else
        settle(pass, node, &attrs);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void split(struct pass *pass, struct node *node)
{
    struct concat_attrs attrs = *(const struct concat_attrs *)node->attrs;
    const struct integers *ratios = attr_ratios(node);
    int64_t *reduced = pass_room(pass, ratios->count, sizeof *reduced), unit = 0;

    assert(is_op(node, OP_split));
    for (int i = 0; i < ratios->count; i++)
        unit = common_divisor(unit, ratios->item[i]);
    if (unit < 2)
        return;
    for (int i = 0; i < ratios->count; i++)
        reduced[i] = ratios->item[i] / unit;
    attrs.ratios.item = reduced;
    settle(pass, node, &attrs);
}

/* --- shapes and axes ---------------------------------------------------------------------- */

/*
 * Leading extents that stay are inherited, and what is left of all others is one dimension if it
 * can be: so the same model takes batches of any size, if they are asked for.
 */
static struct dim_list open_shape(const struct shape *from, const struct shape *to)
{
    struct dim_list shape = {0};

    while (shape.count < from->rank && shape.count < to->rank &&
           to->extent[shape.count] == from->extent[shape.count])
        list_add(&shape, 0);
    if (shape.count == to->rank - 1)
        list_add(&shape, -1);
    while (shape.count < to->rank)
        list_add(&shape, to->extent[shape.count]);
    return shape;
}

static void reshape(struct pass *pass, struct node *node)
{
    struct dim_list shape = open_shape(node->in[0].value->shape, node->out[0].shape);

    if (shape_volume(node->out[0].shape) == 0)
        return; /* a 0 is no extent */
    settle(pass, node, &(struct reshape_attrs){.shape = list_integers(&shape), .axis_count = -1});
}

/* Dimensions that stay where they are are listed, too. */
static void transpose(struct pass *pass, struct node *node)
{
    struct dim_list axes = list_of(attr_axes(node));

    assert(is_op(node, OP_transpose));
    while (axes.count < node->out[0].shape->rank)
        list_add(&axes, axes.count);
    settle(pass, node, &(struct transpose_attrs){.axes = list_integers(&axes)});
}

/* Axes that are a set, in ascending order. */
static void axes(struct pass *pass, struct node *node)
{
    struct dim_list list = list_of(attr_axes(node));
    unsigned char *attrs = pass_room(pass, (int64_t)node->op->attrs_size, 1);

    list_sort(&list);
    memcpy(attrs, node->attrs, node->op->attrs_size);
    *(struct integers *)(void *)(attrs + op_attr_row(node->op, ATTR_axes)->offset) =
        list_integers(&list);
    settle(pass, node, attrs);
}

static void sum_reduce(struct pass *pass, struct node *node)
{
    if (!attr_normalize(node)) {
        axes(pass, node);
        return;
    }
    struct value *mean =
        pass_make(pass, &(struct recipe){.op = OP_SPEC(mean_reduce, .axes = *attr_axes(node)),
                                         .in = {node->in[0].value}});
    if (mean)
        pass_replace(pass, &node->out[0], mean);
}

/* --- sliding windows (section 4.3) --------------------------------------------------------- */

/*
 * Strides and dilations that are all 1 need not be given.  Padding that is not given is automatic;
 * it can be written out where the same extents follow from it.
 */
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
    assert(window->rank >= 1 && window->rank <= MAX_RANK);
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

static void normalise_window(struct pass *pass, struct node *node)
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

/* --- min, max and clamp (section 4.2.4) ----------------------------------------------------- */

/*
 * clamp(x, a, b) is max(min(x, b), a) and nothing else, also where there are NaNs.  The other order
 * of minimum and maximum, or of their operands, is not the same for them.
 */
enum { LOW = 1, HIGH = 2 };

static void normalise_maximum(struct pass *pass, struct node *node)
{
    const struct node *least = made_by(node->in[0].value, OP_min);

    if (!least || !value_is_inner(pass, &least->out[0]) ||
        !value_may_replace(least->in[0].value, &node->out[0]))
        return;
    struct value *low = is_op(node, OP_relu) ? pass_literal(pass, 0) : node->in[1].value;
    struct value *clamp =
        pass_make(pass, &(struct recipe){.op = op_plain(OP_clamp),
                                         .in = {least->in[0].value, low, least->in[1].value}});
    if (clamp)
        pass_replace(pass, &node->out[0], clamp);
}

static bool has_nan(const struct value *value)
{
    const struct tensor *items = value_items(value);
    int64_t volume = items ? shape_volume(&items->shape) : 0;

    for (int64_t i = 0; i < volume; i++)
        if (isnan(tensor_item(items, i)))
            return true;
    return !items;
}

/* No item is less than negative infinity.  Of a NaN, though, clamp makes its upper bound. */
static void normalise_clamp(struct pass *pass, struct node *node)
{
    struct value *low = node->in[LOW].value, *high = node->in[HIGH].value;

    if (value_is_all(high, HUGE_VAL) && !value_is_all(low, -HUGE_VAL))
        pass_left(pass, node, "its upper bound is infinite, but what it makes of NaN");
    if (!value_is_all(low, -HUGE_VAL) || has_nan(high))
        return;
    struct value *least =
        pass_make(pass, &(struct recipe){.op = op_plain(OP_min), .in = {node->in[0].value, high}});
    if (least)
        pass_replace(pass, &node->out[0], least);
}

/* --- the pass ----------------------------------------------------------------------------- */

/* All others by their attributes: windows, and axes that are a set. */
static const struct rule {
    enum op_id op;
    void (*normalise)(struct pass *pass, struct node *node);
} rules[] = {
    {OP_slice, slice},           {OP_pad, pad},
    {OP_split, split},           {OP_reshape, reshape},
    {OP_transpose, transpose},   {OP_sum_reduce, sum_reduce},
    {OP_max, normalise_maximum}, {OP_relu, normalise_maximum},
    {OP_clamp, normalise_clamp},
};

static void visit(struct pass *pass, struct node *node)
{
    if (!node_is_known(node) || !node_is_needed(pass, node) || node_is_pinned(pass, node))
        return;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (is_op(node, rules[i].op)) {
            rules[i].normalise(pass, node);
            return;
        }
    if (node_has_attr(node, ATTR_dilation))
        normalise_window(pass, node);
    else if (node_has_attr(node, ATTR_axes))
        axes(pass, node);
}

const struct pass_desc pass_normalise_attributes = {
    .purpose = "write attributes in one way, where the standard has several",
    .visit = visit,
};
