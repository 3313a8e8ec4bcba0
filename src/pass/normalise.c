/*
 * normalise.c - one way of saying what NNEF can say in several
 *
 * Nodes that compute the same get the same attributes, so that others need to know one form only,
 * and find equal ones.  Sections 4.3 to 4.5 of the standard say what each form means.
 */
#include "op/op_build.h"
#include "op/window.h"
#include "pass/section.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Let the node have these attributes, a struct of its operator, unless it has them. */
static void settle(struct pass *pass, struct node *node, const void *attrs)
{
    assert(node->attrs && attrs);
    if (attrs_equal(node->op, node->attrs, attrs))
        return;
    op_restate(pass->graph, node, attrs);
    pass->changes++;
}

/* --- parts and borders -------------------------------------------------------------------- */

static void slice(struct pass *pass, struct node *node)
{
    struct section section = section_of_slice(node);
    struct section_lists lists;
    struct slice_attrs attrs = section_attrs(&lists, &section, node->in[0].value->shape);

    settle(pass, node, &attrs);
}

/* Padding that only takes away is a slice; the value matters to a constant border only. */
static void pad(struct pass *pass, struct node *node)
{
    struct pad_attrs attrs = *(const struct pad_attrs *)node->attrs;
    struct section section = section_whole(node->out[0].shape);
    bool adds = false, takes = false;

    assert(attrs.padding.count <= section.rank);
    for (int i = 0; i < attrs.padding.count; i++) {
        const int64_t *padding = attrs.padding.item[i];
        adds = adds || padding[0] > 0 || padding[1] > 0;
        takes = takes || padding[0] < 0 || padding[1] < 0;
        section.dim[i].first = -padding[0];
    }
    if (attrs.border != BORDER_CONSTANT)
        attrs.value = 0;
    if (takes && !adds)
        pass_replace(pass, &node->out[0], pass_slice(pass, node->in[0].value, &section));
    else
        settle(pass, node, &attrs);
}

/* Ratios without a common divisor. */
static void split(struct pass *pass, struct node *node)
{
    struct concat_attrs attrs = *(const struct concat_attrs *)node->attrs;
    const struct integers *ratios = attr_ratios(node);
    int64_t *reduced = pass_room(pass, ratios->count, sizeof *reduced), unit = 0;

    assert(is_op(node, OP_split));
    for (int i = 0; i < ratios->count; i++)
        for (int64_t b = ratios->item[i]; b != 0;) { /* Euclid: the rest becomes the divisor */
            int64_t rest = unit % b;
            unit = b;
            b = rest;
        }
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
static void reshape(struct pass *pass, struct node *node)
{
    const struct shape *from = node->in[0].value->shape, *to = node->out[0].shape;
    struct dim_list shape = {0};

    if (shape_volume(to) == 0)
        return; /* a 0 is no extent */
    while (shape.count < from->rank && shape.count < to->rank &&
           to->extent[shape.count] == from->extent[shape.count])
        list_add(&shape, 0);
    if (shape.count == to->rank - 1)
        list_add(&shape, -1);
    while (shape.count < to->rank)
        list_add(&shape, to->extent[shape.count]);
    settle(pass, node, &(struct reshape_attrs){.shape = list_integers(&shape), .axis_count = -1});
}

/* Axes that are a set, in ascending order; all those of a transpose, in their order. */
static void axes(struct pass *pass, struct node *node)
{
    struct dim_list list = list_of(attr_axes(node));

    /* A sum that is divided by the number of its items is a mean. */
    if (is_op(node, OP_sum_reduce) && attr_normalize(node)) {
        const struct recipe mean = {.op = OP_SPEC(mean_reduce, .axes = *attr_axes(node)),
                                    .in = {node->in[0].value}};
        pass_replace(pass, &node->out[0], pass_make(pass, &mean));
        return;
    }
    if (is_op(node, OP_transpose)) {
        while (list.count < node->out[0].shape->rank) /* dimensions that stay where they are */
            list_add(&list, list.count);
    } else {
        list_sort(&list);
    }
    const struct integers settled = list_integers(&list);
    if (integers_equal(attr_axes(node), &settled))
        return;
    unsigned char *attrs = pass_room(pass, (int64_t)node->op->attrs_size, 1);
    memcpy(attrs, node->attrs, node->op->attrs_size);
    *(struct integers *)(void *)(attrs + op_attr_row(node->op, ATTR_axes)->offset) = settled;
    settle(pass, node, attrs);
}

/* --- sliding windows (section 4.3) --------------------------------------------------------- */

enum { FILTER = 1, SPATIAL = 2 };

/* Does the extent of the larger side of the window follow from that of the smaller side and its
 * padding, so that this could be written out? */
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

/*
 * Strides and dilations that are all 1 need not be given.  Padding that is not given is automatic;
 * it can be written out where the same extents follow from it.
 */
static void windows(struct pass *pass, struct node *node)
{
    const struct window_attrs *attrs = node->attrs;
    const struct shape *input = node->in[0].value->shape;
    bool forward = is_op(node, OP_conv) || is_op(node, OP_quantized_conv);
    bool has_filter = forward || is_op(node, OP_deconv);
    struct window_source source = {
        .attrs = attrs,
        .input = input,
        .filter = has_filter ? node->in[FILTER].value->shape : NULL,
        .first = has_filter ? SPATIAL : 0,
        .rank = input->rank,
        .reverse = is_op(node, OP_deconv) || is_op(node, OP_debox) || is_op(node, OP_desample),
    };
    struct window_attrs settled = *attrs;
    struct pair_list padding = {0};

    if (source.rank <= source.first)
        return;
    struct window window = window_of(&source, node->out[0].shape);
    bool exact = true;
    assert(window.rank >= 1 && window.rank <= MAX_RANK);
    for (; padding.count < window.rank; padding.count++) {
        const struct window_dim *dim = &window.dim[padding.count];
        exact = exact && scales_exactly(dim, window.reverse, attrs->output_shape.count > 0);
        padding.item[padding.count][0] = dim->before;
        padding.item[padding.count][1] = dim->after;
    }
    if (attrs->padding.count == 0 && exact)
        settled.padding = list_pairs(&padding);
    if (integers_are_ones(&attrs->stride))
        settled.stride.count = 0;
    if (integers_are_ones(&attrs->dilation))
        settled.dilation.count = 0;
    if (forward && attrs->groups == 0) /* as many as input channels */
        settled.groups = input->extent[1];
    settle(pass, node, &settled);
}

/* --- min, max and clamp (section 4.2.4) ----------------------------------------------------- */

/*
 * clamp(x, a, b) is max(min(x, b), a) and nothing else.  The other order of minimum and maximum is
 * not the same if the bounds cross, and the other order of operands not for zeros of two signs.
 */
enum { LOW = 1, HIGH = 2 };

/* max(min(x, b), a), and relu, which is a maximum with 0. */
static void maximum(struct pass *pass, struct node *node)
{
    const struct node *least = made_by(node->in[0].value, OP_min);

    if (!least || !value_is_inner(pass, &least->out[0]) ||
        !value_may_replace(least->in[0].value, &node->out[0]))
        return;
    struct value *low = is_op(node, OP_relu) ? pass_literal(pass, 0) : node->in[1].value;
    const struct recipe clamp = {.op = op_plain(OP_clamp),
                                 .in = {least->in[0].value, low, least->in[1].value}};
    pass_replace(pass, &node->out[0], pass_make(pass, &clamp));
}

/* No item is less than negative infinity, or greater than infinity. */
static void clamp(struct pass *pass, struct node *node)
{
    struct value *x = node->in[0].value, *low = node->in[LOW].value, *high = node->in[HIGH].value;
    bool is_least = value_is_all(low, -HUGE_VAL);
    const struct recipe bounded = {.op = op_plain(is_least ? OP_min : OP_max),
                                   .in = {x, is_least ? high : low}};

    if ((is_least || value_is_all(high, HUGE_VAL)) && value_may_replace(x, &node->out[0]))
        pass_replace(pass, &node->out[0], pass_make(pass, &bounded));
}

/* --- the pass ----------------------------------------------------------------------------- */

typedef void rule(struct pass *pass, struct node *node);

/* All others by their attributes: windows, and axes that are a set. */
static rule *rule_of(const struct node *node)
{
    static rule *const rules[OP_COUNT + 1] = {
        [OP_slice] = slice, [OP_pad] = pad,      [OP_split] = split, [OP_reshape] = reshape,
        [OP_max] = maximum, [OP_relu] = maximum, [OP_clamp] = clamp,
    };
    rule *own = rules[node->op->id];

    if (own)
        return own;
    if (node_has_attr(node, ATTR_dilation))
        return windows;
    return node_has_attr(node, ATTR_axes) ? axes : NULL;
}

static const char *visit(struct pass *pass, struct node *node)
{
    rule *normalise = rule_of(node);

    if (normalise && pass_is_known(pass, node) && node_is_needed(pass, node) &&
        !node_is_pinned(pass, node))
        normalise(pass, node);
    return NULL;
}

const struct pass_desc pass_normalise_attributes = {
    .purpose = "write attributes in one way, where the standard has several",
    .visit = visit,
};
