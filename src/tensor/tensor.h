/*
 * tensor.h - a shaped block of items in memory
 *
 * Items lie densely in row-major order: the last dimension runs fastest.  Where an operation
 * distinguishes them, dimension 0 is the batch and 1 the channel.
 */
#ifndef NNEFC_TENSOR_TENSOR_H
#define NNEFC_TENSOR_TENSOR_H

#include "tensor/shape.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The types of NNEF 1.0.5, section 3.3.1.  In memory a scalar is a float, an integer an int64_t, a
 * logical a byte that is 0 or 1.
 */
enum dtype { DTYPE_UNKNOWN, DTYPE_SCALAR, DTYPE_INTEGER, DTYPE_LOGICAL, DTYPE_STRING };

/* Integers of 8 bits may stay bytes (struct tensor) from so many on. */
enum { BYTES_MANY = 4096 };

/* A scalar can be any integer up to this one, of either sign. */
enum { SCALAR_EXACT = 1 << 24 };

size_t dtype_size(enum dtype dtype);      /* bytes per item; 0 if it cannot be stored */
const char *dtype_name(enum dtype dtype); /* "scalar", ...; "?" if unknown */

struct pool;

struct tensor {
    struct shape shape;
    enum dtype dtype;
    void *data; /* not NULL even if there are no items; but see `bytes` */
    void (*release)(struct tensor *tensor); /* frees `data`; NULL: it has another owner */
    void *mapping; /* for `release`: the bytes of the file with the items, or the pool */
    size_t mapping_size;
    bool mapped; /* the items are in a mapped file, which takes no memory of the process */

    /* Integers of a byte each: `data` is NULL then.  They mostly stay where a file has them, which
     * is open as long as the tensor is there.  NULL: all others. */
    void *bytes;
    bool bytes_are_signed;
    bool are_nibbles; /* of 4 bits: each byte has two, the first one in its lower half */

    /* Integers have no sign: each is held as the signed one of the same bits.  Only tensors that
     * come from files or go to clients tell; operations know it by their attributes. */
    bool is_unsigned;
};

/* Give *tensor zeroed memory of its own.  False, with data NULL, if there is not enough. */
bool tensor_allocate(struct tensor *tensor, enum dtype dtype, const struct shape *shape);

/* The same of integers without a sign that are nibbles, one item at least. */
bool tensor_allocate_nibbles(struct tensor *tensor, const struct shape *shape);

/* The same with memory of the pool, which is not zeroed, unless that is NULL.  The pool must
 * outlive the tensor. */
bool tensor_allocate_in(struct tensor *tensor, enum dtype dtype, const struct shape *shape,
                        struct pool *pool);

/* Does `data` have all items of that shape?  Else one stands for all, or they are bytes. */
bool tensor_is_whole(const struct tensor *tensor, const struct shape *shape);

/* Make one that is whole, with the items that another tensor stands for.  False, with data NULL, if
 * there is not enough memory. */
bool tensor_spread(struct tensor *tensor, const struct tensor *from, const struct shape *shape);

/* The same to memory that is there, for `count` items. */
void tensor_fill(void *items, const struct tensor *from, int64_t count);

/* Where the items are, and how many bytes they take there. */
const void *tensor_place(const struct tensor *tensor);
size_t tensor_size(const struct tensor *tensor);

/* Free the data if the tensor owns it, and set it to NULL. */
void tensor_clear(struct tensor *tensor);

/*
 * Return the memory that items of a mapped file take to the system.  They are read again when they
 * are used again.
 */
void tensor_unload(const struct tensor *tensor);

/* Bytes of all items once the tensor is whole. */
size_t tensor_bytes(const struct tensor *tensor);

/* Bytes of memory that tensor_clear() would free. */
int64_t tensor_memory(const struct tensor *tensor);

/* Item `index` as a double whatever the data type (true is 1). */
double tensor_item(const struct tensor *tensor, int64_t index);

/* The same of integers, exactly. */
int64_t tensor_integer(const struct tensor *tensor, int64_t index);

/* Are all of them finite? */
bool tensor_is_finite(const struct tensor *tensor);

/* Is there more than one, and are all the same bit by bit? */
bool tensor_repeats(const struct tensor *tensor);

#endif
