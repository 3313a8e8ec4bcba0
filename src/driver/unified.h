/* unified.h - the difference of two texts, as patch(1) takes it */
#ifndef NNEFC_DRIVER_UNIFIED_H
#define NNEFC_DRIVER_UNIFIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A file as it was and as it is to be, which may hold any bytes. */
struct unified {
    const char *path;
    const char *before, *after;
    size_t before_size, after_size;
};

/* Three lines of context; nothing if the texts are the same.  "-" is called <stdin>.  False if
 * memory ran out. */
bool unified_print(FILE *to, const struct unified *texts);

#endif
