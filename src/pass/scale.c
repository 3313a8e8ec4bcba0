/*
 * scale.c - factors of the result of a layer go into its filter and bias
 *
 * x * c, c * x, x / c, -x and c - x, where x is made by conv, deconv or linear.
 */
#include "pass/edit.h"
#include "pass/layer.h"

#include <assert.h>

/* What is multiplied, and by what; NULL: by -1. */
struct scale_product {
    struct value *x;
    const struct value *constant;
};

static bool product_of(const struct node *node, struct scale_product *product)
{
    struct value *a = node->in[0].value, *b = node->nin > 1 ? node->in[1].value : NULL;
    bool swapped = is_op(node, OP_sub) || (is_op(node, OP_mul) && value_items(a));

    if (is_op(node, OP_neg))
        *product = (struct scale_product){a, NULL};
    else if (is_op(node, OP_mul) || is_op(node, OP_div) || is_op(node, OP_sub))
        *product = swapped ? (struct scale_product){b, a} : (struct scale_product){a, b};
    else
        return false;
    return !product->constant || value_items(product->constant);
}

static void set_channel(const struct node *node, const struct value *constant,
                        struct affine *affine, int64_t c)
{
    double number = constant ? value_channel_item(constant, c) : 0;

    assert(c >= 0);
    if (is_op(node, OP_mul))
        affine->factor[c] = number;
    else if (is_op(node, OP_div))
        affine->factor[c] = 1 / number;
    else
        affine->factor[c] = -1;
    if (is_op(node, OP_sub))
        affine->term[c] = number;
}

static const char *fuse(struct pass *pass, struct node *layer, struct node *node,
                        const struct value *constant)
{
    struct affine affine;
    const char *why = affine_begin(pass, &layer->out[0], &affine);

    if (!why && constant)
        why = affine_obstacle(&affine, constant);
    if (why)
        return why;
    affine.like = is_op(node, OP_sub) ? constant : NULL;
    for (int64_t c = 0; c < affine.channels; c++)
        set_channel(node, constant, &affine, c);
    return layer_fuse(pass, layer, &node->out[0], &affine);
}

static void visit(struct pass *pass, struct node *node)
{
    struct scale_product product;

    if (!product_of(node, &product))
        return;
    struct node *layer = layer_of(product.x);
    const char *why = layer ? fuse(pass, layer, node, product.constant) : NULL;
    if (why)
        pass_unfused(pass, node, layer, why);
}

const struct pass_desc pass_fuse_scale = {
    .purpose = "let the convolution or linear layer before a constant factor multiply by it",
    .visit = visit,
};
