/*
 * onnx_data.h - the items of a tensor, in whichever of its fields they are
 *
 * An item of 4 or 2 bits shares its byte with the next ones, the first in the lowest bits.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_DATA_H
#define NNEFC_CONVERT_PROTO_ONNX_DATA_H

#include "convert/proto/onnx.h"
#include "tensor/item.h"
#include "tensor/tensor.h"

struct arena;
struct text;

/* "FLOAT", ...; "?" if it is none that we know. */
const char *onnx_type_name(int32_t type);

/* The data type of our own tensors for such items; UNKNOWN: they cannot hold them. */
enum dtype onnx_type_dtype(int32_t type);

/* The format of such items, 0 bits if it says less than the type; and the type of such a format,
 * UNDEFINED of 0 bits and of formats that ONNX has no type for. */
struct item_format onnx_type_items(int32_t type);
int32_t onnx_type_of_items(const struct item_format *items);

/* Bits of an item; 0 if the type is unknown, undefined or STRING. */
int onnx_type_bits(int32_t type);

/* Product of the dimensions; false if one is negative or if it does not fit. */
bool onnx_tensor_volume(const struct onnx_tensor *tensor, int64_t *volume);

/*
 * Are the dimensions impossible, or do data have another length, belong to another type, or lie in
 * several fields?  Then true, with the reason in *why.  It is no fault to have no data, since they
 * may be external.
 */
bool onnx_tensor_fault(const struct onnx_tensor *tensor, struct text *why);

/*
 * The items of a tensor without such a fault, in the format of raw_data: a view if they are there
 * or have a fixed width, else a copy in the arena.  The data are NULL if there are none, or if they
 * are strings.
 */
struct onnx_bytes onnx_tensor_bytes(struct arena *arena, const struct onnx_tensor *tensor);

/*
 * The items of a tensor without such a fault, as items of our own tensors: floats of 16 (both
 * kinds), 32 and 64 bits become scalars; integers and logicals stay what they are, and those of
 * UINT64 become the signed ones of the same bits.  *to views the bytes if their format allows it,
 * so these must last as long; else it owns its items.  `external` is the data of a tensor that has
 * them in another file; NULL: the tensor has them itself.  False after a report: for other types,
 * for data that are missing or of the wrong length, for more than MAX_RANK dimensions, for too
 * little memory.
 */
bool onnx_tensor_items(struct diag *diag, const char *file, const struct onnx_tensor *tensor,
                       const struct onnx_bytes *external, struct tensor *to);

/* The same of raw data of INT8 or UINT8, which stay bytes (struct tensor).  False, without a
 * report, for all others, and for a tensor with a fault. */
bool onnx_tensor_view(const struct onnx_tensor *tensor, const struct onnx_bytes *external,
                      struct tensor *to);

#endif
