/* onnx.c - models written in ONNX (nnefc.h), with what they leave open */
#include "api/open.h"
#include "api/weights.h"
#include "base/text.h"
#include "convert/onnx/export.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/files.h"
#include "convert/onnx/import_value.h"
#include "convert/onnx/keep.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"
#include "tensor/shared.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- extents that are left open ------------------------------------------------------------- */

/* Graphs of a model of ONNX at other extents, in a context of their own, until it is written. */
struct remade {
    struct nnefc_model *model;
    struct context *context;
    struct import_memory **memory; /* of each graph */
    int count;
};

/* It is the model's, so that it is freed if memory runs out. */
static struct remade *new_remade(struct nnefc_model *model)
{
    struct remade *remade = arena_new_of(model->context->arena, struct remade);

    remade_free(model); /* of a call that ran out of memory */
    if (!model->open.shared)
        model->open.shared = shared_new(model->context);
    *remade = (struct remade){.model = model, .context = context_child(model->context, NULL)};
    model->open.remade = remade;
    remade->context->shared = shared_join(model->open.shared);
    /* The graphs are compared, and nothing is computed of them. */
    remade->context->limits.volume = remade->context->limits.kernel_work = INT64_MAX;
    return remade;
}

void remade_free(struct nnefc_model *model)
{
    struct remade *remade = model->open.remade;

    for (int i = 0; remade && i < remade->count; i++)
        import_memory_free(remade->context, remade->memory[i]);
    if (remade) {
        free(remade->memory);
        shared_leave(remade->context->shared);
        context_free(remade->context);
    }
    model->open.remade = NULL;
}

/* The file is imported again.  What has to be known is reported, or if `part` is given noted in
 * the model; *part then tells where the graph ends. */
static struct graph *import_again(struct remade *remade, const struct shape_override *shapes,
                                  int count, struct onnx_part *part)
{
    struct nnefc_model *model = remade->model;
    struct onnx_import_options options = model->onnx.options;
    struct import_memory *memory = NULL;

    options.shapes = shapes;
    options.nshape = count;
    options.nfed = 0;
    options.files = &model->memory;
    options.order = model->open.order;
    options.deciding = part ? &model->open.deciding : NULL;
    options.part = part;
    struct graph *graph = onnx_import(remade->context, model->onnx.file, &options, &memory);
    remade->memory = heap_list(remade->memory, remade->count, sizeof *remade->memory);
    remade->memory[remade->count++] = memory;
    return graph;
}

/* For struct onnx_open. */
static struct graph *import_at(void *source, const struct shape_override *shapes, int count,
                               struct lower_trace *trace)
{
    (void)trace;
    return import_again(source, shapes, count, NULL);
}

/* For struct onnx_open: the text is lowered again. */
static struct graph *lower_at(void *source, const struct shape_override *shapes, int count,
                              struct lower_trace *trace)
{
    const struct nnefc_model *model = source;
    struct lower_options options = model->lower;
    struct limits *limits = &model->context->limits, before = *limits;

    options.overrides = shapes;
    options.noverride = count;
    options.trace = trace;
    limits->volume = limits->kernel_work = INT64_MAX;
    struct graph *graph = lower(model->checked, &options);
    *limits = before;
    return graph;
}

/* Are extents of a model of ONNX open, and nothing else? */
static bool has_open_extents_only(const struct nnefc_model *model)
{
    const struct loaded_open *open = &model->open;
    bool ok = !model->graph && open->interface && open->ncut == 0 && open->deciding.count == 0;

    for (int i = 0; ok && i < open->interface->ninput; i++)
        ok = open->interface->inputs[i].value->shape->rank != RANK_UNKNOWN;
    return ok;
}

static bool is_open_axis(const struct onnx_open *open, const char *input, int axis)
{
    for (int i = 0; i < open->count; i++)
        if (open->item[i].axis == axis && strcmp(open->item[i].input, input) == 0)
            return true;
    return false;
}

/* Is an extent called so, by the caller, by the file, or here? */
static bool is_symbol(const struct nnefc_model *model, const struct onnx_open *open,
                      const char *name)
{
    const struct loaded_open *all = &model->open;

    for (int i = 0; i < open->count; i++)
        if (strcmp(open->item[i].name, name) == 0)
            return true;
    for (int i = 0; i < all->interface->ninput; i++)
        for (int k = 0; k < all->inputs[i].rank; k++)
            if (all->inputs[i].dim[k].name && strcmp(all->inputs[i].dim[k].name, name) == 0)
                return true;
    return false;
}

/* A name for an extent that has none: that of the input and the axis, which no other one has. */
static const char *name_extent(const struct nnefc_model *model, const struct onnx_open *open,
                               const char *input, int axis)
{
    struct arena *arena = model->context->arena;
    const char *name = text_format(arena, "%s_%d", input, axis);

    while (is_symbol(model, open, name))
        name = text_format(arena, "%s_", name);
    return name;
}

static void add_symbol(struct nnefc_model *model, struct onnx_open *open, struct onnx_symbol symbol)
{
    open->item = arena_list(model->context->arena, open->item, open->count, sizeof symbol);
    open->item[open->count++] = symbol;
}

/* What the caller leaves open. */
static void add_asked(struct nnefc_model *model, const struct nnefc_onnx *how,
                      struct onnx_open *open)
{
    for (int i = 0; i < how->dynamic_count; i++) {
        const struct nnefc_dynamic *d = &how->dynamic[i];
        assert(d->name && d->parameter);
        add_symbol(model, open, (struct onnx_symbol){d->name, d->parameter, d->axis});
    }
}

/* The same, and what the file leaves open. */
static void add_symbols(struct nnefc_model *model, const struct nnefc_onnx *how,
                        struct onnx_open *open)
{
    const struct graph *interface = model->open.interface;

    add_asked(model, how, open);
    for (int i = 0; i < interface->ninput; i++) {
        const char *input = interface->inputs[i].name;
        const struct shape *shape = interface->inputs[i].value->shape;
        for (int axis = 0; axis < shape->rank; axis++) {
            const char *name = model->open.inputs[i].dim[axis].name;
            if (shape->extent[axis] != EXTENT_UNKNOWN || is_open_axis(open, input, axis))
                continue;
            name = name ? name : name_extent(model, open, input, axis);
            add_symbol(model, open, (struct onnx_symbol){name, input, axis});
        }
    }
}

/* Shapes of the inputs in which extents that are open are `base`, or if they differ another
 * multiple of it each. */
static const struct shape_override *
shapes_of(const struct nnefc_model *model, const struct onnx_open *open, int64_t base, bool differ)
{
    const struct graph *interface = model->open.interface;
    struct shape_override *shapes =
        arena_array_of(model->context->arena, struct shape_override, interface->ninput);

    for (int i = 0; i < interface->ninput; i++)
        shapes[i] =
            (struct shape_override){interface->inputs[i].name, *interface->inputs[i].value->shape};
    for (int i = 0; i < open->count; i++) {
        int first = 0; /* of that name */
        while (strcmp(open->item[first].name, open->item[i].name) != 0)
            first++;
        for (int k = 0; k < interface->ninput; k++)
            if (strcmp(shapes[k].name, open->item[i].input) == 0 &&
                open->item[i].axis < shapes[k].shape.rank)
                shapes[k].shape.extent[open->item[i].axis] = (differ ? first + 1 : 1) * base;
    }
    return shapes;
}

/* A graph of an open model, for the first extents that it can have; NULL after a report, or if
 * there is none because the model runs in parts or inputs decide. */
static struct graph *first_graph(struct onnx_open *open)
{
    static const int64_t bases[] = {64, 32, 16, 8, 4, 2, 1, 224, 1024};
    enum { COUNT = sizeof bases / sizeof *bases };
    struct remade *remade = open->source;
    assert(remade); /* of a model that is open */
    struct nnefc_model *model = remade->model;
    const struct onnx_graph *whole = model->onnx.file->graph;
    struct diag *diag = model->context->diag;
    struct graph *graph = NULL;

    open->nshape = model->open.interface->ninput;
    for (int i = 0; i < 2 * COUNT && !graph && has_open_extents_only(model); i++) {
        struct onnx_part part = {.graph = whole};
        int before = diag_count(diag);
        open->shapes = shapes_of(model, open, bases[i % COUNT], i < COUNT);
        graph = import_again(remade, open->shapes, open->nshape, &part);
        if (graph && onnx_order_node(model->open.order, whole, part.end))
            note_cut(model, &part);
        if (!graph && i < 2 * COUNT - 1)
            diag_take_back(diag, before);
    }
    if (!has_open_extents_only(model))
        return NULL;
    assert(open->shapes); /* some were tried */
    for (int i = 0; i < open->nshape && !graph; i++)
        diag_note(diag, (struct span){0},
                  "this is for '%s' of shape %s, and for others that were tried",
                  open->shapes[i].name, SHAPE_TEXT(&open->shapes[i].shape));
    if (!graph)
        diag_help(diag, "give extents that cannot vary with --dim or --shape.");
    return graph;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Make the messages of ONNX; NULL after a report.  `open` lives as long as the call. */
static struct onnx_model *make_onnx(struct nnefc_model *model, struct graph *graph,
                                    const struct nnefc_onnx *how, const struct onnx_open *open,
                                    struct onnx_files *files)
{
    struct arena *arena = model->context->arena;
    const struct onnx_options options = {
        .opset = how->opset ? how->opset : EMIT_OPSET,
        .state_defaults = how->state == NNEFC_ONNX_STATE_DEFAULT,
        .allow_custom = how->allow_custom,
        .functions = how->functions,
        .qoperators = how->quantized == NNEFC_ONNX_QOPERATOR,
        .contrib = !how->no_contrib,
        .open = open->count > 0 ? open : NULL,
    };

    assert(options.opset >= EMIT_OPSET_MIN && options.opset <= EMIT_OPSET_MAX);
    struct onnx_model *onnx =
        graph_fill(graph) ? onnx_export(graph, &options, &files->state) : NULL;
    if (!onnx)
        return NULL;
    /* If entries of the quantization file are not applied, metadata tell them, by tensor. */
    const struct quant_entry *e = graph->quantized ? NULL : model->quant.entries.first;
    for (; e; e = e->next) {
        const char *key = text_format(arena, "nnef.quant.%s", e->name);
        struct text call = {0};
        expr_print(e->call, model->document->dialect, &call);
        onnx_entry_add(arena, &onnx->metadata_props, key, text_keep(&call, arena));
    }
    if (options.state_defaults) /* they are in the model, and need no file */
        files->state.count = 0;
    return onnx;
}

/* Are the settings any that there are?  False after a report. */
static bool is_valid(const struct nnefc_model *model, const struct nnefc_onnx *how)
{
    bool complete = how->dynamic_count == 0 || (how->dynamic_count > 0 && how->dynamic);

    for (int i = 0; complete && i < how->dynamic_count; i++)
        complete = how->dynamic[i].parameter && how->dynamic[i].name;
    if (!complete)
        return misuse(model, "an extent that is left open needs a parameter and a name");
    if ((unsigned)how->state > NNEFC_ONNX_STATE_DEFAULT)
        return misuse(model, "%d is no way to begin with a state", (int)how->state);
    if ((unsigned)how->quantized > NNEFC_ONNX_QOPERATOR)
        return misuse(model, "%d is no way to write quantized layers", (int)how->quantized);
    if (how->opset && (how->opset < EMIT_OPSET_MIN || how->opset > EMIT_OPSET_MAX))
        return misuse(model, "opset %d is not in the range from %d to %d", how->opset,
                      EMIT_OPSET_MIN, EMIT_OPSET_MAX);
    return true;
}

static bool write_lowered(struct nnefc_model *model, const struct nnefc_onnx *how,
                          struct onnx_files *files)
{
    struct context *context = model->context;
    struct onnx_open open = {.shapes = model->lower.overrides,
                             .nshape = model->lower.noverride,
                             .graph_at = lower_at,
                             .source = model,
                             .traced = true};

    if (!weights_load(model))
        return false;
    if (how->dynamic_count > 0)
        open.span = model->checked->document->graph->span;
    add_asked(model, how, &open);
    struct onnx_model *onnx = make_onnx(model, model->graph, how, &open, files);
    return onnx && onnx_files_write(context->diag, context->arena, onnx, files);
}

/* Does the file have the operators that are asked for, if any are? */
static bool has_operators(const struct nnefc_model *model, const struct nnefc_onnx *how)
{
    if (how->quantized != NNEFC_ONNX_QDQ)
        return false;
    for (const struct onnx_opset *o = model->onnx.file->opset_import.first; o; o = o->next)
        if (!*o->domain || strcmp(o->domain, "ai.onnx") == 0)
            return how->opset == 0 || how->opset == o->version;
    return how->opset == 0;
}

/* The model with the operators that it has; NULL after a report. */
static struct onnx_model *keep_onnx(struct nnefc_model *model, const struct nnefc_onnx *how)
{
    struct onnx_import_options options = model->onnx.options;
    struct context *context = model->context;
    bool opens = how->dynamic_count > 0;

    if (opens || !has_operators(model, how)) {
        const bool quantized = how->quantized != NNEFC_ONNX_QDQ;
        const char *what = opens ? "written with other extents open"
                           : quantized
                               ? "written with other operators"
                               : text_format(context->arena, "written in opset %d", how->opset);
        report_unknown_items(model, what);
        diag_help(context->diag, "without %s its operators are kept as they are.",
                  opens       ? "--dynamic"
                  : quantized ? "--quant=qoperator"
                              : "--opset");
        return NULL;
    }
    options.files = &model->memory;
    return onnx_keep(context, model->onnx.file, &options, model->open.interface);
}

/* The model made anew at several extents, or if these cannot stay open so, as it was read. */
static struct onnx_model *make_open(struct nnefc_model *model, const struct nnefc_onnx *how,
                                    struct onnx_files *files)
{
    struct onnx_open open = {.graph_at = import_at, .source = new_remade(model)};
    struct diag *diag = model->context->diag;

    add_symbols(model, how, &open);
    struct graph *graph = first_graph(&open);
    if (!graph)
        return has_open_extents_only(model) ? NULL : keep_onnx(model, how);
    int before = diag_count(diag);
    struct onnx_model *onnx = make_onnx(model, graph, how, &open, files);
    if (onnx)
        return onnx;
    if (how->dynamic_count == 0 && has_operators(model, how) &&
        !context_cancelled(model->context)) {
        diag_take_back(diag, before);
        files->state.count = 0;
        return keep_onnx(model, how);
    }
    diag_help(diag,
              "extents that have to be equal take one name, as in --dynamic='%s:%d=n'; --dim and "
              "--shape give those that cannot vary%s.",
              open.item[0].input, open.item[0].axis,
              how->dynamic_count > 0 ? "" : "; without --opset the operators are kept as they are");
    return NULL;
}

/* A model of ONNX, whose open extents stay open. */
static bool write_imported(struct nnefc_model *model, const struct nnefc_onnx *how,
                           struct onnx_files *files)
{
    struct context *context = model->context;
    struct onnx_open open = {.shapes = model->onnx.options.shapes,
                             .nshape = model->onnx.options.nshape,
                             .graph_at = import_at};
    struct onnx_model *onnx;

    if (model->graph) {
        add_asked(model, how, &open);
        open.source = open.count > 0 ? new_remade(model) : NULL;
        onnx = make_onnx(model, model->graph, how, &open, files);
    } else if (has_open_extents_only(model)) {
        onnx = make_open(model, how, files);
    } else {
        onnx = keep_onnx(model, how);
    }
    bool ok = onnx && onnx_files_write(context->diag, context->arena, onnx, files);
    remade_free(model);
    return ok;
}

bool is_for_onnx(const struct nnefc_model *model)
{
    return model->lower.keep == export_keeps || model->lower.keep == export_keeps_qdq;
}

/* Compounds that ONNX has must not be expanded, so that is asked for before loading. */
bool api_model_write_onnx(struct nnefc_model *model, const char *path, const struct nnefc_onnx *how)
{
    struct nnefc_onnx wanted;

    if (!path)
        return misuse(model, "a model and a path are needed");
    if (!(model->onnx.file && model->open.interface) && !graph_is_there(model, "written"))
        return false;
    if (!is_for_onnx(model))
        return misuse(model, "a model to be written in ONNX is loaded with NNEFC_KEEP_ONNX");
    if (!settings_take(model, how, &wanted, sizeof wanted) || !is_valid(model, &wanted))
        return false;
    struct context *context = model->context;
    if (wanted.dynamic_count > 0 && model->imported && !model->onnx.file) {
        diag_file_error(context->diag, path, DIAG_NOT_IN_NNEF,
                        "extents can be left open only of an NNEF text or an ONNX file");
        return diag_help(context->diag, "convert the model to NNEF first.");
    }
    if (wanted.functions && !model->checked)
        return diag_file_error(context->diag, path, DIAG_NOT_IN_NNEF,
                               "only fragments of an NNEF text become functions, and this model is "
                               "none");
    if (model->is_part && (wanted.dynamic_count > 0 || wanted.functions))
        return misuse(model, "a part of a model has no extents to open, nor fragments");
    struct onnx_files files = {path, model->force, wanted.external_data, ONNX_SIZE_MAX, {0}};
    return model->onnx.file ? write_imported(model, &wanted, &files)
                            : write_lowered(model, &wanted, &files);
}
