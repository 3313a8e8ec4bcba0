/* onnx.c - models written in ONNX */
#include "api/api_priv.h"
#include "onnx/export.h"
#include "op/to_onnx.h"
#include "proto/onnx_write.h"

static bool is_ready(const struct nnefc_model *model, const struct nnefc_onnx *how)
{
    if (!model->graph)
        misuse(model, "a model is written once it is loaded without errors");
    else if (model->lower.keep != op_has_onnx)
        misuse(model, "a model to be written in ONNX is loaded with NNEFC_KEEP_ONNX");
    else if (how->opset && (how->opset < EMIT_OPSET_MIN || how->opset > EMIT_OPSET_MAX))
        misuse(model, "opset %d is not in the range from %d to %d", how->opset, EMIT_OPSET_MIN,
               EMIT_OPSET_MAX);
    else
        return true;
    return false;
}

enum nnefc_status nnefc_model_write_onnx(struct nnefc_model *model, const char *path,
                                         const struct nnefc_onnx *how)
{
    const struct nnefc_onnx standard = {0}, *wanted = how ? how : &standard;

    if (!model || !path)
        return misuse(model, "a model and a path are needed");
    int before = diag_count(model->context->diag);
    if (!is_ready(model, wanted) || !weights_load(model))
        return status_since(model, before);
    struct onnx_options options = {.opset = wanted->opset ? wanted->opset : EMIT_OPSET};
    struct onnx_model *onnx = onnx_export(model->graph, &options);
    if (!onnx || !onnx_model_write(model->context->diag, path, onnx))
        return status_since(model, before);
    return NNEFC_OK;
}
