/*
 * linear.c - products with constant matrices become linear layers (sections 4.7 and 4.9.2)
 *
 *     linear(x, filter, bias) = matmul(x, filter, transposeB = true) + bias
 *
 * A constant added to such a product becomes the bias.  Before other operations with constants that
 * the layer could do, the product becomes a layer without bias, for other passes to go on with.
 */
#include "pass/layer.h"

#include <assert.h>

/* The second factor of a product as it is stored. */
struct linear_factor {
    struct value *value;
    bool transposed; /* rows are what results are made of, as those of a filter */
};

static bool is_stored(const struct value *value)
{
    return value->kind == VALUE_CONSTANT || value->kind == VALUE_VARIABLE;
}

/* The product that an operation with constants reads, or NULL. */
static struct node *product_read_by(const struct node *node)
{
    bool either_way = is_op(node, OP_add) || is_op(node, OP_sub) || is_op(node, OP_mul);
    struct node *product = NULL;

    for (uint32_t i = 0; i < node->nin; i++) {
        struct node *made = made_by(node->in[i].value, OP_matmul);
        if (made && !product)
            product = made;
        else if (!value_items(node->in[i].value))
            return NULL;
    }
    return either_way || made_by(node->in[0].value, OP_matmul) ? product : NULL;
}

/* NULL: the product can be a layer, which can do what `node` does to it. */
static const char *obstacle(struct pass *pass, const struct node *node, const struct node *product,
                            const struct linear_factor *factor)
{
    const struct value *result = &product->out[0];
    int rank = result->shape->rank;

    if (rank != 2)
        return pass_because(pass, "its factors are of rank %d, those of a layer of rank 2", rank);
    if (!is_stored(factor->value))
        return "its constant factor is the first one, that of a layer the second";
    if (attr_transpose_a(product))
        return "its first factor is transposed";
    if (!factor->transposed && (!value_items(factor->value) || value_stays(pass, factor->value)))
        return "its filter would have to be transposed and is no constant";
    if (!factor->transposed && layer_filter_grows(pass, factor->value))
        return "its filter would have to be transposed, for which there is too little room";
    if (!value_is_inner(pass, result))
        return "its result is needed elsewhere";
    if (!value_may_replace(result, &node->out[0]))
        return "the constant makes the result larger";
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value != result &&
            !value_is_per_channel(node->in[i].value, result->shape->extent[CHANNEL]))
            return "the constant differs along other dimensions than that of the channels";
    if (is_op(node, OP_add) && value_is_pinned(pass, &node->out[0]))
        return "something is said of the result elsewhere";
    return NULL;
}

static struct value *transposed(struct pass *pass, const struct value *matrix)
{
    int64_t rows = matrix->shape->extent[1], columns = matrix->shape->extent[0];
    struct shape shape = {.rank = 2, .extent = {rows, columns}};
    struct tensor tensor;

    assert(matrix->shape->rank == 2);
    struct shared_key key = pass_key(pass, "transposed");
    pass_key_value(&key, matrix);
    struct value *value = pass_found(pass, &key, &shape, matrix);
    if (!value && pass_tensor(pass, &tensor, DTYPE_SCALAR, &shape)) {
        for (int64_t i = 0; i < rows * columns; i++)
            ((float *)tensor.data)[i] = (float)value_item(matrix, i % columns * rows + i / columns);
        value = pass_fixed(pass, &key, &tensor, matrix);
    }
    shared_key_free(&key);
    return value;
}

static const char *visit(struct pass *pass, struct node *node)
{
    struct node *product = product_read_by(node);

    if (!product)
        return NULL;
    struct linear_factor factor = {product->in[1].value, attr_transpose_b(product)};
    const struct node *turn = made_by(factor.value, OP_transpose);
    if (turn && turn->out[0].shape->rank == 2 && value_is_inner(pass, &turn->out[0])) {
        const struct integers *axes = attr_axes(turn);
        factor.value = turn->in[0].value;
        factor.transposed ^= axes->count == 2 && axes->item[0] == 1;
    }
    if (!is_stored(factor.value) && !value_items(product->in[0].value))
        return NULL;
    const char *why = obstacle(pass, node, product, &factor);
    if (why)
        return pass_unfused(pass, product, why);
    /* The constant becomes the bias of an addition, or there is none yet. */
    bool adds = is_op(node, OP_add);
    struct value *filter = factor.transposed ? factor.value : transposed(pass, factor.value);
    struct value *bias = node->in[node->in[0].value == &product->out[0]].value;
    const struct recipe layer = {
        .op = op_plain(OP_linear),
        .in = {product->in[0].value, filter, adds ? bias : pass_literal(pass, 0)}};
    if (filter)
        pass_replace(pass, adds ? &node->out[0] : &product->out[0], pass_make(pass, &layer));
    return NULL;
}

const struct pass_desc pass_fuse_linear = {
    .purpose = "turn products with constant matrices and what is added to them into linear layers",
    .ops = {OP_add, OP_sub, OP_mul, OP_div, OP_batch_normalization},
    .needs = {OP_matmul},
    .visit = visit,
};
