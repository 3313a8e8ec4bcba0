/* container_priv.h - the state of an open archive, and a sequential scan of its members */
#ifndef NNEFC_FILE_CONTAINER_PRIV_H
#define NNEFC_FILE_CONTAINER_PRIV_H

#include "base/limits.h"
#include "file/container.h"

struct archive;
struct archive_entry;

enum { TAR_BLOCK = 512 }; /* bytes; the least that a member of a tar takes */

struct container {
    struct limits limits;
    char *name;
    struct file_view file;
    enum container_form form;
    bool (*eager)(const char *name);
    int64_t eager_bytes;            /* read so far for `eager` */
    struct archive_member *members; /* sorted by name once the archive is open */
    size_t count, capacity;
    size_t list_bytes; /* memory of `members` and their names */
};

/* A scan of the archive; `entry` describes the current member and is owned. */
struct scan {
    struct diag *diag;
    struct container *container;
    struct archive *archive;
    struct archive_entry *entry;
    int64_t unpacked; /* bytes up to the end of the current entry */
    size_t ordinal;   /* of the current entry */
};

/* Begin a scan.  False after a report; scan_close() is needed even then. */
bool scan_open(struct scan *scan, struct diag *diag, struct container *container);
void scan_close(struct scan *scan);

/* Go to the next entry and check its size; *more is false at the end.  False after a report. */
bool scan_next(struct scan *scan, bool *more);

/*
 * Read all bytes of `member`, which must be the current entry and unread.  False after a report;
 * the member remains unread then.
 */
bool scan_read(struct scan *scan, struct archive_member *member);

/* Report the message of libarchive, or else that the archive is damaged.  Always false. */
bool scan_damaged(const struct scan *scan);

#endif
