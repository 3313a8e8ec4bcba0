/* state.c - inputs and outputs for variables that are updated */
#include "convert/onnx/export_out.h"

#include "base/arena.h"
#include "diag/context.h"
#include "op/op.h"

static bool is_update(const struct node *node)
{
    return (node->op->traits & OP_EFFECT) != 0;
}

static void add_input(struct onnx_out *out, const struct value *variable, struct npz_array *initial)
{
    const char *name = onnx_out_input(out, variable);

    out->to->input = onnx_value_info_append(out->to->input, onnx_out_info(out, name, variable));
    *initial = (struct npz_array){name, variable->source->tensor};
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
        if (updated[s->value->id])
            add_input(out, s->value, &initial[list.count++]);
    return list;
}

void state_defaults(struct onnx_out *out)
{
    for (const struct source *s = out->from->variables.first; s; s = s->next)
        if (out->fed[s->value->id])
            onnx_out_default(out, s->value);
}

static void add_output(struct onnx_out *out, struct onnx_model *model, const struct node *update)
{
    struct arena *arena = out->context->arena;
    const struct value *variable = onnx_out_first(out, update->in[0].value);
    const char *label = update->in[0].value->source->label;
    const char *name = onnx_out_unique(out, onnx_out_text(out, "%s_out", label));
    struct onnx_node *node = onnx_out_node(out, "Identity");

    onnx_node_input(arena, node, onnx_out_value(out, &update->out[0]));
    onnx_node_output(arena, node, name);
    node->name = name;
    out->to->output = onnx_value_info_append(out->to->output, onnx_out_info(out, name, variable));
    onnx_entry_add(arena, &model->metadata_props, onnx_out_text(out, "nnef.state.%s", label),
                   onnx_out_text(out, "%s,%s", out->name[variable->id], name));
}

void state_outputs(struct onnx_out *out, struct onnx_model *model)
{
    for (const struct node *n = out->from->first; n; n = n->next)
        if (is_update(n))
            add_output(out, model, n);
}
