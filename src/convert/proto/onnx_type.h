/* onnx_type.h - types and shapes of values in an ONNX file */
#ifndef NNEFC_CONVERT_PROTO_ONNX_TYPE_H
#define NNEFC_CONVERT_PROTO_ONNX_TYPE_H

#include "convert/proto/onnx_value.h"

struct onnx_dim { /* TensorShapeProto.Dimension; neither value nor parameter: unknown */
    struct onnx_dim *next;
    uint32_t has; /* ONNX_DIM_VALUE if dim_value is meant */
    int64_t dim_value;
    const char *dim_param;
    const char *denotation;
};
LIST_OF(onnx_dim);

enum { ONNX_DIM_VALUE = 1 << 1 };

struct onnx_shape { /* TensorShapeProto */
    uint32_t has;
    struct onnx_dim_list dim;
};

struct onnx_tensor_type { /* TypeProto.Tensor, .SparseTensor */
    uint32_t has;
    int32_t elem_type;        /* enum onnx_data_type */
    struct onnx_shape *shape; /* NULL: rank unknown */
};

struct onnx_element_type { /* TypeProto.Sequence, .Optional */
    uint32_t has;
    struct onnx_type *elem_type;
};

struct onnx_map_type { /* TypeProto.Map */
    uint32_t has;
    int32_t key_type;
    struct onnx_type *value_type;
};

struct onnx_type { /* TypeProto; one of the types at most */
    struct onnx_type *next;
    uint32_t has;
    struct onnx_tensor_type *tensor_type;
    struct onnx_element_type *sequence_type;
    struct onnx_map_type *map_type;
    const char *denotation;
    struct onnx_tensor_type *sparse_tensor_type;
    struct onnx_element_type *optional_type;
};
LIST_OF(onnx_type);

struct onnx_value_info { /* ValueInfoProto */
    struct onnx_value_info *next;
    uint32_t has;
    const char *name;
    struct onnx_type *type;
    const char *doc_string;
    struct onnx_entry_list metadata_props;
};
LIST_OF(onnx_value_info);

#endif
