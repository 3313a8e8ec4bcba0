/*
 * norm_conv.c - batch normalization becomes a depth-wise convolution (section 4.3.1)
 *
 * Windows of a single item, one group for each channel: at least one dimension has to be there to
 * slide along.
 */
#include "pass/affine.h"

#include "diag/context.h"

#include <assert.h>

/* A number for each channel as a filter [channels,1,1,..]. */
static struct value *filter_of(struct pass *pass, const struct affine *affine, int rank,
                               const struct value *like)
{
    struct shape shape = {.rank = rank, .extent = {affine->channels}};
    struct tensor tensor;

    assert(rank >= 2 && rank <= MAX_RANK);
    for (int i = 1; i < rank; i++)
        shape.extent[i] = 1;
    if (!pass_tensor(pass, &tensor, DTYPE_SCALAR, &shape))
        return NULL;
    for (int64_t c = 0; c < affine->channels; c++)
        ((float *)tensor.data)[c] = (float)affine->factor[c];
    return pass_fixed(pass, &tensor, like);
}

static struct value *conv_of(struct pass *pass, const struct node *node,
                             const struct affine *affine)
{
    static const int64_t none[MAX_RANK][2] = {{0}};
    const struct value *scale = node->in[NORM_SCALE].value;
    struct value *x = node->in[0].value;
    struct value *filter = filter_of(pass, affine, x->shape->rank, scale);
    struct value *bias = affine_constant(pass, affine->term, affine->channels, affine->like);
    const struct recipe recipe = {.op = OP_SPEC(conv, .padding = {x->shape->rank - 2, none}),
                                  .in = {x, filter, bias}};

    assert(is_op(node, OP_batch_normalization));
    return filter && bias ? pass_make(pass, &recipe) : NULL;
}

static const char *rewrite(struct pass *pass, struct node *node)
{
    struct affine affine;
    const char *why = affine_instead(pass, node, &affine);

    if (why)
        return why;
    if (node->out[0].shape->rank < 3)
        return "there is no dimension that a filter could slide along";
    struct value *conv = conv_of(pass, node, &affine);
    if (conv)
        pass_replace(pass, &node->out[0], conv);
    return NULL;
}

static void visit(struct pass *pass, struct node *node)
{
    const char *why = is_op(node, OP_batch_normalization) ? rewrite(pass, node) : NULL;

    if (why)
        pass_left(pass, node, "%s", why);
}

const struct pass_desc pass_bn_to_conv = {
    .purpose = "turn batch normalization of images and the like into a depth-wise convolution",
    .visit = visit,
};
