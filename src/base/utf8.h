/* utf8.h - characters of a text for display; every other byte of NNEF is ASCII */
#ifndef NNEFC_BASE_UTF8_H
#define NNEFC_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID UINT32_MAX

/* The character at text[0], size > 0, and the bytes it takes; a byte of no character is INVALID. */
size_t utf8_decode(const char *text, size_t size, uint32_t *character);

/*
 * Columns it takes on a terminal, 0 to 2; -1 for what must not reach one: control characters,
 * marks that reverse the direction of writing, UTF8_INVALID.
 */
int utf8_width(uint32_t character);

#endif
