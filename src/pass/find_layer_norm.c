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

/* `node` divides by the deviation, or multiplies with its inverse. */
static const char *find_core(struct pass *pass, struct node *node)
{
    struct match match;

    if (!pattern_match(pass, &normalized, &node->out[0], &match) ||
        !value_may_replace(match.slot[X], &node->out[0]))
        return NULL;
    const struct value *number = match.slot[EPSILON];
    struct dim_list axes = list_of(attr_axes(match.slot[VARIANCE]->producer));
    bool same = true, last = axes.count > 0;
    int rank = node->out[0].shape->rank;
    if (!value_is_single(number) || !(value_item(number, 0) > 0))
        return "its epsilon is no positive number";
    /* The mean and the variance go along all of the last dimensions, and no others. */
    for (int i = 0; i < match.count; i++) {
        if (!is_op(match.node[i], OP_mean_reduce))
            continue;
        const struct integers *own = attr_axes(match.node[i]);
        same = same && own->count == axes.count;
        for (int k = 0; k < own->count; k++)
            same = same && list_has(&axes, own->item[k]);
    }
    for (int i = rank - axes.count; i < rank; i++)
        last = last && list_has(&axes, i);
    if (!same || !last)
        return same ? "its means are not along the last axes"
                    : "its means are along different axes";
    list_sort(&axes);
    const struct recipe recipe = {
        .op = OP_SPEC(layer_normalization, .axes = list_integers(&axes),
                      .epsilon = value_item(number, 0)),
        .in = {match.slot[X], pass_literal(pass, 1), pass_literal(pass, 0)}};
    pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
    return NULL;
}

/* --- scale and offset --------------------------------------------------------------------- */

enum { INPUT, SCALE, OFFSET };

/* `node` multiplies the result of `norm` with the constant, or adds it.  The constant has one item
 * for each of the items that are normalized together. */
static void find_affine(struct pass *pass, struct node *node, const struct node *norm,
                        struct value *constant)
{
    bool scales = is_op(node, OP_mul), fits = true;
    struct value *in[] = {norm->in[INPUT].value, norm->in[SCALE].value, norm->in[OFFSET].value};
    const struct integers *axes = attr_axes(norm);
    struct shape wanted = {0};

    assert(is_op(norm, OP_layer_normalization));
    if (!value_is_all(in[OFFSET], 0) || (scales && !value_is_all(in[SCALE], 1)))
        return;
    while (wanted.rank < MAX_RANK)
        wanted.extent[wanted.rank++] = 1;
    for (int i = 0; i < axes->count; i++)
        wanted.extent[axes->item[i]] = in[INPUT]->shape->extent[axes->item[i]];
    for (int i = 0; i < MAX_RANK; i++)
        fits = fits && shape_extent(constant->shape, i) == wanted.extent[i];
    if (!value_is_inner(pass, &norm->out[0])) {
        pass_left(pass, norm, "its result is needed elsewhere");
    } else if (!value_items(constant)) {
        pass_left(pass, norm, "what follows it is computed");
    } else if (!fits) {
        pass_left(pass, norm, "what follows it is not of the shape that is normalized");
    } else {
        in[scales ? SCALE : OFFSET] = constant;
        struct value *made = pass_remake(pass, norm, in, NULL);
        if (made && value_may_replace(made, &node->out[0]))
            pass_replace(pass, &node->out[0], made);
    }
}

static const char *visit(struct pass *pass, struct node *node)
{
    bool adds = is_op(node, OP_add), divides = is_op(node, OP_div);

    const struct node *first = made_by(node->in[0].value, OP_layer_normalization);
    const struct node *second = made_by(node->in[1].value, OP_layer_normalization);
    bool core = (!first && !second) || divides;
    if ((core && adds) || !pass_is_known(pass, node) || node_is_pinned(pass, node))
        return NULL;
    if (core)
        return find_core(pass, node);
    find_affine(pass, node, first ? first : second, node->in[first ? 1 : 0].value);
    return NULL;
}

const struct pass_desc pass_find_layer_norm = {
    .purpose = "find layer normalization",
    .ops = {OP_add, OP_mul, OP_div},
    .needs = {OP_mean_reduce, OP_layer_normalization},
    .visit = visit,
};
