/*
 * pages.h - large blocks of memory, directly from the system
 *
 * The system is asked for huge pages, which are faster to allocate and to address.
 */
#ifndef NNEFC_BASE_PAGES_H
#define NNEFC_BASE_PAGES_H

#include <stddef.h>

/* Zeroed memory of `size` bytes, size > 0, aligned for any type; NULL: not enough memory. */
void *pages_new(size_t size);

/* Free memory of pages_new(), with the same size; `pages` may be NULL. */
void pages_free(void *pages, size_t size);

/*
 * Let the system provide all pages of a range at once, because it will be written next; without
 * this the first access to each page is a fault.  The contents stay.
 */
void pages_populate(void *begin, size_t size);

/* Return the pages of a range to the system.  The range stays usable, and is zero then. */
void pages_unload(void *begin, size_t size);

#endif
