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

/* Is the shape of the weights that of the product: do scale and mask not make it larger? */
static bool keeps_shape(const struct match *match)
{
    return shape_equal(match->slot[PRODUCT]->shape, match->slot[WEIGHTS]->shape);
}

static bool is_single(const struct value *number)
{
    return !number || value_is_single(number);
}

static double scale_of(const struct match *match)
{
    if (match->slot[FACTOR])
        return value_item(match->slot[FACTOR], 0);
    return match->slot[DIVISOR] ? 1 / value_item(match->slot[DIVISOR], 0) : 1;
}

static const char *obstacle(const struct node *node, const struct match *match)
{
    int rank = node->out[0].shape->rank;
    const struct node *inner = match->slot[PRODUCT]->producer;
    const struct integers *axes = attr_axes(match->slot[WEIGHTS]->producer);

    if (attr_transpose_a(node) || attr_transpose_b(node) || attr_transpose_a(inner))
        return "its query, its weights or its value is transposed";
    if (axes->count != 1 || axes->item[0] != rank - 1)
        return "its softmax is not along the last axis";
    if (!is_single(match->slot[FACTOR]) || !is_single(match->slot[DIVISOR]) ||
        !isfinite(scale_of(match)))
        return "its scale is no single number";
    return keeps_shape(match) ? NULL : "its mask has other dimensions than the weights";
}

/* With a row for each of the keys. */
static struct value *keys_of(struct pass *pass, const struct match *match)
{
    struct value *keys = match->slot[KEY];
    const struct node *columns = made_by(keys, OP_transpose);
    struct dim_list swap = {.count = keys->shape->rank};

    if (attr_transpose_b(match->slot[PRODUCT]->producer))
        return keys;
    for (int i = 0; i < swap.count; i++)
        swap.item[i] = i < swap.count - 2 ? i : 2 * swap.count - 3 - i;
    if (!columns)
        return pass_transpose(pass, keys, &swap);
    struct dim_list order = order_of(columns);
    order = order_chain(&order, &swap);
    return pass_transpose(pass, columns->in[0].value, &order);
}

static void replace(struct pass *pass, struct node *node, const struct match *match)
{
    struct value *keys = keys_of(pass, match);
    struct attention_attrs attrs = {.axis = node->out[0].shape->rank - 1, .scale = scale_of(match)};
    enum op_id op = match->slot[MASK] ? OP_masked_attention : OP_attention;
    struct recipe recipe = {
        .op = {op, &attrs},
        .in = {match->slot[QUERY], keys, match->slot[VALUE], match->slot[MASK]}};
    struct value *made = keys ? pass_make(pass, &recipe) : NULL;

    assert(is_op(node, OP_matmul));
    if (made && value_may_replace(made, &node->out[0]))
        pass_replace(pass, &node->out[0], made);
}

static void visit(struct pass *pass, struct node *node)
{
    struct match match;

    if (!is_op(node, OP_matmul) || !node_is_known(node) || node_is_pinned(pass, node) ||
        !pattern_match(pass, &attention, &node->out[0], &match))
        return;
    const char *why = obstacle(node, &match);
    if (why)
        pass_left(pass, node, "%s", why);
    else
        replace(pass, node, &match);
}

const struct pass_desc pass_find_attention = {
    .purpose = "find attention: softmax(scale * query * key' + mask) * value",
    .visit = visit,
};
