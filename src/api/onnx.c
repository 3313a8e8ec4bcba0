/* onnx.c - models written in ONNX */
#include "api/onnx_dynamic.h"
#include "api/weights.h"
#include "base/arena.h"
#include "base/text.h"
#include "convert/onnx/export.h"
#include "convert/onnx/files.h"
#include "convert/proto/onnx_build.h"
#include "convert/proto/onnx_write.h"
#include "convert/onnx/export_rules.h"

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

static const char *kept(const struct nnefc_model *model, struct text *text)
{
    const char *copy = arena_strndup(model->context->arena, text->data, text->size);

    text_free(text);
    return copy;
}

/* Entries of the quantization file that nothing was done about are told, by tensor. */
static void add_quantization(const struct nnefc_model *model, struct onnx_model *onnx)
{
    for (const struct quant_entry *e = model->quant.first; e; e = e->next) {
        struct text key = {0}, call = {0};
        text_add(&key, "nnef.quant.%s", e->name);
        expr_print(e->call, model->document->dialect, &call);
        const char *name = kept(model, &key);
        onnx_entry_add(model->context->arena, &onnx->metadata_props, name, kept(model, &call));
    }
}

static bool write_onnx(struct nnefc_model *model, const char *path, const struct nnefc_onnx *how)
{
    bool defaults = how->state == NNEFC_ONNX_STATE_DEFAULT;
    bool open = how->dynamic_count > 0;
    struct onnx_dynamic dynamic;
    const struct onnx_options options = {how->opset ? how->opset : EMIT_OPSET, defaults,
                                         how->allow_custom, how->functions, open ? &dynamic : NULL};
    struct onnx_files files = {path, how->external_data, ONNX_SIZE_MAX, {0}};

    if (open && !onnx_dynamic_sample(model, how, &dynamic))
        return false;
    struct onnx_model *onnx = onnx_export(model->graph, &options, &files.state);
    if (!onnx)
        return false;
    if (!model->lower.apply_quant)
        add_quantization(model, onnx);
    if (defaults)
        files.state.count = 0;
    return onnx_files_write(model->context->diag, model->context->arena, onnx, &files);
}

enum nnefc_status nnefc_model_write_onnx(struct nnefc_model *model, const char *path,
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
