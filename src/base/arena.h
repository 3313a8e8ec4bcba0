/*
 * arena.h - memory that is freed all at once
 *
 * Everything the front end builds for one compilation (names, document, types,
 * graph) lives in one arena and dies with it.  arena_alloc() returns zeroed
 * memory aligned for any pointer, integer or double, and never NULL: if memory
 * runs out, arena_out_of_memory() jumps to the innermost boundary of the thread.
 */
#ifndef NNEFC_BASE_ARENA_H
#define NNEFC_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size);
char *arena_strndup(struct arena *arena, const char *text, size_t len);

/* `count` zeroed items of `size` bytes; a product that overflows is out of memory. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A moment in the life of an arena; {0} is its birth. */
struct arena_mark {
    const void *block;
    size_t fill, used;
};

struct arena_mark arena_mark(const struct arena *arena);

/* Free everything handed out since `mark`. */
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Bytes handed out so far, for the limit on expansion. */
size_t arena_used(const struct arena *arena);

/*
 * A boundary.  Who begins one calls setjmp(recovery.point) at once, and the function that calls
 * setjmp() ends it before it returns:
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
    int locks; /* taken within and not given back */
};

void recovery_begin(struct recovery *recovery);
void recovery_end(struct recovery *recovery);

/* A lock was taken (1) or given back (-1) within the innermost boundary, if there is one. */
void recovery_count_lock(int change);

/* Jump to the innermost boundary of the thread.  Without one the process is aborted. */
_Noreturn void arena_out_of_memory(void);

#define arena_new_of(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array_of(arena, type, n) ((type *)arena_array((arena), (size_t)(n), sizeof(type)))

#endif
