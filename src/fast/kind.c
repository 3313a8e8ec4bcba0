/* kind.c - what sort of work a step is; see kind.h */
#include "fast/kind.h"

#include "fast/step.h"
#include "op/convolve.h"
#include "op/op.h"

/* Of steps that begin with one of these operators. */
static const struct {
    enum op_id op;
    const char *kind;
} kinds[] = {
    {OP_matmul, "product"},
    {OP_linear, "product"},
    {OP_attention, "attention"},
    {OP_masked_attention, "attention"},
    {OP_max_pool, "pool"},
    {OP_max_pool_with_index, "pool"},
    {OP_avg_pool, "pool"},
    {OP_rms_pool, "pool"},
    {OP_box, "pool"},
    {OP_sum_reduce, "reduce"},
    {OP_mean_reduce, "reduce"},
    {OP_max_reduce, "reduce"},
    {OP_min_reduce, "reduce"},
    {OP_argmax_reduce, "reduce"},
    {OP_argmin_reduce, "reduce"},
    {OP_all_reduce, "reduce"},
    {OP_any_reduce, "reduce"},
    {OP_softmax, "normalize"},
    {OP_layer_normalization, "normalize"},
    {OP_batch_normalization, "normalize"},
    {OP_nearest_upsample, "resize"},
    {OP_multilinear_upsample, "resize"},
    {OP_nearest_downsample, "resize"},
    {OP_area_downsample, "resize"},
    {OP_transpose, "move"},
    {OP_concat, "move"},
    {OP_stack, "move"},
    {OP_split, "move"},
    {OP_unstack, "move"},
    {OP_slice, "move"},
    {OP_tile, "move"},
    {OP_pad, "move"},
    {OP_gather, "move"},
    {OP_reshape, "move"},
    {OP_squeeze, "move"},
    {OP_unsqueeze, "move"},
};

/* A channel of the result for each one of the input, of which there are several. */
static bool is_depthwise(const struct node *node)
{
    const struct shape *in = node->in[CONV_INPUT].value->shape, *out = node->out[0].shape;
    int64_t channels = shape_extent(in, 1);

    return channels > 1 &&
           conv_groups(in, node->in[CONV_FILTER].value->shape, out, false) == channels;
}

const char *step_kind(const struct step *step)
{
    const struct op_desc *op = step->count > 0 ? step->nodes[0]->op : NULL;

    if (!op)
        return "reorder";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (op_table[kinds[i].op] == op)
            return kinds[i].kind;
    if (op == op_table[OP_conv] && is_depthwise(step->nodes[0]))
        return "depthwise";
    return op->traits & OP_ELEMENTWISE ? "items" : op->name;
}
