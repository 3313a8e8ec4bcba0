/*
 * find_gelu.c - x * (1 + erf(x / sqrt 2)) / 2 is gelu_erf, of the extensions
 *
 * NNEF's own gelu is another function, which differs from it by up to 0.02.
 */
#include "pass/attributes.h"
#include "pass/match.h"

#define NUMBER(value)                                 \
    {                                                 \
        .number = true, .is = (value), .within = 1e-6 \
    }

enum { X = 1 };

static const struct pattern root = NUMBER(1.4142135623730951),
                            reciprocal = NUMBER(0.70710678118654752), one = NUMBER(1),
                            half = NUMBER(0.5), two = NUMBER(2);

static const struct pattern x = {.slot = X},
                            scaled = {.op = OP_mul, .in = {&x, &reciprocal}, .either_way = true},
                            argument = {.op = OP_div, .in = {&x, &root}, .otherwise = &scaled};
static const struct pattern curve = {.op = OP_erf, .in = {&argument}},
                            sum = {.op = OP_add, .in = {&curve, &one}, .either_way = true};

static const struct pattern x_over_2 = {.op = OP_div, .in = {&x, &two}},
                            half_x = {.op = OP_mul,
                                      .in = {&x, &half},
                                      .either_way = true,
                                      .otherwise = &x_over_2};
static const struct pattern sum_over_2 = {.op = OP_div, .in = {&sum, &two}},
                            half_sum = {.op = OP_mul,
                                        .in = {&sum, &half},
                                        .either_way = true,
                                        .otherwise = &sum_over_2};
static const struct pattern product = {.op = OP_mul, .in = {&x, &sum}, .either_way = true};

/* In the order in which they are tried. */
static const struct pattern
    last = {.op = OP_mul, .in = {&x, &half_sum}, .either_way = true},
    third = {.op = OP_mul, .in = {&half_x, &sum}, .either_way = true, .otherwise = &last},
    second = {.op = OP_div, .in = {&product, &two}, .otherwise = &third},
    gelu = {.op = OP_mul, .in = {&product, &half}, .either_way = true, .otherwise = &second};

static const char *visit(struct pass *pass, struct node *node)
{
    if ((is_op(node, OP_mul) || is_op(node, OP_div)) && !node_is_pinned(pass, node))
        pattern_replace(pass, node, &gelu, OP_gelu_erf);
    return NULL;
}

const struct pass_desc pass_find_gelu = {
    .purpose = "find the exact gelu, by the error function",
    .visit = visit,
};
