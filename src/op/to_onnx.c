/* to_onnx.c - what emitters of ONNX have in common */
#include "op/to_onnx.h"

bool op_has_onnx(const struct op_desc *op)
{
    return op->onnx_type || op->to_onnx;
}
