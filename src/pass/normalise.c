/*
 * normalise.c - one way of saying what NNEF can say in several
 *
 * Nodes that compute the same get the same attributes, so that others need to know one form only,
 * and find equal ones.  What NNEF makes of the forms is in sections 4.3 to 4.5 of the standard.
 */
#include "pass/normalise.h"

#include "pass/attributes.h"
#include "pass/section.h"

static void replace_results(struct pass *pass, struct node *node, struct node *made)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (node->out[i].uses || value_stays(pass, &node->out[i]))
            pass_replace(pass, &node->out[i], &made->out[i]);
}

void settle(struct pass *pass, struct node *node, const struct recipe_attr *attrs)
{
    bool settled = true;

    for (const struct recipe_attr *a = attrs; a->name; a++) {
        struct datum now = node_attr(pass, node, a->name);
        settled = settled && datum_equal(&now, &a->value);
    }
    struct value *made = settled ? NULL : pass_remake(pass, node, NULL, attrs);
    if (made)
        replace_results(pass, node, made->producer);
}

/* --- parts and borders -------------------------------------------------------------------- */

static void slice(struct pass *pass, struct node *node)
{
    struct section section = section_of_slice(pass, node);
    struct recipe_attr attrs[SLICE_ATTRS];

    section_attrs(pass, &section, node->in[0].value->shape, attrs);
    settle(pass, node, attrs);
}

static void replace_by_slice(struct pass *pass, struct node *node, const struct pair_list *padding)
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
    struct pair_list padding = node_pairs(pass, node, "padding");
    bool adds = false, takes = false;

    for (int i = 0; i < padding.count; i++)
        for (int side = 0; side < 2; side++) {
            adds = adds || padding.item[i][side] > 0;
            takes = takes || padding.item[i][side] < 0;
        }
    if (takes && !adds)
        replace_by_slice(pass, node, &padding);
    else if (!node_has_word(pass, node, "border", "constant"))
        settle(pass, node, (struct recipe_attr[]){{"value", datum_of_number(0)}, {0}});
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
    struct datum ratios = node_attr(pass, node, "ratios");
    int64_t *reduced = pass_room(pass, ratios.count, sizeof *reduced), unit = 0;

    for (int i = 0; i < ratios.count; i++)
        unit = common_divisor(unit, ratios.items[i].integer);
    if (unit < 2)
        return;
    for (int i = 0; i < ratios.count; i++)
        reduced[i] = ratios.items[i].integer / unit;
    settle(pass, node,
           (struct recipe_attr[]){{"ratios", datum_of_list(pass, reduced, ratios.count)}, {0}});
}

/* --- shapes and axes ---------------------------------------------------------------------- */

/*
 * Leading extents that stay are inherited, and what is left of all others is one dimension if it can
 * be: so the same model takes batches of any size, if they are asked for.
 */
static struct list open_shape(const struct shape *from, const struct shape *to)
{
    struct list shape = {0};

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
    struct list shape = open_shape(node->in[0].value->shape, node->out[0].shape);

    if (shape_volume(node->out[0].shape) == 0)
        return; /* a 0 is no extent */
    settle(pass, node,
           (struct recipe_attr[]){{"shape", datum_of_list(pass, shape.item, shape.count)},
                                  {"axis_start", datum_of_integer(0)},
                                  {"axis_count", datum_of_integer(-1)},
                                  {0}});
}

/* Dimensions that stay where they are are listed, too. */
static void transpose(struct pass *pass, struct node *node)
{
    struct list axes = node_list(pass, node, "axes");

    while (axes.count < node->out[0].shape->rank)
        list_add(&axes, axes.count);
    settle(pass, node,
           (struct recipe_attr[]){{"axes", datum_of_list(pass, axes.item, axes.count)}, {0}});
}

/* Axes that are a set, in ascending order. */
static void axes(struct pass *pass, struct node *node)
{
    struct list list = node_list(pass, node, "axes");

    list_sort(&list);
    settle(pass, node,
           (struct recipe_attr[]){{"axes", datum_of_list(pass, list.item, list.count)}, {0}});
}

static void sum_reduce(struct pass *pass, struct node *node)
{
    if (!node_is_told(pass, node, "normalize")) {
        axes(pass, node);
        return;
    }
    struct value *mean =
        pass_make(pass, &(struct recipe){.op = OP_mean_reduce,
                                         .in = {node->in[0].value},
                                         .attr = {{"axes", node_attr(pass, node, "axes")}}});
    if (mean)
        pass_replace(pass, &node->out[0], mean);
}

/* --- the pass ----------------------------------------------------------------------------- */

static const struct rule {
    enum op_id op;
    void (*normalise)(struct pass *pass, struct node *node);
} rules[] = {
    {OP_slice, slice},
    {OP_pad, pad},
    {OP_split, split},
    {OP_reshape, reshape},
    {OP_squeeze, axes},
    {OP_unsqueeze, axes},
    {OP_transpose, transpose},
    {OP_sum_reduce, sum_reduce},
    {OP_max_reduce, axes},
    {OP_min_reduce, axes},
    {OP_argmax_reduce, axes},
    {OP_argmin_reduce, axes},
    {OP_all_reduce, axes},
    {OP_any_reduce, axes},
    {OP_mean_reduce, axes},
    {OP_softmax, axes},
    {OP_layer_normalization, axes},
    {OP_conv, normalise_window},
    {OP_deconv, normalise_window},
    {OP_box, normalise_window},
    {OP_debox, normalise_window},
    {OP_argmax_pool, normalise_window},
    {OP_sample, normalise_window},
    {OP_desample, normalise_window},
    {OP_max_pool_with_index, normalise_window},
    {OP_max_pool, normalise_window},
    {OP_avg_pool, normalise_window},
    {OP_rms_pool, normalise_window},
    {OP_max, normalise_maximum},
    {OP_relu, normalise_maximum},
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
}

const struct pass_desc pass_normalise_attributes = {
    .purpose = "write attributes in one way, where the standard has several",
    .visit = visit,
};
