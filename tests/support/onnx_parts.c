/* onnx_parts.c - parts of ONNX models that no exporter makes */
#include "support/onnx_parts.h"

#include "base/arena.h"
#include "tensor/bytes.h"

#include <string.h>

/* An attribute of another type in the place of an integer. */
static struct onnx_attribute *add_attribute(struct arena *arena, struct onnx_node *node,
                                            const char *name, enum onnx_attribute_type type)
{
    onnx_node_int(arena, node, name, 0);
    node->attribute.last->type = (int32_t)type;
    node->attribute.last->has = 0;
    return node->attribute.last;
}

void onnx_node_tensor(struct arena *arena, struct onnx_node *node, const char *name,
                      struct onnx_tensor *value)
{
    add_attribute(arena, node, name, ONNX_ATTR_TENSOR)->t = value;
}

void onnx_node_graph(struct arena *arena, struct onnx_node *node, const char *name,
                     struct onnx_graph *value)
{
    add_attribute(arena, node, name, ONNX_ATTR_GRAPH)->g = value;
}

void onnx_tensor_floats(struct arena *arena, struct onnx_tensor *tensor, const float *item,
                        size_t count)
{
    unsigned char *bytes = arena_array(arena, count, sizeof *item);

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &item[i], sizeof bits);
        bytes_store(bytes + i * sizeof bits, sizeof bits, bits);
    }
    onnx_tensor_raw(tensor, bytes, count * sizeof *item);
}

void onnx_tensor_ints(struct arena *arena, struct onnx_tensor *tensor, const int64_t *item,
                      size_t count)
{
    unsigned char *bytes = arena_array(arena, count, sizeof *item);

    for (size_t i = 0; i < count; i++)
        bytes_store(bytes + i * sizeof *item, sizeof *item, (uint64_t)item[i]);
    onnx_tensor_raw(tensor, bytes, count * sizeof *item);
}
