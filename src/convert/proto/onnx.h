/*
 * onnx.h - the messages of an ONNX file (onnx.proto up to IR version 13) as plain structs
 *
 * Members are called as in onnx.proto; what is not here (training, devices) is skipped on reading.
 * Everything lies in an arena, apart from what is said to be borrowed.
 *
 * Text that is absent is onnx_absent, an empty string, and never NULL; it is not written, whereas
 * any other "" is.  A message that is absent is NULL, and so is the data of absent bytes.  A number
 * is written if it is not 0 or if the bit of its field, 1 << number, is set in `has`; reading sets
 * that bit.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_H
#define NNEFC_CONVERT_PROTO_ONNX_H

#include "convert/proto/onnx_type.h"
#include "convert/proto/onnx_value.h"

LIST_OF(onnx_graph);

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
    struct onnx_graph_list graphs;
    const char *doc_string;
    struct onnx_type *tp;
    struct onnx_type_list type_protos;
    const char *ref_attr_name;
    struct onnx_sparse_tensor *sparse_tensor;
    struct onnx_sparse_tensor_list sparse_tensors;
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
    struct onnx_graph *next;
    uint32_t has;
    struct onnx_node_list node;
    const char *name;
    struct onnx_tensor_list initializer;
    const char *doc_string;
    struct onnx_value_info_list input, output, value_info;
    struct onnx_annotation_list quantization_annotation;
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
    struct onnx_attribute_list attribute_proto;
    struct onnx_value_info_list value_info;
    const char *overload;
    struct onnx_entry_list metadata_props;
};
LIST_OF(onnx_function);

struct onnx_model { /* ModelProto */
    uint32_t has;
    int64_t ir_version;
    const char *producer_name, *producer_version, *domain;
    int64_t model_version;
    const char *doc_string;
    struct onnx_graph *graph;
    struct onnx_opset_list opset_import;
    struct onnx_entry_list metadata_props;
    struct onnx_function_list functions;
};

#endif
