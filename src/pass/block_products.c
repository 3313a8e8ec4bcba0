/*
 * block_products.c - products with constant integers in blocks, which stay integers
 *
 *     matmul(x, reshape(dequantize(codes, scale, zero))) = block_matmul(x, codes, scale, zero)
 *
 * The codes are [columns, blocks, size] or [blocks, size, columns], and scale and zero have 1 in
 * place of the size.  The numbers may be cut to the depth of the product and transposed on the way.
 */
#include "pass/quantized.h"

#include "op/broadcast.h"

#include <assert.h>
#include <math.h>

enum { LEFT, RIGHT, BIAS };
/* Fewer integers than LEAST_ITEMS are not worth it. */
enum { CODES_RANK = 3, LEAST_ITEMS = 256, MOST_MOVES = 8 };

/* What a product multiplies with. */
struct block_weights {
    struct coded codes;
    bool transposed;        /* the depth is the last dimension */
    int64_t depth, columns; /* of what is read */
};

static bool is_matrix(const struct shape *shape)
{
    return shape_known(shape) && shape->rank >= 2 &&
           shape_volume_range(shape, 0, shape->rank - 2) == 1;
}

static bool are_all(const struct integers *integers, int64_t item)
{
    for (int i = 0; i < integers->count; i++)
        if (integers->item[i] != item)
            return false;
    return true;
}

/* Does a transpose of a matrix let its dimensions change places? */
static bool turns_matrix(const struct node *node)
{
    const struct integers *axes = attr_axes(node);
    const int last = axes->count - 1;

    if (axes->count != node->out[0].shape->rank || axes->item[last] != last - 1 ||
        axes->item[last - 1] != last)
        return false;
    for (int i = 0; i < last - 1; i++)
        if (axes->item[i] != i)
            return false;
    return true;
}

/* The last two extents. */
static const int64_t *matrix_of(const struct shape *shape)
{
    return &shape->extent[shape->rank - 2];
}

/* Does the node take the first items along the depth alone? */
static bool cuts_depth(const struct node *node, bool transposed)
{
    const int64_t *to = matrix_of(node->out[0].shape);
    const int64_t *from = matrix_of(node->in[0].value->shape);

    return is_op(node, OP_slice) && node->out[0].shape->rank == node->in[0].value->shape->rank &&
           are_all(attr_begin(node), 0) && are_all(attr_stride(node), 1) &&
           to[!transposed] == from[!transposed];
}

/* Does the node only move the matrix to other dimensions? */
static bool keeps_matrix(const struct node *node)
{
    const int64_t *to = matrix_of(node->out[0].shape);
    const int64_t *from = matrix_of(node->in[0].value->shape);

    return (is_op(node, OP_reshape) || is_op(node, OP_squeeze) || is_op(node, OP_unsqueeze)) &&
           to[0] == from[0] && to[1] == from[1];
}

/* Scale or zero: one for each block, or one for all. */
static bool is_of_blocks(const struct value *parameter, const struct shape *codes, bool transposed)
{
    struct shape blocks = *codes;

    blocks.extent[transposed ? 2 : 1] = 1;
    if (!value_items(parameter) || parameter->shape->rank > CODES_RANK)
        return false;
    const struct shape whole = shape_with_rank(parameter->shape, CODES_RANK);
    return shape_equal(&whole, &blocks) || shape_volume(&whole) == 1;
}

/* So small that no product with it overflows: a sum of a block may be multiplied instead of each
 * item. */
static bool is_moderate(const struct value *scale)
{
    const float *items = value_items(scale)->data;
    bool moderate = true;

    for (int64_t i = 0, count = shape_volume(&value_items(scale)->shape); i < count; i++)
        moderate &= fabsf(items[i]) < 0x1p9F;
    return moderate;
}

/* Do codes and zeros fit a byte? */
static bool are_bytes(const struct coded *codes)
{
    const struct interval items = coded_bounds(codes->items), zeros = coded_bounds(codes->zero);
    const struct interval with_sign = {INT8_MIN, INT8_MAX}, without = {0, UINT8_MAX};

    return (interval_has(with_sign, items) && interval_has(with_sign, zeros)) ||
           (interval_has(without, items) && interval_has(without, zeros));
}

/* Are blocks of codes joined to the matrix? */
static bool joins_blocks(const struct node *node, struct block_weights *w)
{
    const struct shape *codes = node->in[0].value->shape, *to = node->out[0].shape;
    const int along = w->transposed, across = w->transposed ? 0 : 2;

    if (!is_op(node, OP_reshape) || !coded_find(node->in[0].value, &w->codes) ||
        codes->rank != CODES_RANK)
        return false;
    const int64_t *extent = codes->extent;
    return matrix_of(to)[!w->transposed] == extent[across] &&
           extent[along] * extent[along + 1] == matrix_of(to)[w->transposed] &&
           (extent[along + 1] % BLOCK_UNIT == 0 || extent[along] == 1) &&
           shape_volume(codes) >= LEAST_ITEMS && value_items(w->codes.items) &&
           shape_equal(codes, w->codes.items->shape) &&
           is_of_blocks(w->codes.scale, codes, w->transposed) &&
           is_of_blocks(w->codes.zero, codes, w->transposed) && are_bytes(&w->codes) &&
           is_moderate(w->codes.scale);
}

/* From the right operand of a product back to the integers that it comes from. */
static bool find_weights(const struct value *value, bool transposed, struct block_weights *w)
{
    *w = (struct block_weights){.transposed = transposed};
    if (!is_matrix(value->shape))
        return false;
    w->depth = matrix_of(value->shape)[transposed];
    w->columns = matrix_of(value->shape)[!transposed];
    for (int i = 0; i < MOST_MOVES && value->kind == VALUE_RESULT; i++) {
        const struct node *node = value->producer;
        if (node->nin < 1 || !shape_known(node->in[0].value->shape))
            return false;
        if (joins_blocks(node, w))
            return true;
        if (!is_matrix(node->in[0].value->shape))
            return false;
        if (is_op(node, OP_transpose) && turns_matrix(node))
            w->transposed = !w->transposed;
        else if (!keeps_matrix(node) && !cuts_depth(node, w->transposed))
            return false;
        value = node->in[0].value;
    }
    return false;
}

static struct value *reshaped(struct pass *pass, struct value *x, const struct shape *shape)
{
    if (!x || shape_equal(x->shape, shape))
        return x;
    return pass_make(pass,
                     &(struct recipe){.op = OP_SPEC(reshape, .shape = {shape->rank, shape->extent},
                                                    .axis_count = -1),
                                      .in = {x}});
}

/* One item for all has no dimensions. */
static struct value *parameter_of(struct pass *pass, struct value *parameter)
{
    if (shape_volume(parameter->shape) > 1 || parameter->shape->rank == 0)
        return parameter;
    return parameter->dtype == DTYPE_INTEGER ? pass_integer(pass, zero_item(parameter, 0))
                                             : pass_literal(pass, (double)scale_item(parameter, 0));
}

static void visit_product(struct pass *pass, struct node *node, const struct block_weights *w)
{
    const struct shape *out = node->out[0].shape;
    const int64_t rows = shape_volume(out) / w->columns;
    const struct shape left = {.rank = 2, .extent = {rows, w->depth}};
    struct value *x = reshaped(pass, node->in[LEFT].value, &left);
    struct value *scale = parameter_of(pass, w->codes.scale);
    struct value *zero = parameter_of(pass, w->codes.zero);
    struct value *bias = is_op(node, OP_linear) ? node->in[BIAS].value : NULL;

    if (!x || !scale || !zero)
        return;
    struct shape product = *out;
    struct value *made =
        pass_make(pass, &(struct recipe){.op = OP_SPEC(block_matmul, .depth = w->depth,
                                                       .transpose_b = w->transposed),
                                         .in = {x, w->codes.items, scale, zero}});
    made = reshaped(pass, made, &product);
    if (made && bias && !value_is_all(bias, 0))
        made = pass_make(pass, &(struct recipe){.op = op_plain(OP_add), .in = {made, bias}});
    if (made)
        pass_replace(pass, &node->out[0], made);
}

static const char *visit(struct pass *pass, struct node *node)
{
    const bool linear = is_op(node, OP_linear);
    struct block_weights weights;

    if (node_is_pinned(pass, node) || !pass_is_known(pass, node) ||
        (!linear && attr_transpose_a(node)) || shape_volume(node->out[0].shape) == 0 ||
        !find_weights(node->in[RIGHT].value, linear || attr_transpose_b(node), &weights))
        return NULL;
    const struct shape *left = node->in[LEFT].value->shape, *out = node->out[0].shape;
    if (left->rank == out->rank &&
        shape_volume(left) / weights.depth == shape_volume(out) / weights.columns)
        visit_product(pass, node, &weights);
    return NULL;
}

const struct pass_desc pass_find_block_products = {
    .purpose = "let products with integers in blocks read the integers",
    .ops = {OP_linear, OP_matmul},
    .needs = {OP_dequantize},
    .visit = visit,
};
