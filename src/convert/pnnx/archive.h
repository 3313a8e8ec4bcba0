/*
 * archive.h - the weights of a PNNX model: a ZIP or ZIP64 archive of stored members
 *
 * Members are views of the bytes of the archive.  Opening finds whatever is wrong: members that are
 * compressed, cut short, there twice, or have another checksum.
 */
#ifndef NNEFC_CONVERT_PNNX_ARCHIVE_H
#define NNEFC_CONVERT_PNNX_ARCHIVE_H

#include "base/map.h"
#include "base/text.h"
#include "file/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct pnnx_document;

struct pnnx_archive {
    struct map members; /* by interned name */
    int count;
};

/* The data of a member; they need not be aligned. */
struct pnnx_member {
    const unsigned char *data;
    size_t size;
};

/*
 * Reads the directory of the `size` bytes at `data`, and checks every member. False after a report;
 * the archive is to be closed in any case.  `name` is for diagnostics.
 */
bool pnnx_archive_open(struct context *context, const char *name, const void *data, size_t size,
                       struct pnnx_archive *archive);
void pnnx_archive_close(struct pnnx_archive *archive);

/* NULL if there is none; `name` need not be interned. */
const struct pnnx_member *pnnx_archive_find(const struct context *context,
                                            const struct pnnx_archive *archive, const char *name);

/*
 * Makes each attribute of the document a view of its member "<operator>.<attribute>", which has
 * exactly the bytes that shape and type need. False after a report for each one that is not so. The
 * bytes of the archive have to last as long as the document.
 */
bool pnnx_weights_bind(const struct context *context, struct pnnx_document *document,
                       const struct pnnx_archive *archive);

/*
 * Writing, as PNNX itself does since 2024: ZIP64, members stored, neither dates nor versions.  The
 * same members make the same bytes.
 *
 *     pnnx_archive_begin(&writer, &sink);
 *     pnnx_archive_add(&writer, "conv.weight", data, size);
 *     pnnx_archive_end(&writer);
 */
struct pnnx_archive_writer {
    const struct sink *sink;
    struct text directory;
    uint64_t at, count; /* bytes and members so far */
};

void pnnx_archive_begin(struct pnnx_archive_writer *writer, const struct sink *sink);

/* Writes a member, whose name was not written before and has at most 65535 bytes. */
void pnnx_archive_add(struct pnnx_archive_writer *writer, const char *name, const void *data,
                      size_t size);
void pnnx_archive_end(struct pnnx_archive_writer *writer);

#endif
