/*
 * scale.c - constant factors and terms of the result of a layer go into its filter and bias
 *
 * x * c, c * x, x / c, -x and c - x are factors, x + c, c + x and x - c terms, where conv, deconv
 * or linear makes x and c has a number for each channel.
 */
#include "pass/layer.h"

#include <assert.h>

/* Fuses a node of x and a constant, in any order but for x / c, or -x, with the layer that makes x.
 */
static const char *fuse(struct pass *pass, struct node *node)
{
    bool subtracts = is_op(node, OP_sub), adds = subtracts || is_op(node, OP_add);
    struct value *x = node->in[0].value, *constant = node->nin > 1 ? node->in[1].value : NULL;
    bool swapped = constant && value_items(x) && !is_op(node, OP_div);
    bool negates = is_op(node, OP_neg) || (subtracts && swapped);
    struct affine affine;

    assert(node->nin == 1 || node->nin == 2);
    if (swapped) {
        constant = x;
        x = node->in[1].value;
    }
    struct node *layer = layer_of(x);
    if (!layer || (constant && !value_items(constant)))
        return NULL;
    const char *why = affine_begin(pass, x, &affine);
    if (!why && constant && !value_is_per_channel(constant, affine.channels))
        why = "the constant differs along other dimensions than that of the channels";
    if (why)
        return pass_unfused(pass, layer, why);
    affine.like = adds ? constant : NULL;
    for (int64_t c = 0; c < affine.channels; c++) {
        double number = constant ? value_channel_item(constant, c) : 0;
        if (negates)
            affine.factor[c] = -1;
        else if (is_op(node, OP_mul))
            affine.factor[c] = number;
        else if (is_op(node, OP_div))
            affine.factor[c] = 1 / number;
        if (adds)
            affine.term[c] = subtracts && !negates ? -number : number;
    }
    why = layer_fuse(pass, layer, &node->out[0], &affine);
    return why ? pass_unfused(pass, layer, why) : NULL;
}

static const char *visit_factor(struct pass *pass, struct node *node)
{
    bool from_constant = is_op(node, OP_sub) && value_items(node->in[0].value);

    return is_op(node, OP_mul) || is_op(node, OP_div) || is_op(node, OP_neg) || from_constant
               ? fuse(pass, node)
               : NULL;
}

static const char *visit_term(struct pass *pass, struct node *node)
{
    bool from_constant = is_op(node, OP_sub) && value_items(node->in[0].value);

    return is_op(node, OP_add) || (is_op(node, OP_sub) && !from_constant) ? fuse(pass, node) : NULL;
}

const struct pass_desc pass_fuse_scale = {
    .purpose = "let the convolution or linear layer before a constant factor multiply by it",
    .ops = {OP_mul, OP_div, OP_neg, OP_sub},
    .visit = visit_factor,
};

const struct pass_desc pass_fuse_bias = {
    .purpose = "add constants to the bias of the convolution or linear layer before them",
    .ops = {OP_add, OP_sub},
    .visit = visit_term,
};
