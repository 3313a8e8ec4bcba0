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

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size);

/* A copy of `len` bytes with a NUL behind them. */
char *arena_strndup(struct arena *arena, const char *text, size_t len);

/* `count` zeroed items of `size` bytes; a product that overflows is out of memory. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/*
 * A list of `count` items with room for one more: itself, or a copy of twice the size.  It starts
 * as NULL and gets longer by this function alone, one by one, so that its room follows from its
 * count; it may get shorter in any way.
 */
void *arena_list(struct arena *arena, void *items, int64_t count, size_t size);

/* The state of an arena at some moment; {0} is the empty arena. */
struct arena_mark {
    const void *block;
    size_t fill, used;
};

struct arena_mark arena_mark(const struct arena *arena);

/* Free everything allocated since `mark`. */
void arena_rewind(struct arena *arena, struct arena_mark mark);

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

/* Jump to the innermost boundary of the thread.  Without one the process is aborted. */
_Noreturn void arena_out_of_memory(void);

/* --- the heap: the same for memory that free() takes ------------------------------------------ */

/* `count` zeroed items, never NULL. */
void *heap_array(size_t count, size_t size);

/* As arena_list(); the items may move, and the room behind them is not zeroed. */
void *heap_list(void *items, int64_t count, size_t size);

#define arena_new_of(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array_of(arena, type, n) ((type *)arena_array((arena), (size_t)(n), sizeof(type)))

#endif
