/*
 * intern.h - one copy of each name, so that equal names are equal pointers
 */
#ifndef NNEFC_BASE_INTERN_H
#define NNEFC_BASE_INTERN_H

#include <stddef.h>

struct arena;
struct intern;

/* The texts live in `arena`; the table itself is freed by intern_free(). */
struct intern *intern_new(struct arena *arena);
void intern_free(struct intern *names);

/* The one copy of `text`, NUL-terminated. */
const char *intern(struct intern *names, const char *text, size_t len);

#endif
