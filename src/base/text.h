/* text.h - a string that grows */
#ifndef NNEFC_BASE_TEXT_H
#define NNEFC_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

struct arena;

/* Starts as {0}; `data` is NUL-terminated once something was added, else NULL. */
struct text {
    char *data;
    size_t size, capacity;
};

void text_add(struct text *text, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_add_v(struct text *text, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
void text_add_bytes(struct text *text, const char *bytes, size_t size);

/* The shortest decimal that reads back as `value`, always with '.' or exponent: "0.1", "1.0". */
void text_add_scalar(struct text *text, double value);

/* As an NNEF literal, in the kind of quotes that needs no escape where there is one. */
void text_add_quoted(struct text *text, const char *string);

void text_free(struct text *text);

/* A copy of `size` bytes with a NUL behind them, to be freed; never NULL. */
char *text_copy(const char *bytes, size_t size);

/* The text, moved into the arena; "" if nothing was added. */
char *text_keep(struct text *text, struct arena *arena);

/* A text of its own in the arena. */
char *text_format(struct arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* --- UTF-8, for display: every other byte of NNEF is ASCII ------------------------------------ */

#define UTF8_INVALID UINT32_MAX

/* The character at text[0], size > 0, and the bytes it takes; a byte of no character is INVALID. */
size_t utf8_decode(const char *text, size_t size, uint32_t *character);

/*
 * Columns it takes on a terminal, 0 to 2; -1 for what must not reach one: control characters,
 * marks that reverse the direction of writing, UTF8_INVALID.
 */
int utf8_width(uint32_t character);

#endif
