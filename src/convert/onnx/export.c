/* export.c - inputs, nodes and outputs of an ONNX model; emit.c and export_FAMILY.c make the nodes
 */
#include "convert/onnx/export.h"

#include "base/arena.h"
#include "convert/onnx/dynamic.h"
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_qoperator.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/operators.h"
#include "diag/context.h"
#include "lower/lower.h"
#include "op/op.h"

#include <assert.h>
#include <string.h>

/* Append type and shape of a value, which the model calls `name`. */
static void declare(const struct onnx_out *out, struct onnx_value_info_list *list, const char *name,
                    const struct value *value)
{
    struct onnx_value_info *info =
        onnx_value_info_new(out->context->arena, name, onnx_out_made_type(out, value),
                            value->shape->extent, value->shape->rank);

    *list = onnx_value_info_append(*list, info);
}

/* A node of `type` that makes a tensor of that name of `from`. */
static struct onnx_node *add_named(struct onnx_out *out, const char *type, const char *from,
                                   const char *name)
{
    struct onnx_node *node = onnx_out_node(out, type);

    onnx_text_add(out->context->arena, &node->input, from);
    onnx_text_add(out->context->arena, &node->output, name);
    node->name = name;
    return node;
}

/* --- tensors that no ONNX model can have ---------------------------------------------------- */

/* Does ONNX have items of that type?  Else reports it. */
static bool has_items(struct diag *diag, const struct value *value)
{
    if (value->dtype != DTYPE_STRING)
        return true;
    return diag_error(diag, value_span(value), DIAG_NOT_IN_ONNX,
                      "'%s' is a tensor of strings, expected scalars, integers or logical values "
                      "in an ONNX model",
                      VALUE_TEXT(value));
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* Adds what computes a node; false after reports. */
static bool add_node(struct onnx_out *out, const struct node *node)
{
    bool known = true, ok = true;

    assert(node->id < out->from->node_count);
    /* Shapes behind a custom operation are not known. */
    for (uint32_t i = 0; i < node->nin; i++)
        known &= shape_known(node->in[i].value->shape);
    for (uint32_t i = 0; i < node->nout; i++) {
        known &= shape_known(node->out[i].shape);
        ok &= has_items(out->context->diag, &node->out[i]);
    }
    known |= !export_keeps(node->op);
    ok = ok && (known || out->allow_custom) && onnx_out_emit(out, node, known);

    /* A result that could not be made has a name for the nodes that read it. */
    for (uint32_t i = 0; i < node->nout; i++)
        if (!out->name[node->out[i].id])
            out->name[node->out[i].id] = onnx_out_unique(out, node->op->name);
    return ok;
}

/* --- inputs and outputs --------------------------------------------------------------------- */

static void add_cast(struct onnx_out *out, const char *from, const char *to,
                     enum onnx_data_type type)
{
    struct onnx_node *node = add_named(out, "Cast", from, to);

    onnx_node_int(out->context->arena, node, "to", (int64_t)type);
}

static void declare_port(const struct onnx_out *out, struct onnx_value_info_list *list,
                         const char *name, const struct port *port)
{
    declare(out, list, name, port->value);
    list->last->type->tensor_type->elem_type = (int32_t)onnx_out_port_type(out, port);
}

/* Nodes read an input of another type behind a cast. */
static void add_input(struct onnx_out *out, const struct port *port)
{
    const struct value *value = port->value;
    const char *name = onnx_out_value(out, value);

    declare_port(out, &out->to->input, name, port);
    if (!onnx_out_casts(out, port))
        return;
    out->name[value->id] = onnx_out_unique(out, onnx_out_text(out, "%s_cast", name));
    add_cast(out, name, out->name[value->id], onnx_type_of((enum dtype)value->dtype));
}

/* Extents have to be known, and ONNX has to have the items; reports each input that is not so. */
static bool add_inputs(struct onnx_out *out)
{
    struct diag *diag = out->context->diag;
    bool ok = true;

    for (int i = 0; i < out->from->ninput; i++) {
        const struct port *input = &out->from->inputs[i];
        const struct value *value = input->value;
        if (!shape_known(value->shape)) {
            ok = diag_error(diag, value_span(value), DIAG_NOT_IN_ONNX,
                            "the shape %s of parameter '%s' leaves extents open, expected a known "
                            "shape for an ONNX model",
                            SHAPE_TEXT(value->shape), input->name);
            diag_help(diag, "give all its extents with '--shape %s=...'.", input->name);
        } else if (!has_items(diag, value)) {
            ok = false;
        } else {
            add_input(out, input);
        }
    }
    return ok;
}

/* Outputs are results of nodes, each of one name. */
static void add_output(struct onnx_out *out, const struct port *port)
{
    const char *name = onnx_out_value(out, port->value);

    if (onnx_out_casts(out, port))
        add_cast(out, name, port->name, onnx_out_port_type(out, port));
    else if (port->value->kind != VALUE_RESULT || strcmp(name, port->name) != 0)
        add_named(out, "Identity", name, port->name);
    declare_port(out, &out->to->output, port->name, port);
}

/* Shapes of tensors in between that have a name in the text, for those who look at the model. */
static void add_shapes(struct onnx_out *out)
{
    for (const struct node *n = out->from->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++) {
            const struct value *value = &n->out[i];
            if (value->name && out->name[value->id] && value->uses &&
                value->shape->rank != RANK_UNKNOWN)
                declare(out, &out->to->value_info, out->name[value->id], value);
        }
}

/* --- state ---------------------------------------------------------------------------------- */

/*
 * Variables that are updated (NNEF 1.0.5, section 4.8), in a format that has no state: such a
 * variable becomes an input of the model and its new value an output "LABEL_out"; metadata
 * "nnef.state.LABEL" = "input,output" says which belong together.  Whoever runs the model feeds the
 * output of one step to the next.  The first values are kept in a file beside the model, or in
 * an initializer of the input's name, which makes feeding it optional.
 */

static bool is_update(const struct node *node)
{
    return (node->op->traits & OP_EFFECT) != 0;
}

/* Behind the inputs of the graph, before its nodes are made; returns the first values. */
static struct npz_list state_inputs(struct onnx_out *out)
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
            declare(out, &out->to->input, name, s->value);
            initial[list.count++] = (struct npz_array){name, s->tensor};
        }
    return list;
}

/* Lets the model hold the first values: an initializer of the name of an input is the value of the
 * input if it is not fed. */
static void state_defaults(struct onnx_out *out)
{
    for (const struct source *s = out->from->variables.first; s; s = s->next)
        if (out->fed[s->value->id])
            onnx_out_default(out, s->value);
}

static void state_outputs(struct onnx_out *out, struct onnx_model *model)
{
    struct arena *arena = out->context->arena;

    for (const struct node *n = out->from->first; n; n = n->next) {
        if (!is_update(n))
            continue;
        assert(n->in[0].value->kind == VALUE_VARIABLE);
        const struct value *variable = onnx_out_first(out, n->in[0].value);
        const char *label = n->in[0].value->source->label;
        const char *name = onnx_out_unique(out, onnx_out_text(out, "%s_out", label));
        add_named(out, "Identity", onnx_out_value(out, &n->out[0]), name);
        declare(out, &out->to->output, name, variable);
        onnx_entry_add(arena, &model->metadata_props, onnx_out_text(out, "nnef.state.%s", label),
                       onnx_out_text(out, "%s,%s", out->name[variable->id], name));
    }
}

/* --- the whole ------------------------------------------------------------------------------ */

struct onnx_model *onnx_fill_model(struct onnx_out *out, const struct graph *graph,
                                   const struct onnx_options *options, struct npz_list *initial)
{
    struct arena *arena = graph->context->arena;
    int opset = options->opset;
    /* The oldest format that an opset may be in, which is what most readers take. */
    static const int first[] = {15, 19, 21, 23, 24, 25}; /* opsets of the formats 8, 9, ... */
    int64_t ir_version = 7;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        ir_version += opset >= first[i];
    struct onnx_model *model = onnx_model_new(arena, ir_version, graph->name);

    assert(opset >= EMIT_OPSET_MIN && opset <= EMIT_OPSET_MAX);
    model->producer_name = "nnefc";
    model->producer_version = NNEFC_VERSION;
    onnx_opset_add(arena, &model->opset_import, "", opset);
    onnx_out_init(out, graph, model->graph, options);

    bool ok = add_inputs(out);
    struct npz_list state = state_inputs(out);
    if (options->state_defaults)
        state_defaults(out);
    bool *live = arena_array_of(arena, bool, graph->value_count);
    find_live(graph, live);
    for (const struct node *n = graph->first; n && !diag_full(out->context->diag); n = n->next)
        if (is_live(n, live))
            ok &= add_node(out, n);
    out->node = NULL;
    if (!ok || diag_full(out->context->diag))
        return NULL;
    for (int i = 0; i < graph->noutput; i++)
        add_output(out, &graph->outputs[i]);
    state_outputs(out, model);
    if (out->customs > 0)
        onnx_opset_add(arena, &model->opset_import, ONNX_CUSTOM, ONNX_CUSTOM_VERSION);
    if (options->qoperators && onnx_use_qoperators(out, options->contrib))
        onnx_opset_add(arena, &model->opset_import, NAME_MICROSOFT, 1);
    onnx_out_prune(out);
    add_shapes(out);
    if (initial)
        *initial = state;
    return model;
}

struct onnx_model *onnx_export(const struct graph *graph, const struct onnx_options *options,
                               struct npz_list *initial)
{
    struct dynamic *dynamic = options->open ? dynamic_sample(graph, options->open) : NULL;
    struct onnx_out out;

    if (options->open && !dynamic)
        return NULL;
    struct onnx_model *model = onnx_fill_model(&out, graph, options, initial);
    bool ok = model && (!dynamic || dynamic_merge(dynamic, &out, model, options)) &&
              (!options->functions || onnx_make_functions(&out, model));
    onnx_out_clear(&out);
    return ok ? model : NULL;
}
