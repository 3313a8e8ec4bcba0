/*
 * pool.c - stretches of memory from the system, and what of them is free; see pool.h
 *
 * Blocks are cut from stretches that are much larger; but for large blocks, each of which is a
 * stretch of its own.  The smallest free part that is large enough is taken, of several the first.
 * The system is asked for huge pages (pages.h), once, when it makes a stretch.
 */
#include "base/pool.h"

#include "base/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Under the sanitizers all blocks are large, which makes each overrun visible. */
#if defined __SANITIZE_ADDRESS__
enum { LARGE = 0 };
#else
enum { LARGE = 16 << 20 };
#endif
enum { STRETCH = 32 << 20, WORTH_IT = 64 << 10 };

struct pool_part {
    char *begin;
    size_t size;
};

/* In the order of their addresses. */
struct pool_parts {
    struct pool_part *part;
    size_t count, room;
};

struct pool {
    pthread_mutex_t mutex;
    struct pool_parts stretches, free;
};

/* --- lists --------------------------------------------------------------------------------- */

/* Where a part that begins there is, or would have to be. */
static size_t place_of(const struct pool_parts *parts, const char *begin)
{
    size_t low = 0, high = parts->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parts->part[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct pool_parts *parts)
{
    size_t room = 2 * parts->room + 16;

    if (parts->count < parts->room)
        return true;
    struct pool_part *more = realloc(parts->part, room * sizeof *more);
    if (!more)
        return false;
    parts->part = more;
    parts->room = room;
    return true;
}

static void remove_at(struct pool_parts *parts, size_t at)
{
    parts->count--;
    memmove(&parts->part[at], &parts->part[at + 1], (parts->count - at) * sizeof *parts->part);
}

static bool insert(struct pool_parts *parts, size_t at, struct pool_part part)
{
    if (!make_room(parts))
        return false;
    memmove(&parts->part[at + 1], &parts->part[at], (parts->count - at) * sizeof *parts->part);
    parts->part[at] = part;
    parts->count++;
    return true;
}

static bool touches(const struct pool_part *part, const char *end)
{
    return part->begin + part->size == end;
}

/* Without memory to note a free part it is lost until the pool is freed. */
static void add_free(struct pool_parts *parts, struct pool_part part)
{
    size_t at = place_of(parts, part.begin);

    if (at < parts->count && touches(&part, parts->part[at].begin)) {
        part.size += parts->part[at].size;
        remove_at(parts, at);
    }
    if (at > 0 && touches(&parts->part[at - 1], part.begin))
        parts->part[at - 1].size += part.size;
    else
        (void)insert(parts, at, part);
}

/* --- pools --------------------------------------------------------------------------------- */

struct pool *pool_new(void)
{
    struct pool *pool = calloc(1, sizeof *pool);

    if (pool)
        pthread_mutex_init(&pool->mutex, NULL);
    return pool;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < pool->stretches.count; i++)
        pages_free(pool->stretches.part[i].begin, pool->stretches.part[i].size);
    free(pool->stretches.part);
    free(pool->free.part);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

static char *new_stretch(struct pool *pool, size_t size)
{
    struct pool_part part = {.begin = pages_new(size), .size = size};

    if (!part.begin || !insert(&pool->stretches, place_of(&pool->stretches, part.begin), part)) {
        pages_free(part.begin, size);
        return NULL;
    }
    return part.begin;
}

static void free_stretch(struct pool *pool, char *begin)
{
    size_t at = place_of(&pool->stretches, begin);

    pages_free(begin, pool->stretches.part[at].size);
    remove_at(&pool->stretches, at);
}

static size_t rounded_up(size_t size)
{
    return (size + POOL_ALIGNMENT - 1) / POOL_ALIGNMENT * POOL_ALIGNMENT;
}

static size_t best_fit(const struct pool_parts *free, size_t size)
{
    size_t best = free->count;

    for (size_t i = 0; i < free->count; i++)
        if (free->part[i].size >= size &&
            (best == free->count || free->part[i].size < free->part[best].size))
            best = i;
    return best;
}

static void *take_small(struct pool *pool, size_t size)
{
    size_t at = best_fit(&pool->free, size);

    if (at == pool->free.count) {
        char *begin = new_stretch(pool, STRETCH);
        if (!begin)
            return NULL;
        add_free(&pool->free, (struct pool_part){begin, STRETCH});
        at = best_fit(&pool->free, size);
    }
    if (at == pool->free.count)
        return NULL;
    struct pool_part *part = &pool->free.part[at];
    char *block = part->begin;
    part->begin += size;
    part->size -= size;
    if (part->size == 0)
        remove_at(&pool->free, at);
    return block;
}

static void *take(struct pool *pool, size_t size)
{
    return size > LARGE ? new_stretch(pool, size) : take_small(pool, rounded_up(size));
}

static void give(struct pool *pool, void *block, size_t size)
{
    if (size > LARGE)
        free_stretch(pool, block);
    else
        add_free(&pool->free, (struct pool_part){block, rounded_up(size)});
}

static void trim(struct pool *pool)
{
    for (size_t i = 0; i < pool->free.count; i++)
        if (pool->free.part[i].size >= WORTH_IT)
            pages_unload(pool->free.part[i].begin, pool->free.part[i].size);
}

void *pool_take(struct pool *pool, size_t size)
{
    pthread_mutex_lock(&pool->mutex);
    void *block = take(pool, size > 0 ? size : 1);
    pthread_mutex_unlock(&pool->mutex);
    return block;
}

void pool_give(struct pool *pool, void *block, size_t size)
{
    pthread_mutex_lock(&pool->mutex);
    give(pool, block, size > 0 ? size : 1);
    pthread_mutex_unlock(&pool->mutex);
}

void pool_trim(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    trim(pool);
    pthread_mutex_unlock(&pool->mutex);
}
