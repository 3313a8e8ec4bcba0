/*
 * onnx_read.h - messages from the bytes of an ONNX file
 *
 * Nothing is copied but text and short lists of numbers: the data of tensors and the strings of
 * attributes are views of the bytes, which must outlast what is read.  Fields that onnx.h does not
 * have are skipped, packed and unpacked numbers are read alike, and a field that comes twice counts
 * as protocol buffers have it.  Whatever is read is sound as far as onnx_tensor_fault() can tell.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_READ_H
#define NNEFC_CONVERT_PROTO_ONNX_READ_H

#include "convert/proto/onnx.h"

struct arena;
struct diag;

/* Levels of messages: the model is the first, and a graph in an attribute takes three more. */
enum { ONNX_NESTING_MAX = 64 };

/* A model, which has a graph.  NULL after a report, in which the file is called `name`. */
struct onnx_model *onnx_model_read(struct diag *diag, struct arena *arena, const char *name,
                                   struct onnx_bytes file);

/* A file of a single tensor. */
struct onnx_tensor *onnx_tensor_read(struct diag *diag, struct arena *arena, const char *name,
                                     struct onnx_bytes file);

#endif
