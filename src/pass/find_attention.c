/*
 * find_attention.c - softmax(scale * query * key' + mask) * value is attention, of the extensions
 *
 * The last two dimensions are matrices; the others are batches and heads.  Operands of matmul have
 * the same rank.
 */
#include "pass/match.h"
#include "pass/order.h"

#include <assert.h>
#include <math.h>

enum { QUERY = 1, KEY, VALUE, PRODUCT, FACTOR, DIVISOR, MASK, WEIGHTS };

static const struct pattern query = {.slot = QUERY}, key = {.slot = KEY}, value = {.slot = VALUE},
                            mask = {.slot = MASK}, factor = {.slot = FACTOR, .fixed = true},
                            divisor = {.slot = DIVISOR, .fixed = true};
static const struct pattern product = {.op = OP_matmul, .in = {&query, &key}, .slot = PRODUCT},
                            divided = {.op = OP_div,
                                       .in = {&product, &divisor},
                                       .otherwise = &product},
                            scaled = {.op = OP_mul,
                                      .in = {&product, &factor},
                                      .either_way = true,
                                      .otherwise = &divided};
static const struct pattern masked = {.op = OP_add,
                                      .in = {&scaled, &mask},
                                      .either_way = true,
                                      .otherwise = &scaled},
                            weights = {.op = OP_softmax, .in = {&masked}, .slot = WEIGHTS},
                            attention = {.op = OP_matmul, .in = {&weights, &value}};

/* The factor of the product; NaN if that is no single number. */
static double scale_of(const struct match *match)
{
    const struct value *times = match->slot[FACTOR], *over = match->slot[DIVISOR];

    if ((times && !value_is_single(times)) || (over && !value_is_single(over)))
        return NAN;
    if (times)
        return value_item(times, 0);
    return over ? 1 / value_item(over, 0) : 1;
}

/* The keys with a row for each of them. */
static struct value *keys_of(struct pass *pass, const struct match *match)
{
    struct value *keys = match->slot[KEY];
    const struct node *columns = made_by(keys, OP_transpose);
    struct dim_list swap = {.count = keys->shape->rank};

    assert(swap.count >= 2 && swap.count <= MAX_RANK);
    if (attr_transpose_b(match->slot[PRODUCT]->producer))
        return keys;
    for (int i = 0; i < swap.count; i++)
        swap.item[i] = i < swap.count - 2 ? i : 2 * swap.count - 3 - i;
    if (!columns)
        return pass_transpose(pass, keys, &swap);
    /* The transpose that made columns of the keys is taken back, if it did no more than that. */
    struct dim_list order = order_of(columns);
    order = order_chain(&order, &swap);
    return pass_transpose(pass, columns->in[0].value, &order);
}

static const char *visit(struct pass *pass, struct node *node)
{
    struct match match;

    if (!pass_is_known(pass, node) || node_is_pinned(pass, node) ||
        !pattern_match(pass, &attention, &node->out[0], &match))
        return NULL;
    int last = node->out[0].shape->rank - 1;
    const struct integers *axes = attr_axes(match.slot[WEIGHTS]->producer);
    double scale = scale_of(&match);
    if (attr_transpose_a(node) || attr_transpose_b(node) ||
        attr_transpose_a(match.slot[PRODUCT]->producer))
        return "its query, its weights or its value is transposed";
    if (axes->count != 1 || axes->item[0] != last)
        return "its softmax is not along the last axis";
    if (!isfinite(scale))
        return "its scale is no single number";
    /* The weights have the shape of the product if scale and mask do not make it larger. */
    if (!shape_equal(match.slot[PRODUCT]->shape, match.slot[WEIGHTS]->shape))
        return "its mask has other dimensions than the weights";
    struct value *keys = keys_of(pass, &match);
    struct attention_attrs attrs = {.axis = last, .scale = scale};
    struct recipe recipe = {.op = {match.slot[MASK] ? OP_masked_attention : OP_attention, &attrs},
                            .in = {match.slot[QUERY], keys, match.slot[VALUE], match.slot[MASK]}};
    struct value *made = keys ? pass_make(pass, &recipe) : NULL;
    if (made && value_may_replace(made, &node->out[0]))
        pass_replace(pass, &node->out[0], made);
    return NULL;
}

const struct pass_desc pass_find_attention = {
    .purpose = "find attention: softmax(scale * query * key' + mask) * value",
    .ops = {OP_matmul},
    .needs = {OP_softmax},
    .visit = visit,
};
