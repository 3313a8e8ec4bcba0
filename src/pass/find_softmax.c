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

static const char *obstacle(const struct match *match, const struct value *result)
{
    const struct node *sums = match->slot[SUM]->producer;
    const struct value *most = match->slot[MAXIMUM];

    if (attr_normalize(sums))
        return "its sum is a mean";
    if (most && !integers_equal(attr_axes(sums), attr_axes(most->producer)))
        return "its maximum is along other axes than its sum";
    return value_may_replace(match->slot[X], result) ? NULL : "its operands have other shapes";
}

static void visit(struct pass *pass, struct node *node)
{
    struct match match;

    if (!is_op(node, OP_div) || node_is_pinned(pass, node) ||
        !pattern_match(pass, &softmax, &node->out[0], &match))
        return;
    const char *why = obstacle(&match, &node->out[0]);
    if (why) {
        pass_left(pass, node, "%s", why);
        return;
    }
    const struct integers *axes = attr_axes(match.slot[SUM]->producer);
    struct value *made = pass_make(
        pass, &(struct recipe){.op = OP_SPEC(softmax, .axes = *axes), .in = {match.slot[X]}});
    if (made)
        pass_replace(pass, &node->out[0], made);
}

const struct pass_desc pass_find_softmax = {
    .purpose = "find softmax: exp(x) / sum(exp(x))",
    .visit = visit,
};
