/*
 * merge_equal.c - what is computed twice in the same way is computed once
 *
 * The same operation of the same operands with the same attributes gives the same results, bit by
 * bit.  Nodes are found by a hash of all that, in time that grows with their number only.
 */
#include "pass/pass_priv.h"

#include "base/hash.h"
#include "op/op_build.h"

#include <assert.h>

/* Open addressing; there is room for twice the nodes of the graph. */
struct equal_nodes {
    struct slot {
        uint64_t hash;
        struct node *node; /* NULL: empty */
    } * slot;
    uint32_t count; /* a power of two */
};

static void begin(struct pass *pass)
{
    struct equal_nodes *found = pass_scratch(pass, 1, sizeof *found);
    uint32_t nodes = 0;

    for (const struct node *n = pass->graph->first; n; n = n->next)
        nodes++;
    for (found->count = 16; found->count / 2 < nodes;)
        found->count *= 2;
    found->slot = pass_scratch(pass, found->count, sizeof *found->slot);
    pass->data = found;
}

/* --- what is equal -------------------------------------------------------------------------- */

/* The order of two operands does not matter where they may change places. */
static bool is_swapped(const struct node *node)
{
    return (node->op->traits & OP_COMMUTATIVE) && node->nin == 2 &&
           node->in[0].value->id > node->in[1].value->id;
}

static const struct value *operand(const struct node *node, uint32_t index, bool swapped)
{
    assert(index < node->nin);
    return node->in[swapped ? 1 - index : index].value;
}

static bool nodes_equal(const struct node *a, const struct node *b)
{
    bool a_swapped = is_swapped(a), b_swapped = is_swapped(b);

    assert(a != b);
    if (a->op != b->op || a->nin != b->nin || a->nout != b->nout || a->generic != b->generic)
        return false;
    for (uint32_t i = 0; i < a->nin; i++)
        if (operand(a, i, a_swapped) != operand(b, i, b_swapped))
            return false;
    if (!attrs_equal(a->op, a->attrs, b->attrs))
        return false;
    for (uint32_t i = 0; i < a->nout; i++)
        if (!shape_known(a->out[i].shape) || !value_may_replace(&a->out[i], &b->out[i]))
            return false;
    return true;
}

static const char *visit(struct pass *pass, struct node *node)
{
    const struct equal_nodes *found = pass->data;
    bool swapped = is_swapped(node);

    if (node->op->traits & (OP_EFFECT | OP_CUSTOM))
        return NULL;
    uint64_t hash = hash_mix(attrs_hash(node), (uint64_t)(uintptr_t)node->op);
    hash = hash_mix(hash, (uint64_t)node->generic << 32 | node->nout);
    for (uint32_t i = 0; i < node->nin; i++)
        hash = hash_mix(hash, operand(node, i, swapped)->id);
    uint32_t at = (uint32_t)(hash >> 32) & (found->count - 1);
    while (found->slot[at].node &&
           (found->slot[at].hash != hash || !nodes_equal(found->slot[at].node, node)))
        at = (at + 1) & (found->count - 1);
    struct node *same = found->slot[at].node;
    if (same && node_is_pinned(pass, node))
        return pass_because(pass,
                            "it computes the same as '%s', but the quantization file names it",
                            VALUE_TEXT(&same->out[0]));
    if (same)
        pass_replace_node(pass, node, same);
    else
        found->slot[at] = (struct slot){hash, node};
    return NULL;
}

const struct pass_desc pass_merge_equal = {
    .purpose = "compute once what is computed twice",
    .begin = begin,
    .visit = visit,
};
