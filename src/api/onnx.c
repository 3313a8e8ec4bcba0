/* onnx.c - models written in ONNX (nnefc.h) */
#include "api/weights.h"
#include "base/text.h"
#include "convert/onnx/export.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/files.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"

#include <assert.h>

/* Make the messages of ONNX; NULL after a report.  `open` lives as long as the call. */
static struct onnx_model *make_onnx(struct nnefc_model *model, const struct nnefc_onnx *how,
                                    struct onnx_files *files)
{
    struct arena *arena = model->context->arena;
    struct onnx_symbol *symbol = arena_array_of(arena, struct onnx_symbol, how->dynamic_count);
    const struct onnx_open open = {symbol, how->dynamic_count, model->checked, &model->lower};
    const struct onnx_options options = {
        .opset = how->opset ? how->opset : EMIT_OPSET,
        .state_defaults = how->state == NNEFC_ONNX_STATE_DEFAULT,
        .allow_custom = how->allow_custom,
        .functions = how->functions,
        .open = open.count > 0 ? &open : NULL,
    };

    assert(options.opset >= EMIT_OPSET_MIN && options.opset <= EMIT_OPSET_MAX);
    for (int i = 0; i < how->dynamic_count; i++)
        symbol[i] = (struct onnx_symbol){how->dynamic[i].name, how->dynamic[i].parameter,
                                         how->dynamic[i].axis};
    struct onnx_model *onnx = onnx_export(model->graph, &options, &files->state);
    if (!onnx)
        return NULL;
    /* If entries of the quantization file are not applied, metadata tell them, by tensor. */
    const struct quant_entry *e = model->lower.apply_quant ? NULL : model->quant.entries.first;
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
    if (how->opset && (how->opset < EMIT_OPSET_MIN || how->opset > EMIT_OPSET_MAX))
        return misuse(model, "opset %d is not in the range from %d to %d", how->opset,
                      EMIT_OPSET_MIN, EMIT_OPSET_MAX);
    return true;
}

/* Compounds that ONNX has must not be expanded, so that is asked for before loading. */
bool api_model_write_onnx(struct nnefc_model *model, const char *path, const struct nnefc_onnx *how)
{
    struct nnefc_onnx wanted;

    if (!path)
        return misuse(model, "a model and a path are needed");
    if (!graph_is_there(model, "written"))
        return false;
    if (model->lower.keep != export_keeps && model->lower.keep != export_keeps_qdq)
        return misuse(model, "a model to be written in ONNX is loaded with NNEFC_KEEP_ONNX");
    if (!settings_take(model, how, &wanted, sizeof wanted) || !is_valid(model, &wanted))
        return false;
    struct context *context = model->context;
    if (wanted.dynamic_count > 0 && model->imported) { /* it has no externals to look at */
        diag_file_error(context->diag, path, DIAG_NOT_IN_NNEF,
                        "extents are left open only in what is made from a document of NNEF");
        return diag_help(context->diag, "convert the model to NNEF first.");
    }
    struct onnx_files files = {path, model->force, wanted.external_data, ONNX_SIZE_MAX, {0}};
    struct onnx_model *onnx = weights_load(model) ? make_onnx(model, &wanted, &files) : NULL;
    return onnx && onnx_files_write(context->diag, context->arena, onnx, &files);
}
