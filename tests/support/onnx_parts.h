/* onnx_parts.h - parts of ONNX models that no exporter makes */
#ifndef NNEFC_TESTS_SUPPORT_ONNX_PARTS_H
#define NNEFC_TESTS_SUPPORT_ONNX_PARTS_H

#include "convert/proto/onnx_build.h"

void onnx_node_tensor(struct arena *arena, struct onnx_node *node, const char *name,
                      struct onnx_tensor *value);
void onnx_node_graph(struct arena *arena, struct onnx_node *node, const char *name,
                     struct onnx_graph *value);

/* The data as raw bytes; the numbers are copied. */
void onnx_tensor_floats(struct arena *arena, struct onnx_tensor *tensor, const float *item,
                        size_t count);
void onnx_tensor_ints(struct arena *arena, struct onnx_tensor *tensor, const int64_t *item,
                      size_t count);

#endif
