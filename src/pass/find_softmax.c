/*
 * find_softmax.c - exp(x) / sum(exp(x)) is softmax (section 4.9.1)
 *
 * Usually the maximum is taken off first, which changes nothing but that no power becomes infinite.
 */
#include "pass/attributes.h"
#include "pass/match.h"

enum { X = 1, SUM, MAXIMUM };

static const struct pattern x = {.slot = X},
                            maximum = {.op = OP_max_reduce, .in = {&x}, .slot = MAXIMUM},
                            rest = {.op = OP_sub, .in = {&x, &maximum}, .otherwise = &x};
static const struct pattern power = {.op = OP_exp, .in = {&rest}},
                            sum = {.op = OP_sum_reduce, .in = {&power}, .slot = SUM};
static const struct pattern softmax = {.op = OP_div, .in = {&power, &sum}};

static const char *visit(struct pass *pass, struct node *node)
{
    struct match match;

    if (node_is_pinned(pass, node) || !pattern_match(pass, &softmax, &node->out[0], &match))
        return NULL;
    const struct node *sums = match.slot[SUM]->producer;
    const struct integers *axes = attr_axes(sums);
    const struct value *most = match.slot[MAXIMUM]; /* NULL if it is not taken off */
    if (attr_normalize(sums))
        return "its sum is a mean";
    if (most && !integers_equal(axes, attr_axes(most->producer)))
        return "its maximum is along other axes than its sum";
    if (!value_may_replace(match.slot[X], &node->out[0]))
        return "its operands have other shapes";
    const struct recipe recipe = {.op = OP_SPEC(softmax, .axes = *axes), .in = {match.slot[X]}};
    pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
    return NULL;
}

const struct pass_desc pass_find_softmax = {
    .purpose = "find softmax: exp(x) / sum(exp(x))",
    .ops = {OP_div},
    .needs = {OP_sum_reduce},
    .visit = visit,
};
