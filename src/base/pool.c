/*
 * pool.c - cuts blocks from stretches of memory of the system
 *
 * A large block is a stretch of its own; other blocks are parts of stretches that are much larger.
 * A block is taken from the smallest free part that is large enough, of several the first.  Tiny
 * blocks that are given back are kept for others of their size, because loops take them anew in
 * each trip.
 * Stretches come from pages.h, with huge pages if possible.
 */
#include "base/pool.h"

#include "base/num.h"
#include "base/pages.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Under the sanitizers all blocks are large, which reveals each overrun. */
#if defined __SANITIZE_ADDRESS__
enum { LARGE = 0 };
#else
enum { LARGE = 16 << 20 };
#endif
enum { TINY = 1024, TINY_SIZES = TINY / POOL_ALIGNMENT + 1 };
enum { STRETCH = 32 << 20, WORTH_IT = 64 << 10 /* for pool_trim() */ }; /* bytes */

struct pool_part {
    char *begin;
    size_t size;
};

/* In the order of their addresses, without overlap. */
struct pool_parts {
    struct pool_part *part;
    size_t count, room;
};

struct pool {
    bool alone; /* of one thread at a time */
    pthread_mutex_t mutex;
    struct pool_parts stretches, free;
    void *tiny[TINY_SIZES]; /* by size: given back, each points to the next one */
    size_t used;            /* by blocks */
};

static void lock(struct pool *pool)
{
    if (!pool->alone)
        pthread_mutex_lock(&pool->mutex);
}

static void unlock(struct pool *pool)
{
    if (!pool->alone)
        pthread_mutex_unlock(&pool->mutex);
}

/* --- lists --------------------------------------------------------------------------------- */

/* The index of the part that begins there, or at which it has to be inserted. */
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

static void remove_at(struct pool_parts *parts, size_t at)
{
    parts->count--;
    memmove(&parts->part[at], &parts->part[at + 1], (parts->count - at) * sizeof *parts->part);
}

static bool insert(struct pool_parts *parts, size_t at, struct pool_part part)
{
    assert(at <= parts->count && parts->count <= parts->room);
    if (parts->count == parts->room) {
        size_t room = 2 * parts->room + 16;
        struct pool_part *more = realloc(parts->part, room * sizeof *more);
        if (!more)
            return false;
        parts->part = more;
        parts->room = room;
    }
    memmove(&parts->part[at + 1], &parts->part[at], (parts->count - at) * sizeof *parts->part);
    parts->part[at] = part;
    parts->count++;
    return true;
}

static bool touches(const struct pool_part *part, const char *end)
{
    return part->begin + part->size == end;
}

/* If there is no memory to note a free part, it is lost until the pool is freed. */
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

struct pool *pool_new_alone(void)
{
    struct pool *pool = pool_new();

    if (pool)
        pool->alone = true;
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

/* What a block takes; even an empty one has a place of its own. */
static size_t room_of(size_t size)
{
    return num_round_up(size > 0 ? size : 1, POOL_ALIGNMENT);
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

/* Where tiny blocks of that size are; NULL: they are not kept. */
static void **tiny_blocks(struct pool *pool, size_t room)
{
    return room <= TINY ? &pool->tiny[room / POOL_ALIGNMENT] : NULL;
}

static void *take_small(struct pool *pool, size_t size)
{
    void **tiny = tiny_blocks(pool, size), *kept = tiny ? *tiny : NULL;

    if (kept) {
        memcpy(tiny, kept, sizeof *tiny);
        return kept;
    }
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

static void give_small(struct pool *pool, void *block, size_t size)
{
    void **tiny = tiny_blocks(pool, size);

    if (!tiny) {
        add_free(&pool->free, (struct pool_part){block, size});
        return;
    }
    memcpy(block, tiny, sizeof *tiny);
    *tiny = block;
}

void *pool_take(struct pool *pool, size_t size)
{
    lock(pool);
    void *block = size > LARGE ? new_stretch(pool, size) : take_small(pool, room_of(size));
    pool->used += block ? room_of(size) : 0;
    unlock(pool);
    return block;
}

void pool_give(struct pool *pool, void *block, size_t size)
{
    lock(pool);
    assert(pool->used >= room_of(size));
    pool->used -= room_of(size);
    if (size > LARGE) {
        size_t at = place_of(&pool->stretches, block);
        assert(at < pool->stretches.count && pool->stretches.part[at].begin == block);
        pages_free(block, pool->stretches.part[at].size);
        remove_at(&pool->stretches, at);
    } else {
        give_small(pool, block, room_of(size));
    }
    unlock(pool);
}

size_t pool_used(struct pool *pool)
{
    lock(pool);
    size_t used = pool->used;
    unlock(pool);
    return used;
}

void pool_trim(struct pool *pool)
{
    lock(pool);
    for (size_t i = 0; i < pool->free.count; i++)
        if (pool->free.part[i].size >= WORTH_IT)
            pages_unload(pool->free.part[i].begin, pool->free.part[i].size);
    unlock(pool);
}
