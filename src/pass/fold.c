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

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* Items that a kernel may read, which takes seconds; and what part of the memory that is left an
 * operation may take, so that however many there are, some remains. */
static const int64_t work_max = INT64_C(1) << 31;
enum { PART_OF_MEMORY = 8 };

static bool is_candidate(const struct node *node)
{
    if (node->nin == 0 || (node->op->traits & (OP_EFFECT | OP_CUSTOM)) || !node->op->eval)
        return false;
    for (uint32_t i = 0; i < node->nin; i++)
        if (!value_items(node->in[i].value))
            return false;
    for (uint32_t i = 0; i < node->nout; i++)
        if (!shape_known(node->out[i].shape) || shape_volume(node->out[i].shape) == 0)
            return false;
    return true;
}

/* --- what it costs and saves ---------------------------------------------------------------- */

static bool is_wanted(const struct pass *pass, const struct value *value)
{
    return value->uses || value_stays(pass, value);
}

/* Of the results that are needed. */
static int64_t items_made(const struct pass *pass, const struct node *node)
{
    int64_t items = 0;

    assert(!node->op->introduces);
    for (uint32_t i = 0; i < node->nout; i++)
        items += is_wanted(pass, &node->out[i]) ? shape_volume(node->out[i].shape) : 0;
    return items;
}

/* Does nothing else need the operand?  One that is there twice goes with its last use. */
static bool goes_with(const struct pass *pass, const struct node *node, uint32_t index)
{
    const struct value *value = node->in[index].value;

    for (const struct use *u = value->uses; u; u = u->next)
        if (u->node != node || u > &node->in[index])
            return false;
    return !value_stays(pass, value);
}

static int64_t items_saved(const struct pass *pass, const struct node *node)
{
    int64_t items = 0;

    for (uint32_t i = 0; i < node->nin; i++)
        if (goes_with(pass, node, i))
            items += shape_volume(&value_items(node->in[i].value)->shape);
    return items;
}

static bool fits_memory(const struct pass *pass, const struct node *node)
{
    int64_t most = context_budget(pass->graph->context) / PART_OF_MEMORY / (int64_t)sizeof(int64_t);
    int64_t sum = 0, volume;

    for (uint32_t i = 0; i < node->nin + node->nout; i++) {
        const struct value *value = i < node->nin ? node->in[i].value : &node->out[i - node->nin];
        if (!shape_volume_checked(value->shape, most - sum, &volume))
            return false;
        sum += volume;
    }
    return true;
}

/* NULL: it may be folded. */
static const char *obstacle(const struct pass *pass, const struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (value_is_pinned(pass, &node->out[i]))
            return "the quantization file names its result";
    if (!fits_memory(pass, node))
        return "not enough memory is left to compute it";
    if (node_work(node) > work_max)
        return "it takes too long to compute";
    int64_t made = items_made(pass, node);
    if (made > pass->options->growth && made > items_saved(pass, node))
        return "its result is larger than the constants that would go";
    return NULL;
}

/* --- computing it --------------------------------------------------------------------------- */

/* Operands with all their items; what was made for them. */
struct folded_operands {
    const struct tensor **in;
    struct tensor *made;
    uint32_t count;
};

static void operands_clear(struct folded_operands *operands)
{
    for (uint32_t i = 0; i < operands->count; i++)
        tensor_clear(&operands->made[i]);
}

static bool operands_take(struct pass *pass, struct folded_operands *operands,
                          const struct node *node)
{
    operands->in = pass_room(pass, node->nin, sizeof *operands->in);
    operands->made = pass_room(pass, node->nin, sizeof *operands->made);
    for (; operands->count < node->nin; operands->count++) {
        const struct value *value = node->in[operands->count].value;
        struct tensor *made = &operands->made[operands->count];
        const struct tensor *items = value_items(value);
        bool whole = shape_equal(&items->shape, value->shape);
        operands->in[operands->count] = whole ? items : made;
        if (!whole && !tensor_spread(made, items, value->shape))
            return false;
    }
    return true;
}

/* A kernel that finds a fault would find it in a run, too: that is the place to report it. */
static bool compute(struct pass *pass, const struct node *node, struct tensor *out)
{
    struct diag *diag = diag_new(pass->graph->context->sources);
    struct folded_operands operands = {0};
    bool ok = operands_take(pass, &operands, node) && node_compute(node, operands.in, out, diag);

    assert(node->op->eval);
    if (!ok)
        pass_left(pass, node, "%s",
                  diag_count(diag) ? diag_at(diag, 0).text : "not enough memory is left");
    operands_clear(&operands);
    diag_free(diag);
    return ok;
}

/* --- the pass ------------------------------------------------------------------------------- */

/* The first parameter it is computed from, so that the result is called like that. */
static const struct value *parameter_of(const struct node *node)
{
    for (uint32_t i = 0; i < node->nin; i++)
        if (node->in[i].value->kind == VALUE_VARIABLE)
            return node->in[i].value;
    return NULL;
}

/* The node goes with the last result that was needed. */
static void put(struct pass *pass, struct node *node, struct tensor *out)
{
    const struct value *like = parameter_of(node);

    for (uint32_t i = 0; i < node->nout; i++)
        if (is_wanted(pass, &node->out[i]))
            pass_replace(pass, &node->out[i], pass_fixed(pass, &out[i], like));
        else
            tensor_clear(&out[i]);
}

static void visit(struct pass *pass, struct node *node)
{
    if (!is_candidate(node))
        return;
    const char *why = obstacle(pass, node);
    struct tensor *out = why ? NULL : pass_room(pass, node->nout, sizeof *out);
    if (why)
        pass_left(pass, node, "%s", why);
    else if (compute(pass, node, out))
        put(pass, node, out);
}

/* What went into a result takes memory no longer. */
static void remove_operands(struct pass *pass)
{
    if (!pass->changes)
        return;
    pass_drop_unused(pass, VALUE_VARIABLE);
    pass_drop_unused(pass, VALUE_CONSTANT);
}

const struct pass_desc pass_fold_constants = {
    .purpose = "compute what depends on constants only",
    .visit = visit,
    .end = remove_operands,
};
