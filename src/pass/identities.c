/*
 * identities.c - operations whose result is the same as an operand
 *
 * Nodes and outputs read the operand instead of the result.  The graph keeps names and order of
 * outputs apart from their values: an output may show an input, a constant, or the value of another
 * output.  Exports write copies for such outputs.
 */
#include "pass/identity.h"

#include <assert.h>

/* By operator; custom ones have none. */
static identity_rule *const rules[OP_COUNT + 1] = {
    [OP_copy] = same_as_operand,
    [OP_copy_n] = same_as_operand,
    [OP_cast] = same_as_operand,
    [OP_tile] = same_as_operand,
    [OP_reshape] = same_as_reshaped,
    [OP_squeeze] = same_as_reshaped,
    [OP_unsqueeze] = same_as_reshaped,
    [OP_transpose] = same_as_transposed,
    [OP_slice] = same_as_section,
    [OP_pad] = same_as_padded,
    [OP_gather] = same_as_gathered,
    [OP_concat] = same_as_joined,
    [OP_stack] = same_as_joined,
    [OP_split] = same_as_part,
    [OP_unstack] = same_as_part,
    [OP_add] = same_as_sum,
    [OP_sub] = same_as_difference,
    [OP_mul] = same_as_product,
    [OP_div] = same_as_quotient,
    [OP_pow] = same_as_quotient,
    [OP_min] = same_as_extremum,
    [OP_max] = same_as_extremum,
    [OP_clamp] = same_as_clamped,
    [OP_relu] = same_as_relu,
    [OP_abs] = same_as_magnitude,
    [OP_leaky_relu] = same_as_leaky,
    [OP_prelu] = same_as_quotient,
    [OP_floor] = same_as_rounded,
    [OP_ceil] = same_as_rounded,
    [OP_round] = same_as_rounded,
    [OP_sign] = same_as_sign,
    [OP_neg] = same_as_negated_twice,
    [OP_not] = same_as_negated_twice,
    [OP_select] = same_as_choice,
    [OP_and] = same_as_both,
    [OP_or] = same_as_either,
    [OP_box] = same_as_window_sum,
    [OP_debox] = same_as_window_sum,
    [OP_avg_pool] = same_as_window_sum,
    [OP_max_pool] = same_as_window_maximum,
    [OP_max_pool_with_index] = same_as_window_maximum,
    [OP_nearest_upsample] = same_as_extreme,
    [OP_nearest_downsample] = same_as_extreme,
    [OP_multilinear_upsample] = same_as_mean,
    [OP_area_downsample] = same_as_mean,
    [OP_sum_reduce] = same_as_mean,
    [OP_mean_reduce] = same_as_mean,
    [OP_max_reduce] = same_as_extreme,
    [OP_min_reduce] = same_as_extreme,
    [OP_all_reduce] = same_as_extreme,
    [OP_any_reduce] = same_as_extreme,
};

static void begin(struct pass *pass)
{
    struct identities *identities = pass_scratch(pass, 1, sizeof *identities);

    identities->sign_matters =
        pass_scratch(pass, pass->graph->value_count, sizeof *identities->sign_matters);
    pass->data = identities;
}

/* The node goes with its last result that is needed. */
static const char *visit(struct pass *pass, struct node *node)
{
    struct identities *identities = pass->data;
    identity_rule *rule = rules[node->op->id];

    assert(identities);
    for (uint32_t i = 0; rule && i < node->nout; i++) {
        struct value *result = &node->out[i];
        if (!result->uses && !value_stays(pass, result))
            continue;
        identities->refused = NULL;
        struct value *same = rule(&(struct node_result){pass, node, i});
        if (same && value_may_replace(same, result) && !pass_replace(pass, result, same))
            pass_left(pass, node, "the quantization file names its result");
        if (!same && identities->refused && value_may_replace(identities->refused, result))
            pass_left(pass, node, "it makes 0 of -0, by which something may divide");
    }
    return NULL;
}

const struct pass_desc pass_remove_identities = {
    .purpose = "remove operations that give back an operand",
    .begin = begin,
    .visit = visit,
};
