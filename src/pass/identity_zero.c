/*
 * identity_zero.c - where it matters whether a zero is negative
 *
 * -0 equals 0; only a division by it tells them apart, as does a negative power, or a custom
 * operation, of which nothing is known.  Found is what such an operand depends on.
 */

#include "pass/identity.h"

#include <assert.h>

/* Do the items of all results tell nothing about the sign of a zero in an operand? */
static bool hides_sign(const struct node *node)
{
    return (node->op->traits & OP_ZEROS_ALIKE) || node->out[0].dtype != DTYPE_SCALAR;
}

static bool has_negative_powers(const struct node *node)
{
    const struct value *exponent = node->in[1].value;

    return !value_items(exponent) || range_of_items(exponent).nan ||
           range_of_items(exponent).low < 0;
}

/* What an update stores may be divided by in the next step. */
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
    return is_op(node, OP_rcp) || is_op(node, OP_rsqr) || is_op(node, OP_rsqrt) ||
           (is_op(node, OP_pow) && operand == 0 && has_negative_powers(node));
}

static bool is_told(const struct identities *identities, const struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (identities->told[node->out[i].id])
            return !hides_sign(node);
    return false;
}

/* From the end to the beginning: each node after all that need its results. */
void zeros_begin(struct pass *pass, struct identities *identities)
{
    identities->told = pass_room(pass, pass->graph->value_count, sizeof *identities->told);
    for (const struct node *n = pass->graph->last; n; n = n->prev) {
        bool told = is_told(identities, n);
        for (uint32_t i = 0; i < n->nin; i++)
            if (told || tells_sign(n, i))
                identities->told[n->in[i].value->id] = true;
    }
}

bool zero_may_be_negative(const struct pass *pass, const struct node *node,
                          const struct value *kept)
{
    struct identities *identities = pass->data;

    if (!range_of(kept).negative_zero || !identities->told[node->out[0].id])
        return true;
    identities->refused = kept;
    return false;
}
