/*
 * arena.c - an arena of chained blocks
 *
 * Blocks grow with the bytes allocated so far, so that a small model takes little memory and a
 * large one few blocks.  Memory is cleared a little ahead of what is handed out, since much of the
 * last block of an arena never is.  Under the sanitizers every object has its own block, which
 * reveals each overrun.
 */
#include "base/arena.h"

#include "base/pool.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__
enum { FIRST_BLOCK = 8, LAST_BLOCK = 8, POOLED = 0 };
#else
enum { FIRST_BLOCK = 16 * 1024, LAST_BLOCK = 1024 * 1024, POOLED = 1 };
#endif
enum { SHARE = 4 /* a block is that part of the bytes before it */ };
enum { AHEAD = 1024 /* zeroed at a time */ };

struct arena_block {
    struct arena_block *next;
    size_t size, before; /* bytes that were handed out of older blocks */
    uint64_t data[];
};

/* The only variable of the library: allocators have no parameter that could lead to it. */
static _Thread_local struct recovery *innermost;

void recovery_begin(struct recovery *recovery)
{
    recovery->outer = innermost;
    recovery->locks = 0;
    recovery->undo = NULL;
    innermost = recovery;
}

void recovery_end(struct recovery *recovery)
{
    assert(innermost == recovery);
    innermost = recovery->outer;
}

void recovery_count_lock(int change)
{
    if (innermost)
        innermost->locks += change;
}

void recovery_add_undo(struct undo *undo)
{
    if (!innermost)
        return;
    undo->next = innermost->undo;
    innermost->undo = undo;
}

void recovery_drop_undo(struct undo *undo)
{
    struct undo **at = innermost ? &innermost->undo : NULL;

    while (at && *at && *at != undo)
        at = &(*at)->next;
    if (at && *at)
        *at = undo->next;
}

void arena_out_of_memory(void)
{
    while (innermost && innermost->undo) {
        struct undo *undo = innermost->undo;
        innermost->undo = undo->next;
        undo->run(undo->what);
    }
    if (innermost)
        longjmp(innermost->point, 1);
    fputs("nnefc: out of memory\n", stderr);
    abort();
}

struct arena *arena_new_in(struct pool *pool)
{
    struct arena *arena = heap_array(1, sizeof *arena);

    arena->pool = POOLED ? pool : NULL;
    return arena;
}

struct arena *arena_new(void)
{
    return arena_new_in(NULL);
}

struct arena *arena_new_beside(const struct arena *arena)
{
    return arena_new_in(arena->pool);
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    arena_rewind(arena, (struct arena_mark){0});
    free(arena);
}

static void *take_block(const struct arena *arena, size_t size)
{
    return arena->pool ? pool_take(arena->pool, size) : malloc(size);
}

static void give_block(const struct arena *arena, struct arena_block *block)
{
    if (arena->pool)
        pool_give(arena->pool, block, sizeof *block + block->size);
    else
        free(block);
}

static unsigned char *data_of(struct arena_block *block)
{
    return (unsigned char *)block->data;
}

/* What was handed out since then is zeroed at once if it is little. */
void arena_rewind_back(struct arena *arena, struct arena_mark mark)
{
    bool same = mark.block && arena->head == mark.block;

    assert(!mark.block || arena->head);
    while (arena->head != mark.block) {
        struct arena_block *b = arena->head;
        arena->head = b->next;
        give_block(arena, b);
    }
    if (same && arena->at - mark.at <= AHEAD)
        memset(mark.at, 0, (size_t)(arena->at - mark.at));
    else
        arena->clean = mark.at;
    arena->at = mark.at;
}

/* A new block in front of the others. */
static void add_block(struct arena *arena, size_t size)
{
    size_t used = arena_used(arena);
    size_t room = used / SHARE < FIRST_BLOCK ? FIRST_BLOCK : used / SHARE;

    room = room > LAST_BLOCK ? LAST_BLOCK : room;
    room = room < size ? size : room;
    struct arena_block *b = take_block(arena, sizeof *b + room);
    if (!b)
        arena_out_of_memory();
    b->size = room;
    b->before = used;
    b->next = arena->head;
    arena->head = b;
    arena->at = arena->clean = data_of(b);
}

void *arena_alloc_more(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        arena_out_of_memory();
    size = (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    if (!arena->head || arena->head->size - (size_t)(arena->at - data_of(arena->head)) < size)
        add_block(arena, size);
    unsigned char *p = arena->at, *end = data_of(arena->head) + arena->head->size;
    arena->at = p + size;
    if (arena->at > arena->clean) {
        unsigned char *clean = end - arena->at > AHEAD ? arena->at + AHEAD : end;
        memset(arena->clean, 0, (size_t)(clean - arena->clean));
        arena->clean = clean;
    }
    return p;
}

/* The room is full whenever the count is 0 or a power of two. */
static size_t new_room(int64_t count)
{
    assert(count >= 0);
    return count == 0 ? 1 : (count & (count - 1)) == 0 ? 2 * (size_t)count : 0;
}

void *arena_list(struct arena *arena, void *items, int64_t count, size_t size)
{
    size_t room = new_room(count);

    if (room == 0)
        return items;
    void *more = arena_array(arena, room, size);
    return count > 0 ? memcpy(more, items, (size_t)count * size) : more;
}

char *arena_strndup(struct arena *arena, const char *text, size_t len)
{
    char *s = arena_alloc(arena, len + 1);

    assert(text || len == 0);
    memcpy(s, text, len);
    return s;
}

size_t arena_used(const struct arena *arena)
{
    return arena->head ? arena->head->before + (size_t)(arena->at - data_of(arena->head)) : 0;
}

/* --- the heap ----------------------------------------------------------------------------- */

void *heap_array(size_t count, size_t size)
{
    void *items = calloc(count ? count : 1, size);

    if (!items)
        arena_out_of_memory();
    return items;
}

void *heap_list(void *items, int64_t count, size_t size)
{
    size_t room = new_room(count);
    void *more = room == 0 ? items : realloc(items, room * size);

    if (!more)
        arena_out_of_memory();
    return more;
}
