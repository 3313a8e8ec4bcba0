/* custom.c - operations that a client of the library implements (NNEF 1.0.5, section 2.5) */
#include "op/custom.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/op_build.h"

#include <assert.h>
#include <string.h>

/* What the operator of a node or call made here points to. */
struct custom_desc {
    struct op_desc op;
    const struct custom_op *custom;
};

static const struct custom_op *custom_of(const struct op_desc *op)
{
    return ((const struct custom_desc *)(const void *)op)->custom;
}

/* Whoever fails without a word is reported all the same. */
static bool custom_infer(struct infer *infer)
{
    const struct custom_op *custom = custom_of(infer->call->op);
    const struct diag *diag = infer->graph->context->diag;
    int errors = diag_error_count(diag);

    assert(infer->call->op->traits & OP_CUSTOM);
    if (custom->infer(infer, custom->user))
        return diag_error_count(diag) == errors;
    if (diag_error_count(diag) == errors)
        infer_error(infer, NULL, DIAG_CUSTOM, "'%s' refuses these arguments", custom->name);
    return false;
}

static bool custom_eval(const struct eval *eval)
{
    const struct custom_op *custom = custom_of(eval->node->op);
    int errors = diag_error_count(eval->diag);

    assert(eval->node->op->traits & OP_CUSTOM);
    if (custom->eval(eval, custom->user))
        return diag_error_count(eval->diag) == errors;
    if (diag_error_count(eval->diag) == errors)
        eval_error(eval, DIAG_CUSTOM, "'%s' failed", custom->name);
    return false;
}

const struct custom_op *custom_find(const struct custom_op *customs, int count, const char *name)
{
    for (int i = count - 1; i >= 0; i--)
        if (strcmp(customs[i].name, name) == 0)
            return &customs[i];
    return NULL;
}

struct op_desc *custom_desc(struct arena *arena, const struct custom_op *custom)
{
    struct custom_desc *desc = arena_new_of(arena, struct custom_desc);

    desc->custom = custom;
    desc->op.id = OP_COUNT;
    desc->op.traits = OP_CUSTOM;
    if (custom && custom->infer)
        desc->op.infer = custom_infer;
    if (custom && custom->eval)
        desc->op.eval = custom_eval;
    return &desc->op;
}

/* --- where shapes end --------------------------------------------------------------------- */

void custom_note_origin(struct diag *diag, const struct value *value)
{
    /* An operator with a shape rule has an operand of unknown shape, which leads on. */
    while (value && value->kind == VALUE_RESULT && value->producer->op->infer) {
        const struct node *node = value->producer;
        value = NULL;
        for (uint32_t i = 0; i < node->nin && !value; i++)
            if (node->in[i].value->shape->rank == RANK_UNKNOWN)
                value = node->in[i].value;
    }
    if (value && value->kind == VALUE_RESULT)
        diag_label(diag, value->producer->span, "shapes end here: '%s' has no shape rule",
                   value->producer->op->name);
}
