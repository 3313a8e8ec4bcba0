/* onnx_equal.h - whether messages that were made here say the same */
#ifndef NNEFC_CONVERT_PROTO_ONNX_EQUAL_H
#define NNEFC_CONVERT_PROTO_ONNX_EQUAL_H

#include "convert/proto/onnx.h"

/* Both of one type, shape and content; the names do not matter. */
bool onnx_tensor_equal(const struct onnx_tensor *a, const struct onnx_tensor *b);

/* The name of the first attribute in which nodes differ; NULL if they are equal in that.  Tensors
 * and graphs are not looked into: others are different. */
const char *onnx_attributes_differ(const struct onnx_node *a, const struct onnx_node *b);

#endif
