/* message_table.c - the messages of onnx.proto, field by field */
#include "convert/proto/message_priv.h"

#define MEMBER(type, member) .name = #member, .offset = offsetof(struct onnx_##type, member)
#define STRUCT(type)         STRUCT_AT(type, 0)
#define STRUCT_AT(type, at)  sizeof(struct onnx_##type), offsetof(struct onnx_##type, has), at

static const struct field entry_fields[] = {
    {MEMBER(entry, key), .number = 1, .kind = FIELD_TEXT},
    {MEMBER(entry, value), .number = 2, .kind = FIELD_TEXT},
    {0},
};

const struct message message_entry = {STRUCT(entry), entry_fields};

static const struct field opset_fields[] = {
    {MEMBER(opset, domain), .number = 1, .kind = FIELD_TEXT},
    {MEMBER(opset, version), .number = 2, .kind = FIELD_INT64},
    {0},
};

const struct message message_opset = {STRUCT(opset), opset_fields};

static const struct field annotation_fields[] = {
    {MEMBER(annotation, tensor_name), .number = 1, .kind = FIELD_TEXT},
    {MEMBER(annotation, quant_parameter_tensor_names), .number = 2, .kind = FIELD_MANY,
     .type = &message_entry},
    {0},
};

static const struct message message_annotation = {STRUCT(annotation), annotation_fields};

static const struct field segment_fields[] = {
    {MEMBER(segment, begin), .number = 1, .kind = FIELD_INT64},
    {MEMBER(segment, end), .number = 2, .kind = FIELD_INT64},
    {0},
};

static const struct message message_segment = {STRUCT(segment), segment_fields};

static const struct field tensor_fields[] = {
    {MEMBER(tensor, dims), .number = 1, .kind = FIELD_INTS},
    {MEMBER(tensor, data_type), .number = 2, .kind = FIELD_INT32},
    {MEMBER(tensor, segment), .number = 3, .kind = FIELD_ONE, .type = &message_segment},
    {MEMBER(tensor, float_data), .number = 4, .kind = FIELD_FLOATS32},
    {MEMBER(tensor, int32_data), .number = 5, .kind = FIELD_VARINTS},
    {MEMBER(tensor, string_data), .number = 6, .kind = FIELD_BLOBS},
    {MEMBER(tensor, int64_data), .number = 7, .kind = FIELD_VARINTS},
    {MEMBER(tensor, name), .number = 8, .kind = FIELD_TEXT},
    {MEMBER(tensor, raw_data), .number = 9, .kind = FIELD_BYTES},
    {MEMBER(tensor, double_data), .number = 10, .kind = FIELD_FLOATS64},
    {MEMBER(tensor, uint64_data), .number = 11, .kind = FIELD_VARINTS},
    {MEMBER(tensor, doc_string), .number = 12, .kind = FIELD_TEXT},
    {MEMBER(tensor, external_data), .number = 13, .kind = FIELD_MANY, .type = &message_entry},
    {MEMBER(tensor, data_location), .number = 14, .kind = FIELD_INT32},
    {MEMBER(tensor, metadata_props), .number = 16, .kind = FIELD_MANY, .type = &message_entry},
    {0},
};

const struct message message_tensor = {STRUCT(tensor), tensor_fields};

static const struct field sparse_tensor_fields[] = {
    {MEMBER(sparse_tensor, values), .number = 1, .kind = FIELD_ONE, .type = &message_tensor},
    {MEMBER(sparse_tensor, indices), .number = 2, .kind = FIELD_ONE, .type = &message_tensor},
    {MEMBER(sparse_tensor, dims), .number = 3, .kind = FIELD_INTS},
    {0},
};

static const struct message message_sparse_tensor = {STRUCT(sparse_tensor), sparse_tensor_fields};

static const struct field dim_fields[] = {
    {MEMBER(dim, dim_value), .number = 1, .kind = FIELD_INT64, .alternative = true},
    {MEMBER(dim, dim_param), .number = 2, .kind = FIELD_TEXT, .alternative = true},
    {MEMBER(dim, denotation), .number = 3, .kind = FIELD_TEXT},
    {0},
};

const struct message message_dim = {STRUCT(dim), dim_fields};

static const struct field shape_fields[] = {
    {MEMBER(shape, dim), .number = 1, .kind = FIELD_MANY, .type = &message_dim},
    {0},
};

const struct message message_shape = {STRUCT(shape), shape_fields};

static const struct field tensor_type_fields[] = {
    {MEMBER(tensor_type, elem_type), .number = 1, .kind = FIELD_INT32},
    {MEMBER(tensor_type, shape), .number = 2, .kind = FIELD_ONE, .type = &message_shape},
    {0},
};

const struct message message_tensor_type = {STRUCT(tensor_type), tensor_type_fields};

static const struct field element_type_fields[] = {
    {MEMBER(element_type, elem_type), .number = 1, .kind = FIELD_ONE, .type = &message_type},
    {0},
};

static const struct message message_element_type = {STRUCT(element_type), element_type_fields};

static const struct field map_type_fields[] = {
    {MEMBER(map_type, key_type), .number = 1, .kind = FIELD_INT32},
    {MEMBER(map_type, value_type), .number = 2, .kind = FIELD_ONE, .type = &message_type},
    {0},
};

static const struct message message_map_type = {STRUCT(map_type), map_type_fields};

static const struct field type_fields[] = {
    {MEMBER(type, tensor_type), .number = 1, .kind = FIELD_ONE, .type = &message_tensor_type,
     .alternative = true},
    {MEMBER(type, sequence_type), .number = 4, .kind = FIELD_ONE, .type = &message_element_type,
     .alternative = true},
    {MEMBER(type, map_type), .number = 5, .kind = FIELD_ONE, .type = &message_map_type,
     .alternative = true},
    {MEMBER(type, denotation), .number = 6, .kind = FIELD_TEXT},
    {MEMBER(type, sparse_tensor_type), .number = 8, .kind = FIELD_ONE, .type = &message_tensor_type,
     .alternative = true},
    {MEMBER(type, optional_type), .number = 9, .kind = FIELD_ONE, .type = &message_element_type,
     .alternative = true},
    {0},
};

const struct message message_type = {STRUCT(type), type_fields};

static const struct field value_info_fields[] = {
    {MEMBER(value_info, name), .number = 1, .kind = FIELD_TEXT},
    {MEMBER(value_info, type), .number = 2, .kind = FIELD_ONE, .type = &message_type},
    {MEMBER(value_info, doc_string), .number = 3, .kind = FIELD_TEXT},
    {MEMBER(value_info, metadata_props), .number = 4, .kind = FIELD_MANY, .type = &message_entry},
    {0},
};

const struct message message_value_info = {STRUCT(value_info), value_info_fields};

static const struct field attribute_fields[] = {
    {MEMBER(attribute, name), .number = 1, .kind = FIELD_TEXT},
    {MEMBER(attribute, f), .number = 2, .kind = FIELD_FLOAT},
    {MEMBER(attribute, i), .number = 3, .kind = FIELD_INT64},
    {MEMBER(attribute, s), .number = 4, .kind = FIELD_BYTES},
    {MEMBER(attribute, t), .number = 5, .kind = FIELD_ONE, .type = &message_tensor},
    {MEMBER(attribute, g), .number = 6, .kind = FIELD_ONE, .type = &message_graph},
    {MEMBER(attribute, floats), .number = 7, .kind = FIELD_FLOATS},
    {MEMBER(attribute, ints), .number = 8, .kind = FIELD_INTS},
    {MEMBER(attribute, strings), .number = 9, .kind = FIELD_BLOBS},
    {MEMBER(attribute, tensors), .number = 10, .kind = FIELD_MANY, .type = &message_tensor},
    {MEMBER(attribute, graphs), .number = 11, .kind = FIELD_MANY, .type = &message_graph},
    {MEMBER(attribute, doc_string), .number = 13, .kind = FIELD_TEXT},
    {MEMBER(attribute, tp), .number = 14, .kind = FIELD_ONE, .type = &message_type},
    {MEMBER(attribute, type_protos), .number = 15, .kind = FIELD_MANY, .type = &message_type},
    {MEMBER(attribute, type), .number = 20, .kind = FIELD_INT32},
    {MEMBER(attribute, ref_attr_name), .number = 21, .kind = FIELD_TEXT},
    {MEMBER(attribute, sparse_tensor), .number = 22, .kind = FIELD_ONE,
     .type = &message_sparse_tensor},
    {MEMBER(attribute, sparse_tensors), .number = 23, .kind = FIELD_MANY,
     .type = &message_sparse_tensor},
    {0},
};

const struct message message_attribute = {STRUCT(attribute), attribute_fields};

static const struct field node_fields[] = {
    {MEMBER(node, input), .number = 1, .kind = FIELD_TEXTS},
    {MEMBER(node, output), .number = 2, .kind = FIELD_TEXTS},
    {MEMBER(node, name), .number = 3, .kind = FIELD_TEXT},
    {MEMBER(node, op_type), .number = 4, .kind = FIELD_TEXT},
    {MEMBER(node, attribute), .number = 5, .kind = FIELD_MANY, .type = &message_attribute},
    {MEMBER(node, doc_string), .number = 6, .kind = FIELD_TEXT},
    {MEMBER(node, domain), .number = 7, .kind = FIELD_TEXT},
    {MEMBER(node, overload), .number = 8, .kind = FIELD_TEXT},
    {MEMBER(node, metadata_props), .number = 9, .kind = FIELD_MANY, .type = &message_entry},
    {0},
};

const struct message message_node = {STRUCT_AT(node, offsetof(struct onnx_node, at)), node_fields};

static const struct field graph_fields[] = {
    {MEMBER(graph, node), .number = 1, .kind = FIELD_MANY, .type = &message_node},
    {MEMBER(graph, name), .number = 2, .kind = FIELD_TEXT},
    {MEMBER(graph, initializer), .number = 5, .kind = FIELD_MANY, .type = &message_tensor},
    {MEMBER(graph, doc_string), .number = 10, .kind = FIELD_TEXT},
    {MEMBER(graph, input), .number = 11, .kind = FIELD_MANY, .type = &message_value_info},
    {MEMBER(graph, output), .number = 12, .kind = FIELD_MANY, .type = &message_value_info},
    {MEMBER(graph, value_info), .number = 13, .kind = FIELD_MANY, .type = &message_value_info},
    {MEMBER(graph, quantization_annotation), .number = 14, .kind = FIELD_MANY,
     .type = &message_annotation},
    {MEMBER(graph, sparse_initializer), .number = 15, .kind = FIELD_MANY,
     .type = &message_sparse_tensor},
    {MEMBER(graph, metadata_props), .number = 16, .kind = FIELD_MANY, .type = &message_entry},
    {0},
};

const struct message message_graph = {STRUCT(graph), graph_fields};

static const struct field function_fields[] = {
    {MEMBER(function, name), .number = 1, .kind = FIELD_TEXT},
    {MEMBER(function, input), .number = 4, .kind = FIELD_TEXTS},
    {MEMBER(function, output), .number = 5, .kind = FIELD_TEXTS},
    {MEMBER(function, attribute), .number = 6, .kind = FIELD_TEXTS},
    {MEMBER(function, node), .number = 7, .kind = FIELD_MANY, .type = &message_node},
    {MEMBER(function, doc_string), .number = 8, .kind = FIELD_TEXT},
    {MEMBER(function, opset_import), .number = 9, .kind = FIELD_MANY, .type = &message_opset},
    {MEMBER(function, domain), .number = 10, .kind = FIELD_TEXT},
    {MEMBER(function, attribute_proto), .number = 11, .kind = FIELD_MANY,
     .type = &message_attribute},
    {MEMBER(function, value_info), .number = 12, .kind = FIELD_MANY, .type = &message_value_info},
    {MEMBER(function, overload), .number = 13, .kind = FIELD_TEXT},
    {MEMBER(function, metadata_props), .number = 14, .kind = FIELD_MANY, .type = &message_entry},
    {0},
};

const struct message message_function = {STRUCT(function), function_fields};

static const struct field model_fields[] = {
    {MEMBER(model, ir_version), .number = 1, .kind = FIELD_INT64},
    {MEMBER(model, producer_name), .number = 2, .kind = FIELD_TEXT},
    {MEMBER(model, producer_version), .number = 3, .kind = FIELD_TEXT},
    {MEMBER(model, domain), .number = 4, .kind = FIELD_TEXT},
    {MEMBER(model, model_version), .number = 5, .kind = FIELD_INT64},
    {MEMBER(model, doc_string), .number = 6, .kind = FIELD_TEXT},
    {MEMBER(model, graph), .number = 7, .kind = FIELD_ONE, .type = &message_graph},
    {MEMBER(model, opset_import), .number = 8, .kind = FIELD_MANY, .type = &message_opset},
    {MEMBER(model, metadata_props), .number = 14, .kind = FIELD_MANY, .type = &message_entry},
    {MEMBER(model, functions), .number = 25, .kind = FIELD_MANY, .type = &message_function},
    {0},
};

const struct message message_model = {STRUCT(model), model_fields};
