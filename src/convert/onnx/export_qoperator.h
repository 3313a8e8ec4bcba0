/* export_qoperator.h - operators on integers, such as QLinearConv, in an ONNX graph that is made */
#ifndef NNEFC_CONVERT_ONNX_EXPORT_QOPERATOR_H
#define NNEFC_CONVERT_ONNX_EXPORT_QOPERATOR_H

#include <stdbool.h>

struct onnx_out;

/*
 * Puts them in the place of plain operators between DequantizeLinear and QuantizeLinear.  The nodes
 * of the graph are made, and its outputs are known.  `contrib`: operators of domain com.microsoft,
 * too.  Returns whether the graph has one of these.
 */
bool onnx_use_qoperators(struct onnx_out *out, bool contrib);

#endif
