/*
 * sparse.c - sparse tensors, as tensors of all their items
 *
 * SparseTensorProto: `values` of shape [count] has the items that are not 0.  `indices` says where
 * they are: of shape [count], by one index into all items in row-major order, or of shape
 * [count, rank], by an index for each dimension.
 */
#include "convert/onnx/import_priv.h"

#include "diag/context.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The shape of all items, which must fit into memory, and those of values and indices. */
static bool check_sparse(struct import *import, const struct onnx_sparse_tensor *from,
                         const struct imported *values, const struct imported *indices,
                         struct shape *shape)
{
    int64_t room = context_budget(import->builder.context) / (int64_t)sizeof(int64_t), volume;
    const struct shape *at = &indices->shape;

    if (from->dims.count > MAX_RANK)
        return import_fault(import, DIAG_ONNX_TENSOR,
                            "sparse tensor '%s' has %d dimensions, expected at most %d",
                            values->name, from->dims.count, MAX_RANK);
    for (int i = 0; i < from->dims.count; i++) {
        shape->extent[shape->rank++] = from->dims.item[i];
        if (from->dims.item[i] < 0)
            return import_fault(import, DIAG_ONNX_TENSOR,
                                "sparse tensor '%s' has a negative dimension", values->name);
    }
    if (!shape_volume_checked(shape, room, &volume))
        return import_fault(import, DIAG_MEMORY_LIMIT,
                            "sparse tensor '%s' of shape %s takes more memory than is left",
                            values->name, SHAPE_TEXT(shape));
    return (values->shape.rank == 1 && indices->known->dtype == DTYPE_INTEGER &&
            (at->rank == 1 || (at->rank == 2 && at->extent[1] == shape->rank)) &&
            at->extent[0] == values->shape.extent[0]) ||
           import_fault(import, DIAG_ONNX_TENSOR,
                        "sparse tensor '%s' has values of shape %s and indices of shape %s, "
                        "expected one index, or %d, for each value",
                        values->name, SHAPE_TEXT(&values->shape), SHAPE_TEXT(at), shape->rank);
}

/* Where value `index` goes in a tensor of that shape; -1: outside. */
static int64_t place(const struct tensor *indices, const struct shape *shape, int64_t index)
{
    bool flat = indices->shape.rank == 1;
    const int64_t *item = (const int64_t *)indices->data + index * (flat ? 1 : shape->rank);
    int64_t at = 0;

    assert(indices->dtype == DTYPE_INTEGER && index < indices->shape.extent[0]);
    if (flat)
        return *item >= 0 && *item < shape_volume(shape) ? *item : -1;
    for (int i = 0; i < shape->rank; i++) {
        if (item[i] < 0 || item[i] >= shape->extent[i])
            return -1;
        at = at * shape->extent[i] + item[i];
    }
    return at;
}

struct imported *import_sparse(struct import *import, const struct onnx_sparse_tensor *from)
{
    struct imported *values = from->values ? import_tensor(import, from->values) : NULL;
    struct imported *indices = from->indices ? import_tensor(import, from->indices) : NULL;
    struct shape shape = {0};
    struct tensor tensor;

    if (!from->values || !from->indices)
        import_fault(import, DIAG_ONNX_TENSOR, "a sparse tensor lacks its values or indices");
    if (!values || !indices || !check_sparse(import, from, values, indices, &shape))
        return NULL;
    if (!tensor_allocate(&tensor, values->known->dtype, &shape)) {
        import_fault(import, DIAG_RUN_MEMORY, "not enough memory for sparse tensor '%s'",
                     values->name);
        return NULL;
    }
    const struct tensor *to = builder_keep(&import->builder, &tensor);
    size_t size = dtype_size(to->dtype);
    for (int64_t i = 0; i < values->shape.extent[0]; i++) {
        int64_t at = place(indices->known, &shape, i);
        if (at < 0) {
            import_fault(import, DIAG_ONNX_TENSOR,
                         "sparse tensor '%s': index %" PRId64 " lies outside of shape %s",
                         values->name, i, SHAPE_TEXT(&shape));
            return NULL;
        }
        memcpy((unsigned char *)to->data + (size_t)at * size,
               (const unsigned char *)values->known->data + (size_t)i * size, size);
    }
    return imported_known(&import->builder, values->name, values->type, to);
}
