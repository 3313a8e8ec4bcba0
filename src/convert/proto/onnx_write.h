/*
 * onnx_write.h - a model as bytes, which depend on nothing else; fields go by their numbers
 *
 * Data of tensors go straight from where they are to the file; what is kept meanwhile is a size for
 * each message.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_WRITE_H
#define NNEFC_CONVERT_PROTO_ONNX_WRITE_H

#include "convert/proto/onnx.h"

struct diag;
struct sink;

/* No reader takes a larger file: data beyond that must be external. */
enum { ONNX_SIZE_MAX = INT32_MAX };

/* Bytes of the model when written, with the data that is not external; may exceed the maximum. */
uint64_t onnx_model_size(const struct onnx_model *model);

/*
 * Put the model into a sink, which tells by itself how that went.  False after a report: of what
 * makes data, or that it is too large, in which case nothing was put.
 */
bool onnx_model_put(struct diag *diag, const struct sink *sink, const struct onnx_model *model);

#endif
