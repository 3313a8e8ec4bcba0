/* export.c - inputs, nodes and outputs of an ONNX model; what an operation becomes, op/ says */
#include "convert/onnx/export.h"

#include "base/arena.h"
#include "convert/onnx/dynamic.h"
#include "convert/onnx/export_out.h"
#include "convert/onnx/export_rules.h"
#include "diag/context.h"
#include "op/op.h"

#include <string.h>

/* The oldest format that an opset may be in, which is what most readers take. */
static int64_t ir_version(int opset)
{
    if (opset < 15)
        return 7;
    if (opset < 19)
        return 8;
    return opset < 21 ? 9 : 10;
}

struct onnx_value_info *onnx_out_info(const struct onnx_out *out, const char *name,
                                      const struct value *value)
{
    return onnx_value_info_new(out->context->arena, name, onnx_type_of((enum dtype)value->dtype),
                               value->shape->extent, value->shape->rank);
}

/* --- tensors that no ONNX model can have --------------------------------------------------- */

static bool has_items(struct diag *diag, const struct value *value)
{
    if (value->dtype != DTYPE_STRING)
        return true;
    return diag_error(diag, value_span(value), DIAG_NOT_IN_ONNX,
                      "'%s' is a tensor of strings, expected scalars, integers or logical values "
                      "in an ONNX model",
                      VALUE_TEXT(value));
}

/* An input whose extents are all known and whose items ONNX has; else reports it. */
static bool input_expressible(const struct graph *graph, const struct port *input)
{
    struct diag *diag = graph->context->diag;
    const struct shape *shape = input->value->shape;

    if (shape_known(shape))
        return has_items(diag, input->value);
    diag_error(diag, value_span(input->value), DIAG_NOT_IN_ONNX,
               "the shape %s of parameter '%s' leaves extents open, expected a known shape for "
               "an ONNX model",
               SHAPE_TEXT(shape), input->name);
    diag_help(diag, "give all its extents with '--shape %s=...'.", input->name);
    return false;
}

/* Results whose items ONNX has; else reports each other. */
static bool results_expressible(const struct graph *graph, const struct node *node)
{
    bool ok = true;

    for (uint32_t i = 0; i < node->nout; i++)
        ok &= has_items(graph->context->diag, &node->out[i]);
    return ok;
}

/* The shapes of all its operands and results are known: they are not behind a custom operation. */
static bool shapes_known(const struct node *node)
{
    bool ok = true;

    for (uint32_t i = 0; i < node->nin; i++)
        ok &= shape_known(node->in[i].value->shape);
    for (uint32_t i = 0; i < node->nout; i++)
        ok &= shape_known(node->out[i].shape);
    return ok;
}

/* --- what is computed --------------------------------------------------------------------- */

static bool has_live_use(const struct value *value, const bool *live)
{
    for (const struct use *use = value->uses; use; use = use->next)
        if (live[use->node->id])
            return true;
    return false;
}

/* By node id: something that is shown needs it. */
static bool *live_nodes(const struct graph *graph)
{
    bool *live = arena_array_of(graph->context->arena, bool, graph->node_count + 1);

    for (int i = 0; i < graph->noutput; i++)
        if (graph->outputs[i].value->kind == VALUE_RESULT)
            live[graph->outputs[i].value->producer->id] = true;
    for (const struct node *n = graph->last; n; n = n->prev) {
        live[n->id] |= (n->op->traits & OP_EFFECT) != 0;
        for (uint32_t i = 0; i < n->nout; i++)
            live[n->id] |= has_live_use(&n->out[i], live);
    }
    return live;
}

/* What could not be said has a name for those that want it. */
static void name_results(struct onnx_out *out, const struct node *node)
{
    for (uint32_t i = 0; i < node->nout; i++)
        if (!out->name[node->out[i].id])
            out->name[node->out[i].id] = onnx_out_unique(out, node->op->name);
}

static bool add_node(struct onnx_out *out, const struct node *node)
{
    bool known = shapes_known(node) || !export_keeps(node->op);
    bool ok = results_expressible(out->from, node) && (known || out->allow_custom) &&
              onnx_out_emit(out, node, known);

    name_results(out, node);
    return ok;
}

static bool add_nodes(struct onnx_out *out)
{
    const bool *live = live_nodes(out->from);
    bool ok = true;

    for (const struct node *n = out->from->first; n && !diag_full(out->context->diag); n = n->next)
        if (live[n->id])
            ok &= add_node(out, n);
    out->node = NULL;
    return ok && !diag_full(out->context->diag);
}

/* --- inputs and outputs -------------------------------------------------------------------- */

static bool add_inputs(struct onnx_out *out)
{
    const struct graph *from = out->from;
    bool ok = true;

    for (int i = 0; i < from->ninput; i++) {
        const struct value *value = from->inputs[i].value;
        if (!input_expressible(from, &from->inputs[i])) {
            ok = false;
            continue;
        }
        struct onnx_value_info *info = onnx_out_info(out, onnx_out_value(out, value), value);
        out->to->input = onnx_value_info_append(out->to->input, info);
    }
    return ok;
}

/* Outputs are results of nodes, each of one name. */
static void add_output(struct onnx_out *out, const struct port *port)
{
    const char *name = onnx_out_value(out, port->value);
    struct onnx_value_info *info = onnx_out_info(out, port->name, port->value);

    if (port->value->kind != VALUE_RESULT || strcmp(name, port->name) != 0) {
        struct onnx_node *node = onnx_out_node(out, "Identity");
        onnx_node_input(out->context->arena, node, name);
        onnx_node_output(out->context->arena, node, port->name);
        node->name = port->name;
    }
    out->to->output = onnx_value_info_append(out->to->output, info);
}

/* Shapes of what has a name and is neither input nor output, for whoever looks at the model. */
static void add_shapes(struct onnx_out *out)
{
    for (const struct node *n = out->from->first; n; n = n->next)
        for (uint32_t i = 0; i < n->nout; i++) {
            const struct value *value = &n->out[i];
            if (!value->name || !out->name[value->id] || !value->uses ||
                value->shape->rank == RANK_UNKNOWN)
                continue;
            struct onnx_value_info *info = onnx_out_info(out, out->name[value->id], value);
            out->to->value_info = onnx_value_info_append(out->to->value_info, info);
        }
}

static bool fill_graph(struct onnx_out *out, struct onnx_model *model,
                       const struct onnx_options *options, struct npz_list *initial)
{
    bool ok = add_inputs(out);
    struct npz_list state = state_inputs(out);
    if (options->state_defaults)
        state_defaults(out);
    ok &= add_nodes(out);
    if (!ok)
        return false;
    for (int i = 0; i < out->from->noutput; i++)
        add_output(out, &out->from->outputs[i]);
    state_outputs(out, model);
    if (out->customs > 0) {
        onnx_opset_add(out->context->arena, &model->opset_import, ONNX_CUSTOM, ONNX_CUSTOM_VERSION);
        onnx_out_prune(out);
    }
    add_shapes(out);
    if (initial)
        *initial = state;
    return true;
}

struct onnx_model *onnx_fill_model(struct onnx_out *out, const struct graph *graph,
                                   const struct onnx_options *options, struct npz_list *initial)
{
    struct arena *arena = graph->context->arena;
    struct onnx_model *model = onnx_model_new(arena, ir_version(options->opset), graph->name);

    model->producer_name = "nnefc";
    model->producer_version = NNEFC_VERSION;
    onnx_opset_add(arena, &model->opset_import, "", options->opset);
    onnx_out_init(out, graph, model->graph, options->opset);
    out->allow_custom = options->allow_custom;
    return fill_graph(out, model, options, initial) ? model : NULL;
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
