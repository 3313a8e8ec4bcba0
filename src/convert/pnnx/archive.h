/*
 * archive.h - the weights of a PNNX model: a ZIP or ZIP64 archive of stored members
 *
 * Members are views of the bytes of the archive.  Whatever is wrong is found when it is opened: members
 * that are compressed, cut short, of another checksum, or there twice.
 */
#ifndef NNEFC_CONVERT_PNNX_ARCHIVE_H
#define NNEFC_CONVERT_PNNX_ARCHIVE_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

struct context;

struct pnnx_archive {
    struct map members; /* by interned name */
    int count;
};

struct pnnx_member {
    const unsigned char *data;
    size_t size;
};

/* False after a report; the archive is to be closed in any case.  `name` is for diagnostics. */
bool pnnx_archive_open(struct context *context, const char *name, const void *data, size_t size,
                       struct pnnx_archive *archive);
void pnnx_archive_close(struct pnnx_archive *archive);

/* NULL if there is none; `name` need not be interned. */
const struct pnnx_member *pnnx_archive_find(const struct context *context,
                                            const struct pnnx_archive *archive, const char *name);

#endif
