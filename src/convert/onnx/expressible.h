/* expressible.h - tensors that cannot be in an ONNX model, whatever computes them */
#ifndef NNEFC_CONVERT_ONNX_EXPRESSIBLE_H
#define NNEFC_CONVERT_ONNX_EXPRESSIBLE_H

#include "ir/graph.h"

#include <stdbool.h>

/* An input whose extents are all known and whose items ONNX has; else reports it. */
bool onnx_input_expressible(const struct graph *graph, const struct port *input);

/* Results whose items ONNX has; else reports each other. */
bool onnx_results_expressible(const struct graph *graph, const struct node *node);

/* The shapes of all its operands and results are known: they are not behind a custom operation. */
bool onnx_shapes_known(const struct node *node);

#endif
