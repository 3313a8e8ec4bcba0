/* onnx.c - models written in ONNX */
#include "api/api_priv.h"
#include "api/weights.h"
#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/export.h"
#include "convert/onnx/export_rules.h"
#include "convert/onnx/files.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"

#include <string.h>

static bool is_ready(const struct nnefc_model *model, const struct nnefc_onnx *how)
{
    if (!model->graph)
        misuse(model, "a model is written once it is loaded without errors");
    else if (model->lower.keep != export_keeps && model->lower.keep != export_keeps_qdq)
        misuse(model, "a model to be written in ONNX is loaded with NNEFC_KEEP_ONNX");
    else if (how->opset && (how->opset < EMIT_OPSET_MIN || how->opset > EMIT_OPSET_MAX))
        misuse(model, "opset %d is not in the range from %d to %d", how->opset, EMIT_OPSET_MIN,
               EMIT_OPSET_MAX);
    else if (how->dynamic_count > 0 && model->imported)
        misuse(model, "extents can be left open in what is made from a document of NNEF only");
    else
        return true;
    return false;
}

/* Entries of the quantization file that nothing was done about are told, by tensor. */
static void add_quantization(const struct nnefc_model *model, struct onnx_model *onnx)
{
    struct arena *arena = model->context->arena;

    for (const struct quant_entry *e = model->quant.first; e; e = e->next) {
        const char *key = text_format(arena, "nnef.quant.%s", e->name);
        struct text call = {0};
        expr_print(e->call, model->document->dialect, &call);
        onnx_entry_add(arena, &onnx->metadata_props, key, text_keep(&call, arena));
    }
}

static struct onnx_open open_extents(const struct nnefc_model *model, const struct nnefc_onnx *how)
{
    struct onnx_symbol *item =
        arena_array_of(model->context->arena, struct onnx_symbol, how->dynamic_count);

    for (int i = 0; i < how->dynamic_count; i++)
        item[i] = (struct onnx_symbol){how->dynamic[i].name, how->dynamic[i].parameter,
                                       how->dynamic[i].axis};
    return (struct onnx_open){item, how->dynamic_count, model->checked, &model->lower};
}

static bool write_onnx(struct nnefc_model *model, const char *path, const struct nnefc_onnx *how)
{
    const struct onnx_open open = open_extents(model, how);
    const struct onnx_options options = {
        .opset = how->opset ? how->opset : EMIT_OPSET,
        .state_defaults = how->state == NNEFC_ONNX_STATE_DEFAULT,
        .allow_custom = how->allow_custom,
        .functions = how->functions,
        .open = open.count > 0 ? &open : NULL,
    };
    struct onnx_files files = {path, how->external_data, ONNX_SIZE_MAX, {0}};
    struct onnx_model *onnx = onnx_export(model->graph, &options, &files.state);

    if (!onnx)
        return false;
    if (!model->lower.apply_quant)
        add_quantization(model, onnx);
    if (options.state_defaults)
        files.state.count = 0;
    return onnx_files_write(model->context->diag, model->context->arena, onnx, &files);
}

enum nnefc_status api_model_write_onnx(struct nnefc_model *model, const char *path,
                                       const struct nnefc_onnx *how)
{
    const struct nnefc_onnx standard = {0}, *wanted = how ? how : &standard;

    if (!model || !path)
        return misuse(model, "a model and a path are needed");
    int before = diag_count(model->context->diag);
    if (is_ready(model, wanted) && weights_load(model) && write_onnx(model, path, wanted))
        return NNEFC_OK;
    return status_since(model, before);
}
