/*
 * arena.h - memory that is freed all at once
 *
 * Everything the front end builds for one compilation (names, document, types,
 * graph) lives in one arena and dies with it.  arena_alloc() returns zeroed
 * memory aligned for any pointer, integer or double, and never NULL: running
 * out of memory ends the process through arena_out_of_memory().
 */
#ifndef NNEFC_BASE_ARENA_H
#define NNEFC_BASE_ARENA_H

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

/* Say so on stderr and leave with the status of an internal error (70). */
_Noreturn void arena_out_of_memory(void);

#define arena_new_of(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array_of(arena, type, n) ((type *)arena_array((arena), (size_t)(n), sizeof(type)))

#endif
