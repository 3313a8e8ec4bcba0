/* onnx_equal.c - whether messages that were made here say the same */
#include "convert/proto/onnx_equal.h"

#include <string.h>

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return a == b || size == 0 || memcmp(a, b, size) == 0;
}

static bool same_ints(const struct onnx_ints *a, const struct onnx_ints *b)
{
    return a->count == b->count && same_bytes(a->item, b->item, (size_t)a->count * sizeof *a->item);
}

static bool same_blob(const struct onnx_bytes *a, const struct onnx_bytes *b)
{
    return a->size == b->size && same_bytes(a->data, b->data, a->size);
}

static bool same_blobs(const struct onnx_blobs *a, const struct onnx_blobs *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!same_blob(&a->item[i], &b->item[i]))
            return false;
    return true;
}

bool onnx_tensor_equal(const struct onnx_tensor *a, const struct onnx_tensor *b)
{
    return a->data_type == b->data_type && same_ints(&a->dims, &b->dims) &&
           a->produce == b->produce && a->from == b->from && same_blob(&a->raw_data, &b->raw_data);
}

static bool same_attribute(const struct onnx_attribute *a, const struct onnx_attribute *b)
{
    return a->type == b->type && strcmp(a->name, b->name) == 0 && a->i == b->i &&
           same_bytes(&a->f, &b->f, sizeof a->f) && same_blob(&a->s, &b->s) &&
           same_ints(&a->ints, &b->ints) && a->floats.count == b->floats.count &&
           same_bytes(a->floats.item, b->floats.item,
                      (size_t)a->floats.count * sizeof *a->floats.item) &&
           same_blobs(&a->strings, &b->strings) && a->t == b->t && a->g == b->g;
}

const char *onnx_attributes_differ(const struct onnx_node *a, const struct onnx_node *b)
{
    const struct onnx_attribute *x = a->attribute.first, *y = b->attribute.first;

    for (; x && y; x = x->next, y = y->next)
        if (!same_attribute(x, y))
            return x->name;
    return x ? x->name : y ? y->name : NULL;
}
