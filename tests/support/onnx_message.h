/* onnx_message.h - models of ONNX with anything in them, and whether two are the same */
#ifndef NNEFC_TESTS_SUPPORT_ONNX_MESSAGE_H
#define NNEFC_TESTS_SUPPORT_ONNX_MESSAGE_H

#include "base/text.h"
#include "convert/proto/onnx.h"

struct arena;

/* Each field is there with a probability of `percent`, graphs in attributes included. */
struct onnx_model *onnx_random_model(struct arena *arena, uint64_t seed, int percent);

/* False, and *where says which field differs in value or in being there at all. */
bool onnx_models_same(const struct onnx_model *a, const struct onnx_model *b, struct text *where);

#endif
