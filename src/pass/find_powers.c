/*
 * find_powers.c - operations that are powers, or means, in other words (sections 4.2.4 and 4.4)
 *
 *     sqr    pow(x, 2), x * x          rsqr   pow(x, -2), rcp(sqr(x)), 1 / sqr(x)
 *     sqrt   pow(x, 0.5)               rsqrt  pow(x, -0.5), rcp(sqrt(x)), 1 / sqrt(x)
 *     mean_reduce   sum_reduce(x) / n, sum_reduce(x) * (1 / n), for sums of n items
 */
#include "pass/attributes.h"
#include "pass/match.h"

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

/* A sum divided by the number of items that it adds up, or multiplied with the inverse of it. */
static void find_mean(struct pass *pass, struct node *node)
{
    bool divides = is_op(node, OP_div);
    struct match match;

    if (!pattern_match(pass, divides ? &share : &scaled, &node->out[0], &match) ||
        !value_may_replace(match.slot[SUM], &node->out[0]))
        return;
    const struct node *reduce = match.slot[SUM]->producer;
    const struct shape *from = match.slot[X]->shape, *to = match.slot[SUM]->shape;
    if (attr_normalize(reduce) || !value_is_single(match.slot[NUMBER]) || !shape_known(from) ||
        shape_volume(to) == 0)
        return;
    double count = (double)shape_volume(from) / (double)shape_volume(to);
    double item = value_item(match.slot[NUMBER], 0);
    /* An inverse is not exact. */
    if (divides ? !(fabs(item - count) <= 0) : !(fabs(item * count - 1) <= 1e-6))
        return;
    const struct recipe recipe = {.op = OP_SPEC(mean_reduce, .axes = *attr_axes(reduce)),
                                  .in = {match.slot[X]}};
    pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
}

static const char *visit(struct pass *pass, struct node *node)
{
    static const struct {
        double exponent;
        enum op_id op;
    } powers[] = {{2, OP_sqr}, {0.5, OP_sqrt}, {-2, OP_rsqr}, {-0.5, OP_rsqrt}};
    bool divides = is_op(node, OP_div), inverts = divides || is_op(node, OP_rcp);
    bool multiplies = is_op(node, OP_mul);
    enum op_id op = PATTERN_VALUE;

    if (node_is_pinned(pass, node))
        return NULL;
    for (size_t i = 0; is_op(node, OP_pow) && i < sizeof powers / sizeof powers[0]; i++)
        if (value_is_all(node->in[1].value, powers[i].exponent))
            op = powers[i].op;
    if (op != PATTERN_VALUE && value_may_replace(node->in[0].value, &node->out[0])) {
        const struct recipe recipe = {.op = op_plain(op), .in = {node->in[0].value}};
        pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
        return NULL;
    }
    bool found = (multiplies && pattern_replace(pass, node, &product, OP_sqr)) ||
                 (inverts && (pattern_replace(pass, node, &of_root, OP_rsqrt) ||
                              pattern_replace(pass, node, &of_square, OP_rsqr)));
    if (!found && (multiplies || divides))
        find_mean(pass, node);
    return NULL;
}

const struct pass_desc pass_find_powers = {
    .purpose = "find squares, roots, their reciprocals, and means",
    .ops = {OP_pow, OP_mul, OP_div, OP_rcp},
    .visit = visit,
};
