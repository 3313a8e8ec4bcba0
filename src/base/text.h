/* text.h - strings that grow, and UTF-8 */
#ifndef NNEFC_BASE_TEXT_H
#define NNEFC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

struct arena;

/* Starts as {0}; `data` is NUL-terminated once something was added, else NULL. */
struct text {
    char *data;
    size_t size, capacity;
};

/* Append to the text.  If memory runs out, arena_out_of_memory() is called. */
void text_add(struct text *text, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_add_v(struct text *text, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
void text_add_bytes(struct text *text, const char *bytes, size_t size);

/* The shortest decimal that reads back as `value`, always with '.' or exponent: "0.1", "1.0". */
void text_add_scalar(struct text *text, double value);

/* The string as an NNEF literal, if possible in quotes that need no escapes. */
void text_add_quoted(struct text *text, const char *string);

void text_free(struct text *text);

/* A copy of `size` bytes with a NUL behind them, to be freed; never NULL. */
char *text_copy(const char *bytes, size_t size);

/* The text, moved into the arena; "" if nothing was added. */
char *text_keep(struct text *text, struct arena *arena);

/* Format a text in the arena. */
char *text_format(struct arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *text_format_v(struct arena *arena, const char *fmt, va_list args) PRINTF_LIKE(2, 0);

/* Has the text this end, and more before it?  ".tar" is a name of its own, and no suffix. */
bool text_ends_in(const char *text, const char *suffix);

/* --- UTF-8, for display only: NNEF itself is ASCII -------------------------------------------- */

#define UTF8_INVALID UINT32_MAX

/* Decode the character at text[0], size > 0; returns its bytes, or 1 and UTF8_INVALID. */
size_t utf8_decode(const char *text, size_t size, uint32_t *character);

/*
 * The columns of a character on a terminal, 0 to 2; -1 if it must not reach one: control
 * characters, marks that change the direction of writing, UTF8_INVALID.
 */
int utf8_width(uint32_t character);

#endif
