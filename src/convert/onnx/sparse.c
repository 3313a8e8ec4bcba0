/*
 * sparse.c - sparse tensors, as tensors of all their items
 *
 * SparseTensorProto: `values` has the items that are not 0, `indices` where they are, either in
 * row-major order of all items or by one index for each dimension.
 */
#include "convert/onnx/import_priv.h"

#include "diag/context.h"

#include <inttypes.h>
#include <string.h>

struct sparse {
    const char *name;
    const struct tensor *values, *indices;
    int64_t count; /* of the values */
    struct shape shape;
};

/* The shape of all items, which must fit into memory. */
static bool shape_of(struct import *import, const struct onnx_sparse_tensor *from,
                     struct sparse *sparse)
{
    int64_t room = context_budget(import->builder.context) / (int64_t)sizeof(int64_t), volume;

    if (from->dims.count > MAX_RANK)
        return import_fault(import, DIAG_ONNX_TENSOR,
                            "sparse tensor '%s' has %d dimensions, expected at most %d",
                            sparse->name, (int)from->dims.count, MAX_RANK);
    for (int i = 0; i < (int)from->dims.count; i++) {
        sparse->shape.extent[sparse->shape.rank++] = from->dims.item[i];
        if (from->dims.item[i] < 0)
            return import_fault(import, DIAG_ONNX_TENSOR,
                                "sparse tensor '%s' has a negative dimension", sparse->name);
    }
    return shape_volume_checked(&sparse->shape, room, &volume) ||
           import_fault(import, DIAG_MEMORY_LIMIT,
                        "sparse tensor '%s' of shape %s takes more memory than is left",
                        sparse->name, SHAPE_TEXT(&sparse->shape));
}

/* Indices of shape [count], or [count, rank]. */
static bool check_indices(struct import *import, const struct sparse *sparse)
{
    const struct shape *shape = &sparse->indices->shape;

    if (sparse->values->shape.rank == 1 && sparse->indices->dtype == DTYPE_INTEGER &&
        (shape->rank == 1 || (shape->rank == 2 && shape->extent[1] == sparse->shape.rank)) &&
        shape->extent[0] == sparse->count)
        return true;
    return import_fault(import, DIAG_ONNX_TENSOR,
                        "sparse tensor '%s' has values of shape %s and indices of shape %s, "
                        "expected one index, or %d, for each value",
                        sparse->name, SHAPE_TEXT(&sparse->values->shape), SHAPE_TEXT(shape),
                        sparse->shape.rank);
}

/* Where value `index` goes; -1: nowhere. */
static int64_t place(const struct sparse *sparse, int64_t index)
{
    const int64_t *indices = sparse->indices->data;
    int rank = sparse->shape.rank;
    int64_t at = 0;

    if (sparse->indices->shape.rank == 1) {
        at = indices[index];
        return at >= 0 && at < shape_volume(&sparse->shape) ? at : -1;
    }
    for (int i = 0; i < rank; i++) {
        int64_t k = indices[index * rank + i], extent = sparse->shape.extent[i];
        if (k < 0 || k >= extent)
            return -1;
        at = at * extent + k;
    }
    return at;
}

/* Items that no index names stay 0. */
static bool fill(struct import *import, const struct sparse *sparse, const struct tensor *to)
{
    size_t size = dtype_size(to->dtype);

    for (int64_t i = 0; i < sparse->count; i++) {
        int64_t at = place(sparse, i);
        if (at < 0)
            return import_fault(import, DIAG_ONNX_TENSOR,
                                "sparse tensor '%s': index %" PRId64 " lies outside of shape %s",
                                sparse->name, i, SHAPE_TEXT(&sparse->shape));
        memcpy((unsigned char *)to->data + (size_t)at * size,
               (const unsigned char *)sparse->values->data + (size_t)i * size, size);
    }
    return true;
}

struct imported *import_sparse(struct import *import, const struct onnx_sparse_tensor *from)
{
    struct imported *values = from->values ? import_tensor(import, from->values) : NULL;
    struct imported *indices = from->indices ? import_tensor(import, from->indices) : NULL;
    struct tensor tensor;

    if (!from->values || !from->indices)
        import_fault(import, DIAG_ONNX_TENSOR, "a sparse tensor lacks its values or indices");
    if (!values || !indices)
        return NULL;
    struct sparse sparse = {
        values->name, values->known, indices->known, shape_extent(&values->shape, 0), {0}};
    if (!shape_of(import, from, &sparse) || !check_indices(import, &sparse))
        return NULL;
    if (!tensor_allocate(&tensor, sparse.values->dtype, &sparse.shape)) {
        import_fault(import, DIAG_RUN_MEMORY, "not enough memory for sparse tensor '%s'",
                     sparse.name);
        return NULL;
    }
    const struct tensor *kept = builder_keep(&import->builder, &tensor);
    return fill(import, &sparse, kept)
               ? imported_known(&import->builder, sparse.name, values->type, kept)
               : NULL;
}
