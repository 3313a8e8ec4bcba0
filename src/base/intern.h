/*
 * intern.h - one copy of each name, so that equal names are equal pointers
 *
 * A table is used by one thread at a time.
 */
#ifndef NNEFC_BASE_INTERN_H
#define NNEFC_BASE_INTERN_H

#include <stddef.h>

struct arena;
struct intern;
struct text;

/* The names live in `arena`; intern_free() frees only the table. */
struct intern *intern_new(struct arena *arena);
void intern_free(struct intern *names);

/* The only copy of the `len` bytes at `text`, with a NUL behind them. */
const char *intern(struct intern *names, const char *text, size_t len);

/* The same of all of `text`; quick if that is the copy itself. */
const char *intern_string(struct intern *names, const char *text);

/* That of a text, which is freed. */
const char *intern_text(struct intern *names, struct text *text);

#endif
