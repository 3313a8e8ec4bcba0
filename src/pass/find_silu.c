/* find_silu.c - x * sigmoid(x) is silu (section 4.9.1) */
#include "pass/attributes.h"
#include "pass/match.h"

enum { X = 1 };

static const struct pattern x = {.slot = X}, sigmoid = {.op = OP_sigmoid, .in = {&x}};

/* The same with the sigmoid in full. */
static const struct pattern one = {.number = true, .is = 1}, negative = {.op = OP_neg, .in = {&x}},
                            power = {.op = OP_exp, .in = {&negative}},
                            sum = {.op = OP_add, .in = {&power, &one}, .either_way = true};
static const struct pattern quotient = {.op = OP_div, .in = {&x, &sum}},
                            silu = {.op = OP_mul,
                                    .in = {&x, &sigmoid},
                                    .either_way = true,
                                    .otherwise = &quotient};

static const char *visit(struct pass *pass, struct node *node)
{
    if (!node_is_pinned(pass, node))
        pattern_replace(pass, node, &silu, OP_silu);
    return NULL;
}

const struct pass_desc pass_find_silu = {
    .purpose = "find silu: x * sigmoid(x)",
    .ops = {OP_mul, OP_div},
    .needs = {OP_sigmoid, OP_exp},
    .visit = visit,
};
