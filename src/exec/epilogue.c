/* epilogue.c - see epilogue.h */
#include "exec/epilogue.h"

#include "tensor/tensor.h"

#include <assert.h>

/* --- activations ---------------------------------------------------------------------------- */

/* clamp(x, a, b) is max(min(x, b), a). */
static bool clamp_of(const struct planner *planner, const struct node *node, struct epilogue *e)
{
    double low, high;

    if (!plan_number(planner, node->in[1].value, &low) ||
        !plan_number(planner, node->in[2].value, &high))
        return false;
    *e = (struct epilogue){ACTIVATION_CLAMP, (float)low, (float)high};
    return true;
}

static bool activation_of(const struct planner *planner, const struct node *node,
                          struct epilogue *e)
{
    static const struct {
        enum op_id op;
        enum activation_kind activation;
    } plain[] = {
        {OP_relu, ACTIVATION_RELU},
        {OP_sigmoid, ACTIVATION_SIGMOID},
        {OP_tanh, ACTIVATION_TANH},
        {OP_silu, ACTIVATION_SILU},
        {OP_gelu, ACTIVATION_GELU},
        {OP_gelu_erf, ACTIVATION_GELU_ERF},
        {OP_leaky_relu, ACTIVATION_LEAKY_RELU},
        {OP_elu, ACTIVATION_ELU},
    };

    if (is_op(node, OP_clamp))
        return clamp_of(planner, node, e);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (!is_op(node, plain[i].op))
            continue;
        e->activation = plain[i].activation;
        if (is_op(node, OP_leaky_relu) || is_op(node, OP_elu))
            e->low = (float)attr_alpha(node);
        return true;
    }
    return false;
}

/* --- the epilogue
 * -------------------------------------------------------------------------------- */

/* What is added to the sums, item by item. */
static const struct value *addend_of(const struct group *group, int at)
{
    const struct node *node = group->nodes[at];
    uint32_t other = group_is_inner(group, at, 0) ? 1 : 0;
    const struct value *addend = is_op(node, OP_add) ? node->in[other].value : NULL;

    if (!addend || group_is_inner(group, at, other))
        return NULL;
    return shape_equal(addend->shape, group->nodes[0]->out[0].shape) ? addend : NULL;
}

static bool is_inner_only_once(const struct group *group, int at)
{
    int inner = 0;

    for (uint32_t i = 0; i < group->nodes[at]->nin; i++)
        inner += group_is_inner(group, at, i);
    return inner == 1 && (group_is_inner(group, at, 0) || is_op(group->nodes[at], OP_add));
}

/* What is added to each row of them. */
static const struct tensor *bias_at(const struct planner *planner, const struct group *group,
                                    int at)
{
    const struct node *node = group->nodes[at];
    const struct shape *shape = group->nodes[0]->out[0].shape;
    const struct tensor *bias;
    int last = shape->rank - 1;
    bool is_bias =
        is_op(node, OP_add) && bias_of(planner, node->in[group_is_inner(group, at, 0)].value, last,
                                       shape->extent[last], &bias);

    return is_bias ? bias : NULL;
}

static bool fused_from(const struct planner *planner, const struct group *group, bool of_matrix,
                       struct fused *fused)
{
    *fused = (struct fused){0};
    for (int i = 1; i < group->count; i++) {
        const struct node *node = group->nodes[i];
        if (fused->epilogue.activation != ACTIVATION_NONE || !is_inner_only_once(group, i) ||
            !shape_equal(node->out[0].shape, group->nodes[0]->out[0].shape))
            return false;
        const struct value *addend = fused->residual ? NULL : addend_of(group, i);
        if (of_matrix && !fused->bias && (fused->bias = bias_at(planner, group, i)))
            continue;
        if (addend)
            fused->residual = addend;
        else if (!activation_of(planner, node, &fused->epilogue))
            return false;
    }
    return true;
}

bool fused_of(const struct planner *planner, const struct group *group, struct fused *fused)
{
    return fused_from(planner, group, false, fused);
}

bool fused_of_matrix(const struct planner *planner, const struct group *group, struct fused *fused)
{
    return fused_from(planner, group, true, fused);
}

/* --- bias ------------------------------------------------------------------------------------ */

bool bias_of(const struct planner *planner, const struct value *value, int axis, int64_t channels,
             const struct tensor **bias)
{
    const struct tensor *tensor = plan_constant(planner, value);

    *bias = NULL;
    if (!tensor || tensor->dtype != DTYPE_SCALAR)
        return false;
    if (shape_volume(&tensor->shape) == 1) {
        *bias = *(const float *)tensor->data != 0 ? tensor : NULL;
        return true;
    }
    *bias = tensor;
    return shape_volume(&tensor->shape) == channels && shape_extent(value->shape, axis) == channels;
}

void bias_fill(const struct tensor *bias, int64_t channels, float *items)
{
    for (int64_t i = 0; i < channels; i++)
        items[i] = 0;
    bias_add(bias, channels, items);
}

void bias_add(const struct tensor *bias, int64_t channels, float *items)
{
    const float *from = bias->data;
    int64_t step = shape_volume(&bias->shape) > 1;

    assert(bias->dtype == DTYPE_SCALAR);
    for (int64_t i = 0; i < channels; i++)
        items[i] += from[i * step];
}
