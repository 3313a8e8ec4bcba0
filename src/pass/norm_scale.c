/* norm_scale.c - batch normalization becomes a product and a sum */
#include "pass/affine.h"

static struct value *apply(struct pass *pass, enum op_id op, struct value *x,
                           struct value *constant)
{
    const struct recipe recipe = {.op = op_plain(op), .in = {x, constant}};

    return constant ? pass_make(pass, &recipe) : NULL;
}

static const char *rewrite(struct pass *pass, struct node *node)
{
    struct affine affine;
    const char *why = affine_instead(pass, node, &affine);

    if (why)
        return why;
    const struct value *scale = node->in[NORM_SCALE].value;
    struct value *factor = affine_constant(pass, affine.factor, affine.channels, scale);
    struct value *term = affine_constant(pass, affine.term, affine.channels, affine.like);
    struct value *product = apply(pass, OP_mul, node->in[0].value, factor);
    struct value *sum = product ? apply(pass, OP_add, product, term) : NULL;
    if (sum)
        pass_replace(pass, &node->out[0], sum);
    return NULL;
}

static void visit(struct pass *pass, struct node *node)
{
    const char *why = is_op(node, OP_batch_normalization) ? rewrite(pass, node) : NULL;

    if (why)
        pass_left(pass, node, "%s", why);
}

const struct pass_desc pass_bn_to_scale = {
    .purpose = "turn batch normalization into a product and a sum with constants",
    .visit = visit,
};
