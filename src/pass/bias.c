/*
 * bias.c - constants added to the result of a convolution become its bias
 *
 * conv, deconv and linear add bias[c] to all items of channel c (sections 4.3.1 and 4.10), so that
 * bias and constant may be added up beforehand: in double, rounded once.
 */
#include "pass/pass_priv.h"

#include <inttypes.h>

enum { BIAS = 2, CHANNEL = 1 };

static struct node *takes_bias(const struct value *value)
{
    struct node *node = made_by(value, OP_conv);

    node = node ? node : made_by(value, OP_deconv);
    return node ? node : made_by(value, OP_linear);
}

/* One number for each channel, or one for all. */
static bool is_per_channel(const struct value *constant, int64_t channels)
{
    const struct shape *shape = constant->shape;

    for (int i = 0; i < shape->rank; i++)
        if (shape->extent[i] != 1 && (i != CHANNEL || shape->extent[i] != channels))
            return false;
    return true;
}

static double item_of_channel(const struct value *value, int64_t channel)
{
    return value_item(value, shape_volume(value->shape) == 1 ? 0 : channel);
}

static struct value *sum(struct pass *pass, const struct value *bias, const struct value *constant,
                         double sign)
{
    int64_t a = shape_volume(bias->shape), b = shape_volume(constant->shape);
    struct shape shape = {.rank = a * b > 1 ? 2 : 0, .extent = {1, a > b ? a : b}};
    struct tensor tensor;

    if (!pass_tensor(pass, &tensor, DTYPE_SCALAR, &shape))
        return NULL;
    for (int64_t i = 0; i < shape_volume(&shape); i++)
        ((float *)tensor.data)[i] =
            (float)(item_of_channel(bias, i) + sign * item_of_channel(constant, i));
    return pass_fixed(pass, &tensor, a > 1 ? bias : constant);
}

/* NULL: the two may be fused. */
static const char *obstacle(const struct pass *pass, const struct node *node,
                            const struct value *result, const struct value *constant)
{
    if (!value_is_inner(pass, &node->out[0]))
        return "its result is needed elsewhere";
    if (!value_may_replace(&node->out[0], result))
        return "the constant makes the result larger";
    if (!is_per_channel(constant, shape_extent(node->out[0].shape, CHANNEL)))
        return "the constant differs along other dimensions than that of the channels";
    if (!value_items(node->in[BIAS].value))
        return "its bias is computed";
    return NULL;
}

static void fuse(struct pass *pass, struct node *node, struct value *result,
                 const struct value *constant, double sign)
{
    const char *why = obstacle(pass, node, result, constant);

    if (why) {
        pass_left(pass, node, "%s", why);
        return;
    }
    struct value *bias = sum(pass, node->in[BIAS].value, constant, sign);
    struct value *in[] = {node->in[0].value, node->in[1].value, bias};
    struct value *fused = bias ? pass_remake(pass, node, in, NULL) : NULL;
    if (fused)
        pass_replace(pass, result, fused);
}

static void visit(struct pass *pass, struct node *node)
{
    bool adds = is_op(node, OP_add);

    if (!adds && !is_op(node, OP_sub))
        return;
    struct value *a = node->in[0].value, *b = node->in[1].value;
    if (takes_bias(a) && value_items(b))
        fuse(pass, takes_bias(a), &node->out[0], b, adds ? 1 : -1);
    else if (adds && takes_bias(b) && value_items(a))
        fuse(pass, takes_bias(b), &node->out[0], a, 1);
}

const struct pass_desc pass_fuse_bias = {
    .purpose = "add constants to the bias of the convolution or linear layer before them",
    .visit = visit,
};
