/*
 * onnx.h - the messages of an ONNX file (onnx.proto up to IR version 13) as plain structs
 *
 * Members have the names of onnx.proto.  The reader skips fields that are not here (training,
 * devices).  Everything lies in an arena, unless it is said to be borrowed.
 *
 * How absence is marked:
 *   text     it is onnx_absent, an empty string, and never NULL; the writer does put any other ""
 *   message  NULL
 *   bytes    their data are NULL
 *   number   it is 0, and the bit of its field, 1 << number, is not set in `has`; reading sets it
 *
 * A member that is not in messages.def is neither read nor written.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_H
#define NNEFC_CONVERT_PROTO_ONNX_H

#include "convert/proto/onnx_value.h"

struct onnx_dim { /* TensorShapeProto.Dimension; neither value nor parameter: unknown */
    struct onnx_dim *next;
    uint32_t has; /* ONNX_DIM_VALUE if dim_value is meant */
    int64_t dim_value;
    const char *dim_param;
};
LIST_OF(onnx_dim);

enum { ONNX_DIM_VALUE = 1 << 1 };

struct onnx_shape { /* TensorShapeProto */
    uint32_t has;
    struct onnx_dim_list dim;
};

struct onnx_tensor_type { /* TypeProto.Tensor */
    uint32_t has;
    int32_t elem_type;        /* enum onnx_data_type */
    struct onnx_shape *shape; /* NULL: rank unknown */
};

struct onnx_any { /* a message of which it matters only that it is there */
    uint32_t has;
};

struct onnx_type { /* TypeProto; one of the types at most */
    uint32_t has;
    struct onnx_tensor_type *tensor_type;
    struct onnx_any *sequence_type;
    struct onnx_any *map_type;
    struct onnx_any *sparse_tensor_type;
    struct onnx_any *optional_type;
};

struct onnx_value_info { /* ValueInfoProto */
    struct onnx_value_info *next;
    uint32_t has;
    const char *name;
    struct onnx_type *type;
    const char *doc_string;
    struct onnx_entry_list metadata_props;
};
LIST_OF(onnx_value_info);

struct onnx_attribute { /* AttributeProto */
    struct onnx_attribute *next;
    uint32_t has;
    int32_t type; /* enum onnx_attribute_type; files of IR version 1 lack it */
    const char *name;
    float f;
    int64_t i;
    struct onnx_bytes s;
    struct onnx_tensor *t;
    struct onnx_graph *g;
    struct onnx_floats floats;
    struct onnx_ints ints;
    struct onnx_blobs strings;
    struct onnx_tensor_list tensors;
    const char *doc_string;
    const char *ref_attr_name;
    struct onnx_sparse_tensor *sparse_tensor;
};
LIST_OF(onnx_attribute);

enum { ONNX_ATTR_HAS_F = 1 << 2, ONNX_ATTR_HAS_I = 1 << 3 };

struct onnx_node { /* NodeProto */
    struct onnx_node *next;
    uint32_t has;
    struct onnx_texts input, output; /* "": left out */
    const char *name, *op_type;
    struct onnx_attribute_list attribute;
    const char *doc_string, *domain, *overload;
    struct onnx_entry_list metadata_props;
    size_t at; /* the byte of the file that it begins at */
};
LIST_OF(onnx_node);

struct onnx_graph { /* GraphProto */
    uint32_t has;
    struct onnx_node_list node;
    const char *name;
    struct onnx_tensor_list initializer;
    const char *doc_string;
    struct onnx_value_info_list input, output, value_info;
    struct onnx_sparse_tensor_list sparse_initializer;
    struct onnx_entry_list metadata_props;
};

struct onnx_function { /* FunctionProto */
    struct onnx_function *next;
    uint32_t has;
    const char *name;
    struct onnx_texts input, output, attribute;
    struct onnx_node_list node;
    const char *doc_string;
    struct onnx_opset_list opset_import;
    const char *domain;
    struct onnx_value_info_list value_info;
    const char *overload;
    struct onnx_entry_list metadata_props;
};
LIST_OF(onnx_function);

struct onnx_model { /* ModelProto */
    uint32_t has;
    int64_t ir_version;
    const char *producer_name, *producer_version, *domain;
    const char *doc_string;
    struct onnx_graph *graph;
    struct onnx_opset_list opset_import;
    struct onnx_entry_list metadata_props;
    struct onnx_function_list functions;
};

#endif
