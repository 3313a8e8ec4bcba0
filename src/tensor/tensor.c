/* tensor.c - memory of tensors */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): madvise() is not in POSIX */
#include "tensor/tensor.h"

#include "base/pool.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void release_heap(struct tensor *tensor)
{
    free(tensor->data);
}

static void release_pooled(struct tensor *tensor)
{
    pool_give(tensor->mapping, tensor->data, tensor_bytes(tensor));
}

size_t tensor_bytes(const struct tensor *tensor)
{
    return (size_t)shape_volume(&tensor->shape) * dtype_size(tensor->dtype);
}

void tensor_unload(const struct tensor *tensor)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)tensor->data;
    uintptr_t begin = (at + page - 1) / page * page;
    uintptr_t end = (at + tensor_bytes(tensor)) / page * page;

    if (tensor->mapped && begin < end)
        (void)madvise((char *)tensor->data + (begin - at), end - begin, MADV_DONTNEED);
}

int64_t tensor_memory(const struct tensor *tensor)
{
    if (!tensor->data || !tensor->release || tensor->mapped)
        return 0;
    return (int64_t)(tensor->mapping_size > 0 ? tensor->mapping_size : tensor_bytes(tensor));
}

bool tensor_allocate(struct tensor *tensor, enum dtype dtype, const struct shape *shape)
{
    return tensor_allocate_in(tensor, dtype, shape, NULL);
}

bool tensor_allocate_in(struct tensor *tensor, enum dtype dtype, const struct shape *shape,
                        struct pool *pool)
{
    size_t size = dtype_size(dtype);
    int64_t volume;

    assert(size > 0);
    *tensor = (struct tensor){.shape = *shape, .dtype = dtype};
    if (!shape_volume_checked(shape, PTRDIFF_MAX / (int64_t)size, &volume))
        return false;
    tensor->data = pool ? pool_take(pool, tensor_bytes(tensor))
                        : calloc(volume > 0 ? (size_t)volume : 1, size);
    tensor->release = pool ? release_pooled : release_heap;
    tensor->mapping = pool;
    return tensor->data != NULL;
}

void tensor_repeat(void *items, const struct tensor *item, int64_t count)
{
    size_t size = dtype_size(item->dtype);

    assert(shape_volume(&item->shape) > 0);
    for (int64_t i = 0; i < count; i++)
        memcpy((unsigned char *)items + (size_t)i * size, item->data, size);
}

bool tensor_spread(struct tensor *tensor, const struct tensor *item, const struct shape *shape)
{
    if (!tensor_allocate(tensor, item->dtype, shape))
        return false;
    tensor_repeat(tensor->data, item, shape_volume(shape));
    return true;
}

void tensor_clear(struct tensor *tensor)
{
    if (tensor->data && tensor->release)
        tensor->release(tensor);
    tensor->data = NULL;
    tensor->release = NULL;
}

double tensor_item(const struct tensor *tensor, int64_t index)
{
    assert(dtype_size(tensor->dtype) > 0);
    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        return (double)((const float *)tensor->data)[index];
    case DTYPE_INTEGER:
        return tensor->is_unsigned ? (double)((const uint64_t *)tensor->data)[index]
                                   : (double)((const int64_t *)tensor->data)[index];
    case DTYPE_LOGICAL:
        return ((const unsigned char *)tensor->data)[index] != 0;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return 0;
}

bool tensor_is_finite(const struct tensor *tensor)
{
    for (int64_t i = 0, volume = shape_volume(&tensor->shape); i < volume; i++)
        if (!isfinite(tensor_item(tensor, i)))
            return false;
    return true;
}

bool tensor_repeats(const struct tensor *tensor)
{
    size_t bytes = tensor_bytes(tensor), size = dtype_size(tensor->dtype);
    const unsigned char *data = tensor->data;

    return bytes > size && memcmp(data, data + size, bytes - size) == 0;
}

/* --- data types ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [DTYPE_UNKNOWN] = {"?", 0},
    [DTYPE_SCALAR] = {"scalar", sizeof(float)},
    [DTYPE_INTEGER] = {"integer", sizeof(int64_t)},
    [DTYPE_LOGICAL] = {"logical", sizeof(unsigned char)},
    [DTYPE_STRING] = {"string", 0},
};

size_t dtype_size(enum dtype dtype)
{
    return dtypes[dtype].size;
}

const char *dtype_name(enum dtype dtype)
{
    return dtypes[dtype].name;
}
