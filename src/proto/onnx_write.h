/*
 * onnx_write.h - a model as bytes: the same for the same model, fields in the order of their numbers
 *
 * Data of tensors go straight from where they are to the file; what is kept meanwhile is a size for
 * each message.
 */
#ifndef NNEFC_PROTO_ONNX_WRITE_H
#define NNEFC_PROTO_ONNX_WRITE_H

#include "proto/onnx.h"

struct diag;
struct sink;

/* No reader takes a larger file: data beyond that must be external. */
enum { ONNX_SIZE_MAX = INT32_MAX };

/* Bytes of the model when written, with the data that is not external; may exceed the maximum. */
uint64_t onnx_model_size(const struct onnx_model *model);

/*
 * Write the file, complete or not at all ("-" is stdout).  False after a report: also if it is too
 * large, in which case nothing was touched.
 */
bool onnx_model_write(struct diag *diag, const char *path, const struct onnx_model *model);

/* The same into a sink, which tells by itself whether that went well. */
bool onnx_model_put(struct diag *diag, const struct sink *sink, const struct onnx_model *model);

/* One tensor, as the data sets of ONNX tests have them. */
bool onnx_tensor_put(struct diag *diag, const struct sink *sink, const struct onnx_tensor *tensor);

#endif
