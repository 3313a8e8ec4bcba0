/*
 * arena.h - memory that is freed all at once, and boundaries for running out of memory
 *
 * Names, document, types and graph of one compilation live in one arena and are freed with it.
 * arena_alloc() returns zeroed memory aligned for any pointer, integer or double, and never NULL:
 * if memory runs out, arena_out_of_memory() jumps to the innermost boundary of the thread.  An
 * arena is used by one thread at a time.
 */
#ifndef NNEFC_BASE_ARENA_H
#define NNEFC_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

/* Read by arena_alloc() only. */
struct arena {
    unsigned char *at, *clean; /* of the newest block: what is free, of which what lies before
                                  `clean` is zeroed */
    struct arena_block *head;
    struct pool *pool; /* has the blocks; NULL: the heap has them */
};

enum { ARENA_ALIGNMENT = 8, ARENA_MOST = 1 << 12 };

struct arena *arena_new(void);

/* The same with blocks of a pool, whose pages are huge, for an arena that is kept; NULL: of the
 * heap. The pool lasts longer. */
struct arena *arena_new_in(struct pool *pool);

/* The same with blocks from where those of `arena` are, for what is made beside it. */
struct arena *arena_new_beside(const struct arena *arena);

void arena_free(struct arena *arena);

/* The same as arena_alloc() if there is not enough that is zeroed. */
void *arena_alloc_more(struct arena *arena, size_t size);

static inline void *arena_alloc(struct arena *arena, size_t size)
{
    size_t whole = (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    unsigned char *at = arena->at;

    if (size > ARENA_MOST || (size_t)(arena->clean - at) <= whole)
        return arena_alloc_more(arena, size);
    arena->at = at + whole;
    return at;
}

/* A copy of `len` bytes with a NUL behind them. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);

/* Jump to the innermost boundary of the thread.  Without one the process is aborted. */
_Noreturn void arena_out_of_memory(void);

/* `count` zeroed items of `size` bytes; a product that overflows is out of memory. */
static inline void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        arena_out_of_memory();
    return arena_alloc(arena, bytes);
}

/*
 * A list of `count` items with room for one more: itself, or a copy of twice the size.  It starts
 * as NULL and gets longer by this function alone, one by one, so that its room follows from its
 * count; it may get shorter in any way.
 */
void *arena_list(struct arena *arena, void *items, int64_t count, size_t size);

/* The state of an arena at some moment; {0} is the empty arena. */
struct arena_mark {
    const struct arena_block *block;
    unsigned char *at;
};

static inline struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){arena->head, arena->at};
}

/* The same as arena_rewind() if there is something to free. */
void arena_rewind_back(struct arena *arena, struct arena_mark mark);

/* Free everything allocated since `mark`. */
static inline void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    if (arena->at != mark.at)
        arena_rewind_back(arena, mark);
}

/* Bytes allocated so far. */
size_t arena_used(const struct arena *arena);

/* Something to undo if memory runs out, see recovery_add_undo(). */
struct undo {
    struct undo *next;
    void (*run)(void *what); /* must not allocate; NULL: not added */
    void *what;
};

/*
 * A boundary.  The function that begins one calls setjmp(recovery.point) at once, and ends the
 * boundary before it returns:
 *
 *     recovery_begin(&recovery);
 *     if (setjmp(recovery.point) == 0)
 *         work();
 *     recovery_end(&recovery);
 *
 * Boundaries of a thread are nested; other threads have boundaries of their own.
 */
struct recovery {
    struct recovery *outer;
    jmp_buf point;
    int locks; /* taken inside the boundary and not yet released */
    struct undo *undo;
};

void recovery_begin(struct recovery *recovery);
void recovery_end(struct recovery *recovery);

/* Note that a lock was taken (1) or released (-1) inside the innermost boundary, if there is one.
 */
void recovery_count_lock(int change);

/*
 * Let a jump to the innermost boundary undo something first, the last one added at first.  Dropped
 * inside the same boundary; nothing happens without one.
 */
void recovery_add_undo(struct undo *undo);
void recovery_drop_undo(struct undo *undo);

/* --- the heap: the same for memory that free() takes ------------------------------------------ */

/* `count` zeroed items, never NULL. */
void *heap_array(size_t count, size_t size);

/* As arena_list(); the items may move, and the room behind them is not zeroed. */
void *heap_list(void *items, int64_t count, size_t size);

#define arena_new_of(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array_of(arena, type, n) ((type *)arena_array((arena), (size_t)(n), sizeof(type)))

#endif
