/*
 * pages.h - memory for large things, straight from the system
 *
 * It is asked to have huge pages for it, which take less time to be had and to be found.
 */
#ifndef NNEFC_BASE_PAGES_H
#define NNEFC_BASE_PAGES_H

#include <stddef.h>

/* `size` bytes, not 0, all 0, aligned for whatever there is; NULL: not enough memory. */
void *pages_new(size_t size);

/* Of pages_new() with the same size; may be NULL. */
void pages_free(void *pages, size_t size);

/* Have memory for what is between, which is written next, in one go: large parts of what malloc()
 * gives come page by page else, each by a fault.  What is in it stays. */
void pages_populate(void *begin, size_t size);

/* Let the system have what is between; it is 0 when it is wanted again. */
void pages_unload(void *begin, size_t size);

#endif
