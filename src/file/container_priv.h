/* container_priv.h - an archive, and a walk through it */
#ifndef NNEFC_FILE_CONTAINER_PRIV_H
#define NNEFC_FILE_CONTAINER_PRIV_H

#include "base/limits.h"
#include "file/container.h"

struct archive;
struct archive_entry;

enum { TAR_BLOCK = 512 }; /* bytes; what any member takes at least */

struct container {
    struct limits limits;
    char *name;
    struct file_view file;
    enum container_form form;
    bool (*eager)(const char *name);
    int64_t eager_bytes;
    struct archive_member *members;
    size_t count, capacity;
    size_t list_bytes;
};

/* A walk through the archive, which stands at `entry`, its own. */
struct scan {
    struct diag *diag;
    struct container *container;
    struct archive *archive;
    struct archive_entry *entry;
    int64_t unpacked; /* as far as the end of this entry */
    size_t ordinal;
};

/* False after a report; to be closed all the same. */
bool scan_open(struct scan *scan, struct diag *diag, struct container *container);
void scan_close(struct scan *scan);

/*
 * To the next entry, whose size is checked; *more is false at the end.  False after a report.
 */
bool scan_next(struct scan *scan, bool *more);

/* Read the member, which is this entry, whole.  False after a report, with nothing read. */
bool scan_read(struct scan *scan, struct archive_member *member);

/* Report what libarchive says, or that the archive is damaged.  Always false. */
bool scan_damaged(const struct scan *scan);

#endif
