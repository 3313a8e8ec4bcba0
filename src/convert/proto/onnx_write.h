/*
 * onnx_write.h - a model as bytes
 *
 * Equal models give equal bytes: fields come in the order of their numbers.  The data of tensors go
 * to the sink from where they are; the writer itself keeps a size for each message only.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_WRITE_H
#define NNEFC_CONVERT_PROTO_ONNX_WRITE_H

#include "convert/proto/onnx.h"

struct diag;
struct sink;

/* No reader takes a larger file: data beyond that must be external. */
enum { ONNX_SIZE_MAX = INT32_MAX };

/*
 * Bytes of the model when written, with the data that is not external.  They may exceed the
 * maximum.
 */
uint64_t onnx_model_size(const struct onnx_model *model);

/*
 * Put the model into a sink, which reports faults of its own.  False after a report here: by a
 * producer of data, or that the model is too large; then nothing was put.
 */
bool onnx_model_put(struct diag *diag, const struct sink *sink, const struct onnx_model *model);

#endif
