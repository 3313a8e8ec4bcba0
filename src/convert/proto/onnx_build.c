/* onnx_build.c - messages of ONNX made one by one */
#include "convert/proto/onnx_build.h"

#include "base/arena.h"
#include "convert/proto/message_priv.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

DEFINE_APPEND(onnx_value_info)
DEFINE_APPEND(onnx_tensor)
DEFINE_APPEND(onnx_node)
DEFINE_APPEND(onnx_attribute)
DEFINE_APPEND(onnx_function)
DEFINE_APPEND(onnx_sparse_tensor)

struct onnx_model *onnx_model_new(struct arena *arena, int64_t ir_version, const char *graph)
{
    struct onnx_model *model = message_new(arena, &message_model);

    model->ir_version = ir_version;
    model->graph = onnx_graph_new(arena, graph);
    return model;
}

struct onnx_graph *onnx_graph_new(struct arena *arena, const char *name)
{
    struct onnx_graph *graph = message_new(arena, &message_graph);

    graph->name = name;
    return graph;
}

void onnx_opset_add(struct arena *arena, struct onnx_opset_list *list, const char *domain,
                    int64_t version)
{
    struct onnx_opset *opset = message_new(arena, &message_opset);

    opset->domain = domain;
    opset->version = version;
    any_list_append(list, opset);
}

void onnx_entry_add(struct arena *arena, struct onnx_entry_list *list, const char *key,
                    const char *value)
{
    struct onnx_entry *entry = message_new(arena, &message_entry);

    entry->key = key;
    entry->value = value;
    any_list_append(list, entry);
}

struct onnx_node *onnx_node_new(struct arena *arena, struct onnx_graph *graph, const char *op_type)
{
    struct onnx_node *node = message_new(arena, &message_node);

    node->op_type = op_type;
    graph->node = onnx_node_append(graph->node, node);
    return node;
}

void onnx_text_add(struct arena *arena, struct onnx_texts *texts, const char *text)
{
    const char **room = any_array_append(arena, texts, sizeof *room);

    assert(text);
    *room = text;
}

struct onnx_function *onnx_function_new(struct arena *arena, struct onnx_model *model,
                                        const char *name, const char *domain)
{
    struct onnx_function *function = message_new(arena, &message_function);

    function->name = name;
    function->domain = domain;
    any_list_append(&model->functions, function);
    return function;
}

static struct onnx_attribute *add_attribute(struct arena *arena, struct onnx_node *node,
                                            const char *name, enum onnx_attribute_type type)
{
    struct onnx_attribute *attribute = message_new(arena, &message_attribute);

    assert(name && type != ONNX_ATTR_UNDEFINED);
    attribute->name = name;
    attribute->type = (int32_t)type;
    any_list_append(&node->attribute, attribute);
    return attribute;
}

void onnx_node_int(struct arena *arena, struct onnx_node *node, const char *name, int64_t value)
{
    struct onnx_attribute *attribute = add_attribute(arena, node, name, ONNX_ATTR_INT);

    attribute->i = value;
    attribute->has |= ONNX_ATTR_HAS_I;
}

void onnx_node_float(struct arena *arena, struct onnx_node *node, const char *name, float value)
{
    struct onnx_attribute *attribute = add_attribute(arena, node, name, ONNX_ATTR_FLOAT);

    attribute->f = value;
    attribute->has |= ONNX_ATTR_HAS_F;
}

static struct onnx_ints ints_copy(struct arena *arena, const int64_t *item, int count)
{
    struct onnx_ints ints = {arena_array_of(arena, int64_t, count), count};

    assert(count >= 0 && (item || count == 0));
    if (count)
        memcpy(ints.item, item, (size_t)count * sizeof *item);
    return ints;
}

void onnx_node_ints(struct arena *arena, struct onnx_node *node, const char *name,
                    const int64_t *item, int count)
{
    add_attribute(arena, node, name, ONNX_ATTR_INTS)->ints = ints_copy(arena, item, count);
}

void onnx_node_floats(struct arena *arena, struct onnx_node *node, const char *name,
                      const float *item, int count)
{
    struct onnx_floats floats = {arena_array_of(arena, float, count), count};

    if (count)
        memcpy(floats.item, item, (size_t)count * sizeof *item);
    add_attribute(arena, node, name, ONNX_ATTR_FLOATS)->floats = floats;
}

void onnx_node_string(struct arena *arena, struct onnx_node *node, const char *name,
                      const char *value)
{
    add_attribute(arena, node, name, ONNX_ATTR_STRING)->s =
        (struct onnx_bytes){value, strlen(value)};
}

void onnx_node_strings(struct arena *arena, struct onnx_node *node, const char *name,
                       const char *const *item, int count)
{
    struct onnx_blobs strings = {arena_array_of(arena, struct onnx_bytes, count), count};

    for (int i = 0; i < count; i++)
        strings.item[i] = (struct onnx_bytes){item[i], strlen(item[i])};
    add_attribute(arena, node, name, ONNX_ATTR_STRINGS)->strings = strings;
}

struct onnx_tensor *onnx_tensor_new(struct arena *arena, const char *name, enum onnx_data_type type,
                                    const int64_t *dim, int rank)
{
    struct onnx_tensor *tensor = message_new(arena, &message_tensor);

    assert(type > ONNX_UNDEFINED && type < ONNX_DATA_TYPE_COUNT);
    tensor->name = name;
    tensor->data_type = (int32_t)type;
    tensor->dims = ints_copy(arena, dim, rank);
    return tensor;
}

void onnx_tensor_raw(struct onnx_tensor *tensor, const void *data, size_t size)
{
    tensor->raw_data = (struct onnx_bytes){size ? data : onnx_absent, size};
}

void onnx_tensor_produce(struct onnx_tensor *tensor, size_t size, onnx_producer *produce,
                         const void *from)
{
    onnx_tensor_raw(tensor, onnx_absent, size);
    tensor->produce = produce;
    tensor->from = from;
}

static const char *decimal(struct arena *arena, uint64_t value)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRIu64, value);

    return arena_strndup(arena, digits, (size_t)size);
}

void onnx_tensor_external(struct arena *arena, struct onnx_tensor *tensor,
                          const struct onnx_extern *where)
{
    struct onnx_entry_list *list = &tensor->external_data;

    onnx_entry_add(arena, list, "location", where->location);
    onnx_entry_add(arena, list, "offset", decimal(arena, where->offset));
    onnx_entry_add(arena, list, "length", decimal(arena, where->length));
    tensor->data_location = ONNX_LOCATION_EXTERNAL;
}

struct onnx_value_info *onnx_value_info_new(struct arena *arena, const char *name,
                                            enum onnx_data_type type, const int64_t *dim, int rank)
{
    struct onnx_value_info *value = message_new(arena, &message_value_info);
    struct onnx_tensor_type *tensor = message_new(arena, &message_tensor_type);

    tensor->elem_type = (int32_t)type;
    if (rank >= 0)
        tensor->shape = message_new(arena, &message_shape);
    for (int i = 0; i < rank; i++) {
        struct onnx_dim *d = message_new(arena, &message_dim);
        any_list_append(&tensor->shape->dim, d);
        if (dim[i] < 0)
            continue;
        d->dim_value = dim[i];
        d->has = ONNX_DIM_VALUE;
    }
    value->name = name;
    value->type = message_new(arena, &message_type);
    value->type->tensor_type = tensor;
    return value;
}

void onnx_value_info_param(struct onnx_value_info *value, int axis, const char *param)
{
    struct onnx_dim *dim = value->type->tensor_type->shape->dim.first;

    assert(axis >= 0 && axis < value->type->tensor_type->shape->dim.count);
    while (axis-- > 0)
        dim = dim->next;
    dim->dim_param = param;
    dim->has &= ~(uint32_t)ONNX_DIM_VALUE;
    dim->dim_value = 0;
}
