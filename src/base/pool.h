/*
 * pool.h - memory for blocks of many sizes that are given back one by one
 *
 * What is given back is taken again, so that a process that is done with one large thing after the
 * other needs no more memory than for those it has at a time.  A pool may serve several threads.
 */
#ifndef NNEFC_BASE_POOL_H
#define NNEFC_BASE_POOL_H

#include <stddef.h>

struct pool;

enum { POOL_ALIGNMENT = 64 };

/* NULL: not enough memory. */
struct pool *pool_new(void);

/* With all blocks that were taken; may be NULL. */
void pool_free(struct pool *pool);

/* A block at a multiple of POOL_ALIGNMENT, with anything in it.  NULL: not enough memory. */
void *pool_take(struct pool *pool, size_t size);

/* Back with a block of that size. */
void pool_give(struct pool *pool, void *block, size_t size);

/* Let the system have the memory of what was given back. */
void pool_trim(struct pool *pool);

#endif
