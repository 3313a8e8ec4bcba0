/*
 * find_powers.c - operations that are powers, or means, in other words (sections 4.2.4 and 4.4)
 *
 *     sqr    pow(x, 2), x * x          rsqr   pow(x, -2), rcp(sqr(x)), 1 / sqr(x)
 *     sqrt   pow(x, 0.5)               rsqrt  pow(x, -0.5), rcp(sqrt(x)), 1 / sqrt(x)
 *     mean_reduce   sum_reduce(x) / n, sum_reduce(x) * (1 / n), for sums of n items
 */
#include "pass/attributes.h"
#include "pass/match.h"

#include <assert.h>
#include <math.h>

enum { X = 1, SUM, NUMBER };

static const struct pattern x = {.slot = X}, one = {.number = true, .is = 1};
static const struct pattern root = {.op = OP_sqrt, .in = {&x}}, square = {.op = OP_sqr, .in = {&x}};
static const struct pattern product = {.op = OP_mul, .in = {&x, &x}};
static const struct pattern over_root = {.op = OP_div, .in = {&one, &root}},
                            of_root = {.op = OP_rcp, .in = {&root}, .otherwise = &over_root};
static const struct pattern over_square = {.op = OP_div, .in = {&one, &square}},
                            of_square = {.op = OP_rcp, .in = {&square}, .otherwise = &over_square};

static const struct pattern number = {.slot = NUMBER, .fixed = true};
static const struct pattern sum = {.op = OP_sum_reduce, .in = {&x}, .slot = SUM};
static const struct pattern share = {.op = OP_div, .in = {&sum, &number}},
                            scaled = {.op = OP_mul, .in = {&sum, &number}, .either_way = true};

static void replace(struct pass *pass, struct node *node, enum op_id op, struct value *operand)
{
    if (!value_may_replace(operand, &node->out[0]))
        return;
    struct value *made = pass_make(pass, &(struct recipe){.op = op_plain(op), .in = {operand}});
    if (made)
        pass_replace(pass, &node->out[0], made);
}

static bool find(struct pass *pass, struct node *node, const struct pattern *pattern, enum op_id op)
{
    struct match match;

    if (!pattern_match(pass, pattern, &node->out[0], &match))
        return false;
    replace(pass, node, op, match.slot[X]);
    return true;
}

static void visit_pow(struct pass *pass, struct node *node)
{
    static const struct {
        double exponent;
        enum op_id op;
    } powers[] = {{2, OP_sqr}, {0.5, OP_sqrt}, {-2, OP_rsqr}, {-0.5, OP_rsqrt}};

    assert(is_op(node, OP_pow));
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++)
        if (value_is_all(node->in[1].value, powers[i].exponent)) {
            replace(pass, node, powers[i].op, node->in[0].value);
            return;
        }
}

/* The number of items that are summed up; what is multiplied with its inverse is not exact. */
static bool is_count(const struct match *match, bool divides)
{
    const struct value *value = match->slot[NUMBER];
    const struct shape *from = match->slot[X]->shape, *to = match->slot[SUM]->shape;

    if (!value_is_single(value) || !shape_known(from) || shape_volume(to) == 0)
        return false;
    double count = (double)shape_volume(from) / (double)shape_volume(to);
    double item = value_item(value, 0);
    return divides ? fabs(item - count) <= 0 : fabs(item * count - 1) <= 1e-6;
}

static bool find_mean(struct pass *pass, struct node *node)
{
    bool divides = is_op(node, OP_div);
    struct match match;

    if (!pattern_match(pass, divides ? &share : &scaled, &node->out[0], &match) ||
        !is_count(&match, divides) || !value_may_replace(match.slot[SUM], &node->out[0]))
        return false;
    const struct node *reduce = match.slot[SUM]->producer;
    if (attr_normalize(reduce))
        return false;
    struct value *mean =
        pass_make(pass, &(struct recipe){.op = OP_SPEC(mean_reduce, .axes = *attr_axes(reduce)),
                                         .in = {match.slot[X]}});
    return mean && pass_replace(pass, &node->out[0], mean);
}

static void visit(struct pass *pass, struct node *node)
{
    if (node_is_pinned(pass, node))
        return;
    if (is_op(node, OP_pow))
        visit_pow(pass, node);
    else if (is_op(node, OP_mul))
        (void)(find(pass, node, &product, OP_sqr) || find_mean(pass, node));
    else if (is_op(node, OP_rcp) || is_op(node, OP_div))
        (void)(find(pass, node, &of_root, OP_rsqrt) || find(pass, node, &of_square, OP_rsqr) ||
               (is_op(node, OP_div) && find_mean(pass, node)));
}

const struct pass_desc pass_find_powers = {
    .purpose = "find squares, roots, their reciprocals, and means",
    .visit = visit,
};
