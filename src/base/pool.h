/*
 * pool.h - memory for blocks of many sizes that are returned one by one
 *
 * Returned memory is used again, so that a process that handles large blocks one after the other
 * needs no more memory than for those that it has at the same time.  Several threads may share a
 * pool.
 */
#ifndef NNEFC_BASE_POOL_H
#define NNEFC_BASE_POOL_H

#include <stddef.h>

struct pool;

enum { POOL_ALIGNMENT = 64 };

/* NULL: not enough memory. */
struct pool *pool_new(void);

/* The same for one thread at a time, which takes no locks. */
struct pool *pool_new_alone(void);

/* Free the pool and all its blocks; `pool` may be NULL. */
void pool_free(struct pool *pool);

/* A block at a multiple of POOL_ALIGNMENT, not zeroed.  NULL: not enough memory. */
void *pool_take(struct pool *pool, size_t size);

/* Return a block; `size` is that of pool_take(). */
void pool_give(struct pool *pool, void *block, size_t size);

/* Bytes of all blocks that are taken. */
size_t pool_used(struct pool *pool);

/* Give the memory of returned blocks to the system; the pool can still use their addresses. */
void pool_trim(struct pool *pool);

#endif
