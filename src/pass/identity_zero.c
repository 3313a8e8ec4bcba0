/*
 * identity_zero.c - where it matters whether a zero is negative
 *
 * -0 equals 0; only a division by it tells them apart, as does a negative power, or a custom
 * operation, of which nothing is known.  The pass finds what such an operand depends on.
 */
#include "pass/identity.h"

#include <assert.h>

/* Does an item of a result tell the sign of a zero in the operand?  What an update stores may be a
 * divisor in the next step. */
static bool tells_sign(const struct node *node, uint32_t operand)
{
    enum { VARIANCE = 2 };

    assert(operand < node->nin);
    if (node->op->traits & (OP_CUSTOM | OP_EFFECT))
        return true;
    if (is_op(node, OP_div))
        return operand == 1;
    if (is_op(node, OP_batch_normalization))
        return operand == VARIANCE;
    if (!is_op(node, OP_pow) || operand != 0)
        return is_op(node, OP_rcp) || is_op(node, OP_rsqr) || is_op(node, OP_rsqrt);
    const struct value *exponent = node->in[1].value;
    if (!value_items(exponent))
        return true;
    struct range powers = range_of_items(exponent);
    return powers.nan || powers.low < 0;
}

/* From the end to the beginning: each node after all that need its results. */
static void find_signs(const struct graph *graph, bool *matters)
{
    for (const struct node *n = graph->last; n; n = n->prev) {
        bool needed = false;
        for (uint32_t i = 0; i < n->nout; i++)
            needed = needed || matters[n->out[i].id];
        /* Some operations, such as comparisons, hide the sign of a zero in all their results. */
        if ((n->op->traits & OP_ZEROS_ALIKE) || (needed && n->out[0].dtype != DTYPE_SCALAR))
            needed = false;
        for (uint32_t i = 0; i < n->nin; i++)
            if (needed || tells_sign(n, i))
                matters[n->in[i].value->id] = true;
    }
}

bool zero_may_be_negative(const struct node_result *r, const struct value *kept)
{
    struct identities *identities = r->pass->data;

    assert(identities);
    if (!range_of(kept).negative_zero)
        return true;
    if (!identities->known)
        find_signs(r->pass->graph, identities->sign_matters);
    identities->known = true;
    if (!identities->sign_matters[r->node->out[0].id])
        return true;
    identities->refused = kept;
    return false;
}
