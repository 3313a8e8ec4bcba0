/* state.c - inputs and outputs for variables that are updated */
#include "convert/onnx/state.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/text.h"
#include "diag/context.h"
#include "op/op.h"

#include <stdarg.h>

static bool is_update(const struct node *node)
{
    return (node->op->traits & OP_EFFECT) != 0;
}

static struct onnx_value_info *info_of(const struct onnx_out *out, const char *name,
                                       const struct value *value)
{
    return onnx_value_info_new(out->context->arena, name, onnx_type_of((enum dtype)value->dtype),
                               value->shape->extent, value->shape->rank);
}

static void add_input(struct onnx_out *out, const struct value *variable, struct npz_array *initial)
{
    const char *name = onnx_out_input(out, variable);

    out->to->input = onnx_value_info_append(out->to->input, info_of(out, name, variable));
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

static const char *text_of(const struct onnx_out *out, const char *fmt, ...) PRINTF_LIKE(2, 3);

static const char *text_of(const struct onnx_out *out, const char *fmt, ...)
{
    struct text text = {0};
    va_list args;

    va_start(args, fmt);
    text_add_v(&text, fmt, args);
    va_end(args);
    const char *kept = intern(out->context->names, text.data, text.size);
    text_free(&text);
    return kept;
}

static void add_output(struct onnx_out *out, struct onnx_model *model, const struct node *update)
{
    struct arena *arena = out->context->arena;
    const struct value *variable = onnx_out_first(out, update->in[0].value);
    const char *label = update->in[0].value->source->label;
    const char *name = onnx_out_unique(out, text_of(out, "%s_out", label));
    struct onnx_node *node = onnx_out_node(out, "Identity");

    onnx_node_input(arena, node, onnx_out_value(out, &update->out[0]));
    onnx_node_output(arena, node, name);
    node->name = name;
    out->to->output = onnx_value_info_append(out->to->output, info_of(out, name, variable));
    onnx_entry_add(arena, &model->metadata_props, text_of(out, "nnef.state.%s", label),
                   text_of(out, "%s,%s", out->name[variable->id], name));
}

void state_outputs(struct onnx_out *out, struct onnx_model *model)
{
    for (const struct node *n = out->from->first; n; n = n->next)
        if (is_update(n))
            add_output(out, model, n);
}
