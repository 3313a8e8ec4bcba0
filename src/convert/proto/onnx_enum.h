/* onnx_enum.h - the numbers by which an ONNX file calls types */
#ifndef NNEFC_CONVERT_PROTO_ONNX_ENUM_H
#define NNEFC_CONVERT_PROTO_ONNX_ENUM_H

enum onnx_data_type { /* TensorProto.DataType */
                      ONNX_UNDEFINED,
                      ONNX_FLOAT,
                      ONNX_UINT8,
                      ONNX_INT8,
                      ONNX_UINT16,
                      ONNX_INT16,
                      ONNX_INT32,
                      ONNX_INT64,
                      ONNX_STRING,
                      ONNX_BOOL,
                      ONNX_FLOAT16,
                      ONNX_DOUBLE,
                      ONNX_UINT32,
                      ONNX_UINT64,
                      ONNX_COMPLEX64,
                      ONNX_COMPLEX128,
                      ONNX_BFLOAT16,
                      ONNX_FLOAT8E4M3FN,
                      ONNX_FLOAT8E4M3FNUZ,
                      ONNX_FLOAT8E5M2,
                      ONNX_FLOAT8E5M2FNUZ,
                      ONNX_UINT4,
                      ONNX_INT4,
                      ONNX_FLOAT4E2M1,
                      ONNX_FLOAT8E8M0,
                      ONNX_UINT2,
                      ONNX_INT2,
                      ONNX_DATA_TYPE_COUNT
};

enum onnx_attribute_type { /* AttributeProto.AttributeType */
                           ONNX_ATTR_UNDEFINED,
                           ONNX_ATTR_FLOAT,
                           ONNX_ATTR_INT,
                           ONNX_ATTR_STRING,
                           ONNX_ATTR_TENSOR,
                           ONNX_ATTR_GRAPH,
                           ONNX_ATTR_FLOATS,
                           ONNX_ATTR_INTS,
                           ONNX_ATTR_STRINGS,
                           ONNX_ATTR_TENSORS,
                           ONNX_ATTR_GRAPHS,
                           ONNX_ATTR_SPARSE_TENSOR,
                           ONNX_ATTR_SPARSE_TENSORS,
                           ONNX_ATTR_TYPE_PROTO,
                           ONNX_ATTR_TYPE_PROTOS
};

enum { ONNX_LOCATION_DEFAULT, ONNX_LOCATION_EXTERNAL }; /* TensorProto.DataLocation */

#endif
