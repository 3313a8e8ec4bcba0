/*
 * archive_write.h - the archive of weights as PNNX itself writes it since 2024: ZIP64, members stored
 *
 *     archive_write_begin(&writer, &sink);
 *     archive_write_member(&writer, "conv.weight", data, size);
 *     archive_write_end(&writer);
 *
 * The same members make the same bytes, those of PNNX: it has neither dates nor versions.
 */
#ifndef NNEFC_CONVERT_PNNX_ARCHIVE_WRITE_H
#define NNEFC_CONVERT_PNNX_ARCHIVE_WRITE_H

#include "base/text.h"
#include "file/file.h"

#include <stddef.h>
#include <stdint.h>

struct archive_writer {
    const struct sink *sink;
    struct text directory;
    uint64_t at, count; /* bytes and members that were put */
};

void archive_write_begin(struct archive_writer *writer, const struct sink *sink);

/* A name that was not written before, of at most 65535 bytes. */
void archive_write_member(struct archive_writer *writer, const char *name, const void *data,
                          size_t size);
void archive_write_end(struct archive_writer *writer);

#endif
