/* onnx_dynamic.h - the graph of a model at other extents, for what is left open in ONNX */
#ifndef NNEFC_API_ONNX_DYNAMIC_H
#define NNEFC_API_ONNX_DYNAMIC_H

#include "api/api_priv.h"
#include "convert/onnx/dynamic.h"

/* What how->dynamic asks for, checked, and enough samples of it; all in the arena of the model.
 * The data of the model's variables was read.  False after reports. */
bool onnx_dynamic_sample(struct nnefc_model *model, const struct nnefc_onnx *how,
                         struct onnx_dynamic *dynamic);

#endif
