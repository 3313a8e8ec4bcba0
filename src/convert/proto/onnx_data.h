/*
 * onnx_data.h - the items of a tensor, in whichever of its fields they are
 *
 * An item of 4 or 2 bits shares its byte with the next ones, the first in the lowest bits.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_DATA_H
#define NNEFC_CONVERT_PROTO_ONNX_DATA_H

#include "convert/proto/onnx_value.h"

struct arena;
struct tensor;
struct text;

/* "FLOAT", ...; "?" if it is none that we know. */
const char *onnx_type_name(int32_t type);

/* Bits of an item; 0 if the type is unknown, undefined or STRING. */
int onnx_type_bits(int32_t type);

/* Product of the dimensions; false if one is negative or if it does not fit. */
bool onnx_tensor_volume(const struct onnx_tensor *tensor, int64_t *volume);

/*
 * True, and *why says it, if the dimensions are impossible, if there are data of another length or
 * for another type, or in several fields.  That there are none is no fault: they may be external.
 */
bool onnx_tensor_fault(const struct onnx_tensor *tensor, struct text *why);

/*
 * The items of a sound tensor as raw_data has them: a view if they are there or have fixed width,
 * else put together in the arena.  The data are NULL if there are none, or if they are strings.
 */
struct onnx_bytes onnx_tensor_bytes(struct arena *arena, const struct onnx_tensor *tensor);

/*
 * The items of a sound tensor as our own have them: floats of 16 (both kinds), 32 and 64 bits as
 * scalars, integers, logicals; in place where the bytes allow it, so that these must last.  Given
 * `external`, they are those bytes.  False after a report: for other types, for data that are
 * missing or of the wrong length, more than MAX_RANK dimensions, too little memory.
 */
bool onnx_tensor_items(struct diag *diag, const char *file, const struct onnx_tensor *tensor,
                       const struct onnx_bytes *external, struct tensor *to);

#endif
