/* batch_norm.c - batch normalization goes into the layer before it */
#include "pass/edit.h"
#include "pass/layer.h"

static void visit(struct pass *pass, struct node *node)
{
    if (!is_op(node, OP_batch_normalization))
        return;
    struct node *layer = layer_of(node->in[0].value);
    if (!layer) {
        pass_left(pass, node, "not fused: '%s' is the result of no convolution or linear layer",
                  VALUE_TEXT(node->in[0].value));
        return;
    }
    struct affine affine;
    const char *why = affine_of_norm(pass, node, &affine);
    why = why ? why : layer_fuse(pass, layer, &node->out[0], &affine);
    if (why)
        pass_unfused(pass, node, layer, why);
}

const struct pass_desc pass_fuse_batch_norm = {
    .purpose = "put batch normalization into the convolution or linear layer before it",
    .visit = visit,
};
