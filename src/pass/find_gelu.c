/*
 * find_gelu.c - x * (1 + curve) / 2 is gelu_erf or gelu_tanh, of the extensions
 *
 * The curve is erf(x / sqrt 2), or the tanh that is close to it.
 * NNEF's own gelu is another function, which differs from it by up to 0.02.
 */
#include "pass/attributes.h"
#include "pass/match.h"

#define NUMBER(value)                                 \
    {                                                 \
        .number = true, .is = (value), .within = 1e-6 \
    }

enum { X = 1, CURVE };

static const struct pattern root = NUMBER(1.4142135623730951),
                            reciprocal = NUMBER(0.70710678118654752), one = NUMBER(1),
                            half = NUMBER(0.5), two = NUMBER(2), three = NUMBER(3),
                            share = NUMBER(0.044715), slope = NUMBER(0.79788456080286536);

static const struct pattern x = {.slot = X},
                            scaled = {.op = OP_mul, .in = {&x, &reciprocal}, .either_way = true},
                            argument = {.op = OP_div, .in = {&x, &root}, .otherwise = &scaled};

/* tanh(sqrt(2 / pi) * (x + 0.044715 * x ^ 3)) */
static const struct pattern power = {.op = OP_pow, .in = {&x, &three}},
                            product_of_x = {.op = OP_mul, .in = {&x, &x}},
                            square = {.op = OP_sqr, .in = {&x}, .otherwise = &product_of_x},
                            cube = {.op = OP_mul,
                                    .in = {&x, &square},
                                    .either_way = true,
                                    .otherwise = &power};
static const struct pattern of_x = {.op = OP_mul, .in = {&x, &share}, .either_way = true},
                            of_square = {.op = OP_mul, .in = {&x, &of_x}, .either_way = true},
                            one_by_one = {.op = OP_mul, .in = {&x, &of_square}, .either_way = true},
                            term = {.op = OP_mul,
                                    .in = {&cube, &share},
                                    .either_way = true,
                                    .otherwise = &one_by_one};
static const struct pattern bent = {.op = OP_add, .in = {&x, &term}, .either_way = true},
                            steep = {.op = OP_mul, .in = {&bent, &slope}, .either_way = true},
                            tangent = {.op = OP_tanh, .in = {&steep}, .slot = CURVE};

static const struct pattern curve = {.op = OP_erf,
                                     .in = {&argument},
                                     .slot = CURVE,
                                     .otherwise = &tangent},
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
    struct match match;

    if (node_is_pinned(pass, node) || !pattern_match(pass, &gelu, &node->out[0], &match) ||
        !value_may_replace(match.slot[X], &node->out[0]))
        return NULL;
    const bool by_erf = made_by(match.slot[CURVE], OP_erf);
    const struct recipe recipe = {.op = op_plain(by_erf ? OP_gelu_erf : OP_gelu_tanh),
                                  .in = {match.slot[X]}};
    pass_replace(pass, &node->out[0], pass_make(pass, &recipe));
    return NULL;
}

const struct pass_desc pass_find_gelu = {
    .purpose = "find gelu, by the error function or by tanh",
    .ops = {OP_mul, OP_div},
    .needs = {OP_erf, OP_tanh},
    .visit = visit,
};
