/* epilogue.c - see epilogue.h */
#include "exec/epilogue.h"

#include "diag/context.h"
#include "exec/planner.h"
#include "ir/graph.h"
#include "tensor/shared.h"
#include "tensor/tensor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
        {OP_gelu_tanh, ACTIVATION_GELU_TANH},
        {OP_leaky_relu, ACTIVATION_LEAKY_RELU},
        {OP_elu, ACTIVATION_ELU},
    };

    if (is_op(node, OP_clamp)) { /* clamp(x, a, b) is max(min(x, b), a) */
        double low, high;
        if (!plan_number(planner, node->in[1].value, &low) || isnan(low) ||
            !plan_number(planner, node->in[2].value, &high) || isnan(high))
            return false;
        *e = (struct epilogue){ACTIVATION_CLAMP, (float)low, (float)high};
        return true;
    }
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

bool fused_of(const struct planner *planner, const struct group *group, bool of_matrix,
              struct fused *fused)
{
    const struct shape *shape = group->nodes[0]->out[0].shape;
    int last = shape->rank - 1;

    assert(group->count > 0);
    *fused = (struct fused){0};
    for (int i = 1; i < group->count; i++) {
        const struct node *node = group->nodes[i];
        bool first = group_is_inner(group, i, 0), adds = is_op(node, OP_add);
        int inner = 0;
        for (uint32_t k = 0; k < node->nin; k++)
            inner += group_is_inner(group, i, k);

        /* Nothing follows an activation; each node reads the sums once. */
        if (fused->epilogue.activation != ACTIVATION_NONE || inner != 1 || (!first && !adds) ||
            !shape_equal(node->out[0].shape, shape))
            return false;

        /* An addend is a bias if it is one constant row, and a residual if it has all items. */
        const struct value *addend = adds ? node->in[first].value : NULL;
        const struct tensor *bias = NULL;
        if (addend && of_matrix && !fused->bias &&
            bias_of(planner, addend, last, shape->extent[last], &bias) && bias)
            fused->bias = bias;
        else if (addend && !fused->residual && shape_equal(addend->shape, shape))
            fused->residual = addend;
        else if (!activation_of(planner, node, &fused->epilogue))
            return false;
    }
    return true;
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

static void sum_up(const struct tensor *const bias[2], int64_t channels, float *sum)
{
    memset(sum, 0, (size_t)channels * sizeof *sum);
    for (int k = 0; k < 2; k++) {
        const float *from = bias[k] ? bias[k]->data : NULL;
        int64_t step = bias[k] && shape_volume(&bias[k]->shape) > 1;
        for (int64_t i = 0; from && i < channels; i++)
            sum[i] += from[i * step];
    }
}

bool bias_make(struct planner *planner, const struct tensor *const bias[2], int64_t channels,
               const float **sum)
{
    size_t size = (size_t)channels * sizeof **sum;
    bool made = false;

    *sum = NULL;
    if (!bias[0] && !bias[1])
        return true;
    struct shared_key key = shared_key(planner->graph->context->shared, "bias");
    shared_key_number(&key, channels);
    for (int k = 0; k < 2; k++) {
        shared_key_number(&key, bias[k] != NULL);
        if (bias[k])
            shared_key_tensor(&key, bias[k]);
    }
    float *items = plan_share(&key, size, &made);
    if (!items) {
        items = plan_memory(planner, size);
        made = items;
    }
    if (made)
        sum_up(bias, channels, items);
    *sum = items;
    return items;
}
