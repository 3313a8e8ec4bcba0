/*
 * onnx_read.h - messages from the bytes of an ONNX file
 *
 * Only texts and lists of numbers are copied.  The data of tensors and the strings of attributes
 * are views of the bytes, which must outlast the messages.  Fields that onnx.h does not have are
 * skipped.  Numbers may be packed or not.  If a field comes twice, the rules of protocol buffers
 * hold: the last number or text counts, messages are merged.  onnx_tensor_fault() finds no fault in
 * the tensors of a message that was read.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_READ_H
#define NNEFC_CONVERT_PROTO_ONNX_READ_H

#include "convert/proto/onnx.h"

struct arena;
struct diag;

/* Levels of messages.  The model is the first; a graph in an attribute takes three more. */
enum { ONNX_NESTING_MAX = 64 };

/* A model that has a graph.  NULL after a report, in which `name` names the file. */
struct onnx_model *onnx_model_read(struct diag *diag, struct arena *arena, const char *name,
                                   struct onnx_bytes file);

/* The same for a file of a single tensor, such as the data of a test of ONNX. */
struct onnx_tensor *onnx_tensor_read(struct diag *diag, struct arena *arena, const char *name,
                                     struct onnx_bytes file);

#endif
