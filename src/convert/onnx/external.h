/* external.h - weights of an ONNX model in a file of their own */
#ifndef NNEFC_CONVERT_ONNX_EXTERNAL_H
#define NNEFC_CONVERT_ONNX_EXTERNAL_H

#include "convert/proto/onnx.h"

struct arena;
struct diag;
struct sink;

/*
 * Put the data of all larger initializers into the sink, each at an offset that can be mapped, and
 * let them refer to that file by `location`, its path as seen from the model.  False after a report
 * of what makes the data; how the sink fares it tells by itself.
 */
bool onnx_put_external(struct diag *diag, struct arena *arena, struct onnx_model *model,
                       const char *location, const struct sink *sink);

#endif
