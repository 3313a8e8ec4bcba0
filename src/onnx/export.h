/*
 * export.h - an NNEF graph as an ONNX model
 *
 * The graph was lowered with `keep` as op_has_onnx(), all shapes are known, and its variables have
 * their data.  Names of inputs, outputs and identifiers are kept; nodes carry their place in the
 * text as doc_string.
 */
#ifndef NNEFC_ONNX_EXPORT_H
#define NNEFC_ONNX_EXPORT_H

#include "ir/graph.h"
#include "proto/onnx.h"

struct onnx_options {
    int opset; /* EMIT_OPSET_MIN to EMIT_OPSET_MAX */
};

/*
 * The model lives in the arena of the graph's compilation and refers to the data of its variables.
 * NULL after reports: one for each operation that ONNX cannot express.
 */
struct onnx_model *onnx_export(const struct graph *graph, const struct onnx_options *options);

#endif
