/*
 * onnx_build.h - messages of ONNX made one by one
 *
 * Text and bytes are borrowed and must last as long as the message; numbers are copied.
 */
#ifndef NNEFC_CONVERT_PROTO_ONNX_BUILD_H
#define NNEFC_CONVERT_PROTO_ONNX_BUILD_H

#include "convert/proto/onnx.h"

struct arena;

/* With an empty graph of that name. */
struct onnx_model *onnx_model_new(struct arena *arena, int64_t ir_version, const char *graph);

/* Append to any list of opsets: those of a model or of a function. */
void onnx_opset_add(struct arena *arena, struct onnx_opset_list *list, const char *domain,
                    int64_t version);

/*
 * Append to the model a function for nodes of that type and domain.  The caller sets its nodes and
 * adds the names of its inputs and outputs.
 */
struct onnx_function *onnx_function_new(struct arena *arena, struct onnx_model *model,
                                        const char *name, const char *domain);

/* Append to any list of names: inputs, outputs.  "" stands for an optional one that is left out. */
void onnx_text_add(struct arena *arena, struct onnx_texts *texts, const char *text);

struct onnx_graph *onnx_graph_new(struct arena *arena, const char *name);

/* Append to any list of entries: metadata_props, external_data. */
void onnx_entry_add(struct arena *arena, struct onnx_entry_list *list, const char *key,
                    const char *value);

/* Append a node to the graph. */
struct onnx_node *onnx_node_new(struct arena *arena, struct onnx_graph *graph, const char *op_type);

/* Each appends an attribute.  Items are copied, strings are borrowed. */
void onnx_node_int(struct arena *arena, struct onnx_node *node, const char *name, int64_t value);
void onnx_node_ints(struct arena *arena, struct onnx_node *node, const char *name,
                    const int64_t *item, int count);
void onnx_node_float(struct arena *arena, struct onnx_node *node, const char *name, float value);
void onnx_node_floats(struct arena *arena, struct onnx_node *node, const char *name,
                      const float *item, int count);
void onnx_node_string(struct arena *arena, struct onnx_node *node, const char *name,
                      const char *value);
void onnx_node_strings(struct arena *arena, struct onnx_node *node, const char *name,
                       const char *const *item, int count);

/* Part of nothing yet: append it to the initializers of a graph.  `dim` has `rank` extents >= 0. */
struct onnx_tensor *onnx_tensor_new(struct arena *arena, const char *name, enum onnx_data_type type,
                                    const int64_t *dim, int rank);

/*
 * The data: little-endian bytes, which are borrowed; or `size` bytes that `produce` makes from
 * `from` while the model is written.
 */
void onnx_tensor_raw(struct onnx_tensor *tensor, const void *data, size_t size);
void onnx_tensor_produce(struct onnx_tensor *tensor, size_t size, onnx_producer *produce,
                         const void *from);

/* The data are `length` bytes from `offset` of another file, which is named from the model's
 * folder. */
struct onnx_extern {
    const char *location;
    uint64_t offset, length;
};
void onnx_tensor_external(struct arena *arena, struct onnx_tensor *tensor,
                          const struct onnx_extern *where);

/*
 * Part of nothing yet: append it to a graph's input, output or value_info.  An extent < 0 is
 * unknown, and so is a rank < 0.
 */
struct onnx_value_info *onnx_value_info_new(struct arena *arena, const char *name,
                                            enum onnx_data_type type, const int64_t *dim, int rank);

/* Make the extent of an axis a name, such as "batch", or unknown with onnx_absent. */
void onnx_value_info_param(struct onnx_value_info *value, int axis, const char *param);

DECLARE_APPEND(onnx_value_info);
DECLARE_APPEND(onnx_tensor);
DECLARE_APPEND(onnx_node);
DECLARE_APPEND(onnx_attribute);
DECLARE_APPEND(onnx_function);
DECLARE_APPEND(onnx_sparse_tensor);

#endif
