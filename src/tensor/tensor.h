/*
 * tensor.h - a shaped block of items in memory
 *
 * Items lie densely in row-major order (the last dimension runs fastest; dimension 0 is the
 * batch, 1 the channel where an operation cares), stored as `enum dtype` says.
 */
#ifndef NNEFC_TENSOR_TENSOR_H
#define NNEFC_TENSOR_TENSOR_H

#include "tensor/shape.h"

#include <stdbool.h>
#include <stddef.h>

/* NNEF 1.0.5, section 3.3.1; in memory a scalar is a float, an integer an int64_t, a logical a
 * byte that is 0 or 1. */
enum dtype { DTYPE_UNKNOWN, DTYPE_SCALAR, DTYPE_INTEGER, DTYPE_LOGICAL, DTYPE_STRING };

size_t dtype_size(enum dtype dtype);      /* bytes per item; 0 if it cannot be stored */
const char *dtype_name(enum dtype dtype); /* "scalar", ...; "?" if unknown */

struct pool;

struct tensor {
    struct shape shape;
    enum dtype dtype;
    void *data;                             /* of an empty tensor not NULL, but not to be read */
    void (*release)(struct tensor *tensor); /* how to end `data`; NULL: it is someone else's */
    void *mapping;                          /* for `release` of the bytes of a file, or of a pool */
    size_t mapping_size;
    bool mapped; /* they take no memory */
};

/* Give *tensor zeroed memory of its own.  False, with data NULL, if there is not enough. */
bool tensor_allocate(struct tensor *tensor, enum dtype dtype, const struct shape *shape);

/* Give *tensor memory of the pool, with anything in it, which outlives it.  False as above. */
bool tensor_allocate_in(struct tensor *tensor, enum dtype dtype, const struct shape *shape,
                        struct pool *pool);

/* Give *tensor memory of its own that repeats the first item of another.  False as above. */
bool tensor_spread(struct tensor *tensor, const struct tensor *item, const struct shape *shape);

/* Release the data, if it is the tensor's own, and forget it. */
void tensor_clear(struct tensor *tensor);

/* Let the system have the memory that items in a mapped file take; when they are wanted again, they
 * are read again. */
void tensor_unload(const struct tensor *tensor);

size_t tensor_bytes(const struct tensor *tensor);

/* What it takes of the memory of the process, and would give back. */
int64_t tensor_memory(const struct tensor *tensor);

/* Item `index` as a double whatever the data type (true is 1). */
double tensor_item(const struct tensor *tensor, int64_t index);

#endif
