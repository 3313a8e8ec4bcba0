/* bias.c - constants added to the result of a layer become its bias */
#include "pass/edit.h"
#include "pass/layer.h"

static const char *fuse(struct pass *pass, struct node *layer, struct value *result,
                        const struct value *constant, double sign)
{
    struct affine affine;
    const char *why = affine_begin(pass, &layer->out[0], &affine);

    why = why ? why : affine_obstacle(&affine, constant);
    if (why)
        return why;
    affine.like = constant;
    for (int64_t c = 0; c < affine.channels; c++)
        affine.term[c] = sign * value_channel_item(constant, c);
    return layer_fuse(pass, layer, result, &affine);
}

static void visit(struct pass *pass, struct node *node)
{
    bool adds = is_op(node, OP_add);

    if (!adds && !is_op(node, OP_sub))
        return;
    struct value *x = node->in[0].value, *constant = node->in[1].value;
    if (adds && value_items(x)) {
        x = node->in[1].value;
        constant = node->in[0].value;
    }
    struct node *layer = layer_of(x);
    if (!layer || !value_items(constant))
        return;
    const char *why = fuse(pass, layer, &node->out[0], constant, adds ? 1 : -1);
    if (why)
        pass_unfused(pass, node, layer, why);
}

const struct pass_desc pass_fuse_bias = {
    .purpose = "add constants to the bias of the convolution or linear layer before them",
    .visit = visit,
};
