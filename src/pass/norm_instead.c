/*
 * norm_instead.c - other operations instead of batch normalization (section 4.9.4)
 *
 * A depth-wise convolution (section 4.3.1) has windows of a single item, one group for each
 * channel: at least one dimension has to be there to slide along.  A product and a sum do the same
 * to any number of dimensions.
 */
#include "pass/affine.h"

#include <assert.h>

static const char *to_conv(struct pass *pass, struct node *node)
{
    static const int64_t none[MAX_RANK][2] = {{0}};
    struct value *x = node->in[NORM_INPUT].value;
    struct affine affine;
    struct tensor tensor;

    const char *why = affine_instead(pass, node, &affine);
    if (why)
        return why;
    if (node->out[0].shape->rank < 3)
        return "there is no dimension that a filter could slide along";
    /* The factors as a filter [channels,1,1,..]. */
    struct shape shape = {.rank = x->shape->rank, .extent = {affine.channels}};
    assert(shape.rank >= 2 && shape.rank <= MAX_RANK);
    for (int i = 1; i < shape.rank; i++)
        shape.extent[i] = 1;
    struct shared_key key = pass_key(pass, "filter of factors");
    shared_key_number(&key, shape.rank);
    shared_key_number(&key, node->in[NORM_SCALE].value->kind);
    shared_key_add(&key, affine.factor, (size_t)affine.channels * sizeof *affine.factor);
    struct value *filter = pass_found(pass, &key, &shape, node->in[NORM_SCALE].value);
    if (!filter && pass_tensor(pass, &tensor, DTYPE_SCALAR, &shape)) {
        for (int64_t c = 0; c < affine.channels; c++)
            ((float *)tensor.data)[c] = (float)affine.factor[c];
        filter = pass_fixed(pass, &key, &tensor, node->in[NORM_SCALE].value);
    }
    shared_key_free(&key);
    if (!filter)
        return NULL;
    struct value *bias = affine_constant(pass, affine.term, affine.channels, affine.like);
    const struct recipe conv = {.op = OP_SPEC(conv, .padding = {shape.rank - 2, none}),
                                .in = {x, filter, bias}};
    if (bias)
        pass_replace(pass, &node->out[0], pass_make(pass, &conv));
    return NULL;
}

const struct pass_desc pass_bn_to_conv = {
    .purpose = "turn batch normalization of images and the like into a depth-wise convolution",
    .ops = {OP_batch_normalization},
    .visit = to_conv,
};

/* `op` of x and the constant; NULL if either is, after a report. */
static struct value *apply(struct pass *pass, enum op_id op, struct value *x,
                           struct value *constant)
{
    const struct recipe recipe = {.op = op_plain(op), .in = {x, constant}};

    return x && constant ? pass_make(pass, &recipe) : NULL;
}

static const char *to_scale(struct pass *pass, struct node *node)
{
    struct affine affine;

    const char *why = affine_instead(pass, node, &affine);
    if (why)
        return why;
    const struct value *scale = node->in[NORM_SCALE].value;
    struct value *factor = affine_constant(pass, affine.factor, affine.channels, scale);
    struct value *term = affine_constant(pass, affine.term, affine.channels, affine.like);
    struct value *product = apply(pass, OP_mul, node->in[NORM_INPUT].value, factor);
    pass_replace(pass, &node->out[0], apply(pass, OP_add, product, term));
    return NULL;
}

const struct pass_desc pass_bn_to_scale = {
    .purpose = "turn batch normalization into a product and a sum with constants",
    .ops = {OP_batch_normalization},
    .visit = to_scale,
};
