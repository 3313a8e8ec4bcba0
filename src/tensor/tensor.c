/* tensor.c - memory of tensors */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): madvise() is not in POSIX */
#include "tensor/tensor.h"

#include "base/pool.h"
#include "tensor/quantization.h"

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

static void release_bytes(struct tensor *tensor)
{
    free(tensor->bytes);
}

/* Bytes of so many. */
static size_t nibbles_size(int64_t count)
{
    return (size_t)((count + 1) / 2);
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
    char *items = tensor->data ? tensor->data : tensor->bytes;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)items;
    uintptr_t begin = (at + page - 1) / page * page;
    uintptr_t end = (at + tensor_size(tensor)) / page * page;

    if (tensor->mapped && begin < end)
        (void)madvise(items + (begin - at), end - begin, MADV_DONTNEED);
}

int64_t tensor_memory(const struct tensor *tensor)
{
    if (!tensor_place(tensor) || !tensor->release || tensor->mapped)
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
    tensor->data = pool ? pool_take(pool, (size_t)volume * size)
                        : calloc(volume > 0 ? (size_t)volume : 1, size);
    tensor->release = pool ? release_pooled : release_heap;
    tensor->mapping = pool;
    return tensor->data != NULL;
}

bool tensor_allocate_nibbles(struct tensor *tensor, const struct shape *shape)
{
    int64_t volume;

    *tensor = (struct tensor){.shape = *shape, .dtype = DTYPE_INTEGER};
    if (!shape_volume_checked(shape, PTRDIFF_MAX - 1, &volume) || volume == 0)
        return false;
    tensor->mapping_size = nibbles_size(volume);
    tensor->bytes = calloc(tensor->mapping_size, 1);
    tensor->are_nibbles = true;
    tensor->release = release_bytes;
    return tensor->bytes != NULL;
}

bool tensor_is_whole(const struct tensor *tensor, const struct shape *shape)
{
    return tensor->data && shape_equal(&tensor->shape, shape);
}

static void fill_integers(int64_t *items, const struct tensor *from, int64_t count)
{
    const uint8_t *bytes = from->bytes;
    const int64_t sign = from->bytes_are_signed ? INT8_MAX + 1 : 0;

    if (from->are_nibbles) {
        for (int64_t i = 0; i < count; i++)
            items[i] = tensor_integer(from, i);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        items[i] = (int64_t)(bytes[i] ^ sign) - sign;
}

void tensor_fill(void *items, const struct tensor *from, int64_t count)
{
    size_t size = dtype_size(from->dtype);
    const int64_t volume = shape_volume(&from->shape), whole = count == volume ? count : 1;

    assert(count == volume || volume == 1);
    if (from->bytes)
        fill_integers(items, from, whole);
    else
        memcpy(items, from->data, (size_t)whole * size);
    for (int64_t i = whole; i < count; i++)
        memcpy((unsigned char *)items + (size_t)i * size, items, size);
}

bool tensor_spread(struct tensor *tensor, const struct tensor *from, const struct shape *shape)
{
    if (!tensor_allocate(tensor, from->dtype, shape))
        return false;
    tensor_fill(tensor->data, from, shape_volume(shape));
    return true;
}

const void *tensor_place(const struct tensor *tensor)
{
    return tensor->data ? tensor->data : tensor->bytes;
}

void tensor_clear(struct tensor *tensor)
{
    if (tensor_place(tensor) && tensor->release)
        tensor->release(tensor);
    tensor->data = NULL;
    tensor->bytes = NULL;
    tensor->release = NULL;
}

int64_t tensor_integer(const struct tensor *tensor, int64_t index)
{
    assert(tensor->dtype == DTYPE_INTEGER);
    if (!tensor->bytes)
        return ((const int64_t *)tensor->data)[index];
    if (tensor->are_nibbles)
        return nibble_load(tensor->bytes, tensor->bytes_are_signed, index);
    const int64_t byte = ((const uint8_t *)tensor->bytes)[index];
    return tensor->bytes_are_signed && byte > INT8_MAX ? byte - UINT8_MAX - 1 : byte;
}

double tensor_item(const struct tensor *tensor, int64_t index)
{
    assert(dtype_size(tensor->dtype) > 0);
    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        return (double)((const float *)tensor->data)[index];
    case DTYPE_INTEGER:
        return tensor->is_unsigned ? (double)((const uint64_t *)tensor->data)[index]
                                   : (double)tensor_integer(tensor, index);
    case DTYPE_LOGICAL:
        return ((const unsigned char *)tensor->data)[index] != 0;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return 0;
}

size_t tensor_size(const struct tensor *tensor)
{
    const int64_t count = shape_volume(&tensor->shape);

    if (!tensor->bytes)
        return tensor_bytes(tensor);
    return tensor->are_nibbles ? nibbles_size(count) : (size_t)count;
}

bool tensor_is_finite(const struct tensor *tensor)
{
    if (tensor->dtype != DTYPE_SCALAR)
        return true;
    for (int64_t i = 0, volume = shape_volume(&tensor->shape); i < volume; i++)
        if (!isfinite(tensor_item(tensor, i)))
            return false;
    return true;
}

bool tensor_repeats(const struct tensor *tensor)
{
    const unsigned char *data = tensor_place(tensor);
    const size_t bytes = tensor_size(tensor);
    const size_t size = tensor->bytes ? 1 : dtype_size(tensor->dtype);

    if (tensor->are_nibbles && (nibble_load(data, false, 0) != nibble_load(data, false, 1) ||
                                shape_volume(&tensor->shape) % 2 != 0))
        return false;
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
