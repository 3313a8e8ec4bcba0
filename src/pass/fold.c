/*
 * fold.c - what is computed from constants alone becomes a constant
 *
 * The reference kernel computes it, so that the items are those of every run.  It stays an
 * operation if the result would have more items than the constants that go with it, and more than
 * options->growth; if it takes too long, too much memory, or cannot be computed.
 */
#include "pass/pass_priv.h"

#include "diag/context.h"
#include "diag/diag.h"
#include "op/compute.h"
#include "op/op_build.h"

#include <assert.h>

/* Items that a kernel may read, which takes seconds; and what part of the memory that is left an
 * operation may take, so that however many there are, some remains. */
static const int64_t work_max = INT64_C(1) << 31;
enum { PART_OF_MEMORY = 8 };

/* --- what it costs and saves ---------------------------------------------------------------- */

static bool is_wanted(const struct pass *pass, const struct value *value)
{
    return value->uses || value_stays(pass, value);
}

/* Does nothing else need the operand?  One that is there twice goes with its last use. */
static bool goes_with(const struct pass *pass, const struct node *node, uint32_t index)
{
    const struct value *value = node->in[index].value;

    assert(index < node->nin);
    for (const struct use *u = value->uses; u; u = u->next)
        if (u->node != node || u > &node->in[index])
            return false;
    return !value_stays(pass, value);
}

/* NULL: the node, whose operands are known, may be folded. */
static const char *obstacle(const struct pass *pass, const struct node *node)
{
    int64_t most = context_budget(pass->graph->context) / PART_OF_MEMORY / (int64_t)sizeof(int64_t);
    int64_t sum = 0, made = 0, saved = 0, volume;

    assert(!node->op->introduces);
    if (node_is_pinned(pass, node))
        return "the quantization file names its result";
    for (uint32_t i = 0; i < node->nin + node->nout; i++) {
        const struct value *value = i < node->nin ? node->in[i].value : &node->out[i - node->nin];
        if (!shape_volume_checked(value->shape, most - sum, &volume))
            return "not enough memory is left to compute it";
        sum += volume;
        if (i >= node->nin && is_wanted(pass, value))
            made += volume;
        else if (i < node->nin && goes_with(pass, node, i))
            saved += shape_volume(&value_items(value)->shape);
    }
    if (node_work(node) > work_max)
        return "it takes too long to compute";
    if (made > pass->options->growth && made > saved)
        return "its result is larger than the constants that would go";
    return NULL;
}

/* --- computing it --------------------------------------------------------------------------- */

/* The results of the node by its reference kernel.  NULL, or why it has none: a kernel that finds a
 * fault would find it in a run, too, which is the place to report it. */
static const char *compute(struct pass *pass, const struct node *node, struct tensor *out)
{
    const struct tensor **in = pass_room(pass, node->nin, sizeof *in);
    struct diag *diag = diag_new(pass->graph->context->sources);
    const char *why = NULL;

    assert(node->op->eval);
    for (uint32_t i = 0; i < node->nin; i++)
        in[i] = value_items(node->in[i].value);
    if (!node_compute(node, in, out, diag))
        why = pass_because(pass, "%s", diag_at(diag, 0).text);
    diag_free(diag);
    return why;
}

/* Of a result of the node, which is called like the value. */
static struct shared_key key_of(const struct pass *pass, const struct node *node, uint32_t index,
                                const struct value *like)
{
    struct shared_key key = pass_key(pass, "fold");

    attrs_to_key(node, &key);
    shared_key_number(&key, index);
    shared_key_number(&key, like != NULL);
    for (uint32_t i = 0; i < node->nin; i++)
        pass_key_value(&key, node->in[i].value);
    return key;
}

/* Let results that were computed for another graph take the place of the node's; false, with
 * nothing replaced, unless that are all which are wanted. */
static bool take_shared(struct pass *pass, struct node *node, const struct value *like)
{
    struct value **found = pass_room(pass, node->nout, sizeof(struct value *));
    bool all = pass->graph->context->shared;

    for (uint32_t i = 0; i < node->nout && all; i++) {
        if (!is_wanted(pass, &node->out[i]))
            continue;
        struct shared_key key = key_of(pass, node, i, like);
        found[i] = pass_found(pass, &key, node->out[i].shape, like);
        all = found[i];
        shared_key_free(&key);
    }
    for (uint32_t i = 0, count = node->nout; i < count && all; i++)
        if (found[i])
            pass_replace(pass, &node->out[i], found[i]);
    return all;
}

/* --- the pass ------------------------------------------------------------------------------- */

const char *fold_node(struct pass *pass, struct node *node)
{
    const struct value *like = NULL; /* the first parameter: the result is called like it */

    if (node->nin == 0 || (node->op->traits & (OP_EFFECT | OP_CUSTOM)) || !node->op->eval)
        return NULL;
    for (uint32_t i = 0; i < node->nin; i++) {
        const struct value *value = node->in[i].value;
        if (!value_items(value))
            return NULL;
        like = !like && value->kind == VALUE_VARIABLE ? value : like;
    }
    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_known(node->out[i].shape) || shape_volume(node->out[i].shape) == 0)
            return NULL;
    const char *why = obstacle(pass, node);
    if (!why && take_shared(pass, node, like))
        return NULL;
    struct tensor *out = why ? NULL : pass_room(pass, node->nout, sizeof *out);
    why = why ? why : compute(pass, node, out);
    if (why)
        return why;
    /* The node goes with the last result that was needed. */
    for (uint32_t i = 0; i < node->nout; i++)
        if (is_wanted(pass, &node->out[i])) {
            struct shared_key key = key_of(pass, node, i, like);
            struct value *fixed = pass_fixed(pass, &key, &out[i], like);
            shared_key_free(&key);
            pass_replace(pass, &node->out[i], fixed);
        } else {
            tensor_clear(&out[i]);
        }
    return NULL;
}

static const char *visit(struct pass *pass, struct node *node)
{
    return node->op->traits & OP_DECODES ? NULL : fold_node(pass, node);
}

/* Constants that were folded take memory no longer. */
static void end(struct pass *pass)
{
    if (!pass->changes)
        return;
    pass_drop_unused(pass, VALUE_VARIABLE);
    pass_drop_unused(pass, VALUE_CONSTANT);
}

const struct pass_desc pass_fold_constants = {
    .purpose = "compute what depends on constants only",
    .visit = visit,
    .end = end,
};
