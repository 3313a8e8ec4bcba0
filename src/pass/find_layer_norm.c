/*
 * find_layer_norm.c - (x - mean) / sqrt(variance + epsilon) is layer_normalization, of the
 * extensions
 *
 * That is found first; a scale and an offset behind it are added to what was found.
 */
#include "pass/attributes.h"
#include "pass/match.h"

#include <assert.h>

enum { X = 1, EPSILON, VARIANCE };

static const struct pattern one = {.number = true, .is = 1}, two = {.number = true, .is = 2},
                            half = {.number = true, .is = 0.5},
                            minus_half = {.number = true, .is = -0.5};

static const struct pattern x = {.slot = X}, mean = {.op = OP_mean_reduce, .in = {&x}},
                            centered = {.op = OP_sub, .in = {&x, &mean}};

static const struct pattern power = {.op = OP_pow, .in = {&centered, &two}},
                            product = {.op = OP_mul,
                                       .in = {&centered, &centered},
                                       .otherwise = &power},
                            square = {.op = OP_sqr, .in = {&centered}, .otherwise = &product};

static const struct pattern epsilon = {.slot = EPSILON, .fixed = true},
                            variance = {.op = OP_mean_reduce, .in = {&square}, .slot = VARIANCE},
                            sum = {.op = OP_add, .in = {&variance, &epsilon}, .either_way = true};

static const struct pattern half_power = {.op = OP_pow, .in = {&sum, &half}},
                            deviation = {.op = OP_sqrt, .in = {&sum}, .otherwise = &half_power};
static const struct pattern inverse_power = {.op = OP_pow, .in = {&sum, &minus_half}},
                            inverse_root = {.op = OP_rsqrt,
                                            .in = {&sum},
                                            .otherwise = &inverse_power},
                            quotient = {.op = OP_div,
                                        .in = {&one, &deviation},
                                        .otherwise = &inverse_root},
                            reciprocal = {.op = OP_rcp, .in = {&deviation}, .otherwise = &quotient};

static const struct pattern scaled = {.op = OP_mul,
                                      .in = {&centered, &reciprocal},
                                      .either_way = true},
                            normalized = {
                                .op = OP_div, .in = {&centered, &deviation}, .otherwise = &scaled};

/* --- without scale and offset ------------------------------------------------------------- */

static bool are_last(const struct dim_list *axes, int rank)
{
    for (int i = rank - axes->count; i < rank; i++)
        if (!list_has(axes, i))
            return false;
    return axes->count > 0;
}

static bool are_same(const struct dim_list *a, const struct integers *b)
{
    for (int i = 0; i < b->count; i++)
        if (!list_has(a, b->item[i]))
            return false;
    return a->count == b->count;
}

/* NULL: it is one, along the axes of its variance. */
static const char *obstacle(const struct match *match, const struct dim_list *axes)
{
    const struct value *number = match->slot[EPSILON];

    if (!value_is_single(number) || !(value_item(number, 0) > 0))
        return "its epsilon is no positive number";
    for (int i = 0; i < match->count; i++)
        if (is_op(match->node[i], OP_mean_reduce) && !are_same(axes, attr_axes(match->node[i])))
            return "its means are along different axes";
    return are_last(axes, match->slot[X]->shape->rank) ? NULL
                                                       : "its means are not along the last axes";
}

static void find_core(struct pass *pass, struct node *node)
{
    struct match match;

    if (!pattern_match(pass, &normalized, &node->out[0], &match) ||
        !value_may_replace(match.slot[X], &node->out[0]))
        return;
    struct dim_list axes = list_of(attr_axes(match.slot[VARIANCE]->producer));
    const char *why = obstacle(&match, &axes);
    if (why) {
        pass_left(pass, node, "%s", why);
        return;
    }
    list_sort(&axes);
    struct value *made = pass_make(
        pass,
        &(struct recipe){.op = OP_SPEC(layer_normalization, .axes = list_integers(&axes),
                                       .epsilon = value_item(match.slot[EPSILON], 0)),
                         .in = {match.slot[X], pass_literal(pass, 1), pass_literal(pass, 0)}});
    if (made)
        pass_replace(pass, &node->out[0], made);
}

/* --- scale and offset --------------------------------------------------------------------- */

enum { INPUT, SCALE, OFFSET };

/* One number for each of the items that are normalized together. */
static const char *obstacle_to_affine(const struct pass *pass, const struct node *norm,
                                      const struct value *constant)
{
    struct dim_list axes = list_of(attr_axes(norm));
    const struct shape *input = norm->in[INPUT].value->shape;

    if (!value_is_inner(pass, &norm->out[0]))
        return "its result is needed elsewhere";
    if (!value_items(constant))
        return "what follows it is computed";
    for (int i = 0; i < MAX_RANK; i++) {
        int64_t extent = list_has(&axes, i) ? input->extent[i] : 1;
        if (shape_extent(constant->shape, i) != extent)
            return "what follows it is not of the shape that is normalized";
    }
    return NULL;
}

/* `node` multiplies the result with the constant, or adds it. */
static void find_affine(struct pass *pass, struct node *node, const struct node *norm,
                        struct value *constant)
{
    bool scales = is_op(node, OP_mul);
    struct value *in[] = {norm->in[INPUT].value, norm->in[SCALE].value, norm->in[OFFSET].value};

    assert(is_op(norm, OP_layer_normalization));
    if (!value_is_all(in[OFFSET], 0) || (scales && !value_is_all(in[SCALE], 1)))
        return;
    const char *why = obstacle_to_affine(pass, norm, constant);
    if (why) {
        pass_left(pass, norm, "%s", why);
        return;
    }
    in[scales ? SCALE : OFFSET] = constant;
    struct value *made = pass_remake(pass, norm, in, NULL);
    if (made && value_may_replace(made, &node->out[0]))
        pass_replace(pass, &node->out[0], made);
}

static void visit(struct pass *pass, struct node *node)
{
    bool scales = is_op(node, OP_mul);

    if ((!scales && !is_op(node, OP_add) && !is_op(node, OP_div)) || !node_is_known(node) ||
        node_is_pinned(pass, node))
        return;
    const struct node *first = made_by(node->in[0].value, OP_layer_normalization);
    const struct node *second = made_by(node->in[1].value, OP_layer_normalization);
    if ((first || second) && !is_op(node, OP_div))
        find_affine(pass, node, first ? first : second, node->in[first ? 1 : 0].value);
    else if (!is_op(node, OP_add))
        find_core(pass, node);
}

const struct pass_desc pass_find_layer_norm = {
    .purpose = "find layer normalization",
    .visit = visit,
};
