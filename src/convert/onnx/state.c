/* state.c - inputs and outputs of an ONNX model for variables that are updated; see export_out.h */
#include "convert/onnx/export_out.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/op.h"

#include <assert.h>

static bool is_update(const struct node *node)
{
    return (node->op->traits & OP_EFFECT) != 0;
}

struct npz_list state_inputs(struct onnx_out *out)
{
    const struct graph *from = out->from;
    struct npz_array *initial =
        arena_array_of(out->context->arena, struct npz_array, from->variables.count + 1);
    bool *updated = arena_array_of(out->context->arena, bool, from->value_count + 1);
    struct npz_list list = {initial, 0};

    for (const struct node *n = from->first; n; n = n->next)
        if (is_update(n))
            updated[onnx_out_first(out, n->in[0].value)->id] = true;
    for (const struct source *s = from->variables.first; s; s = s->next)
        if (updated[s->value->id]) {
            const char *name = onnx_out_input(out, s->value);
            onnx_out_declare(out, &out->to->input, name, s->value);
            initial[list.count++] = (struct npz_array){name, s->tensor};
        }
    return list;
}

/* An initializer of the name of an input is the value of the input if it is not fed. */
void state_defaults(struct onnx_out *out)
{
    for (const struct source *s = out->from->variables.first; s; s = s->next)
        if (out->fed[s->value->id])
            onnx_out_default(out, s->value);
}

void state_outputs(struct onnx_out *out, struct onnx_model *model)
{
    struct arena *arena = out->context->arena;

    for (const struct node *n = out->from->first; n; n = n->next) {
        if (!is_update(n))
            continue;
        assert(n->in[0].value->kind == VALUE_VARIABLE);
        const struct value *variable = onnx_out_first(out, n->in[0].value);
        const char *label = n->in[0].value->source->label;
        const char *name = onnx_out_unique(out, onnx_out_text(out, "%s_out", label));
        onnx_out_show(out, "Identity", onnx_out_value(out, &n->out[0]), name);
        onnx_out_declare(out, &out->to->output, name, variable);
        onnx_entry_add(arena, &model->metadata_props, onnx_out_text(out, "nnef.state.%s", label),
                       onnx_out_text(out, "%s,%s", out->name[variable->id], name));
    }
}
