/*
 * packer.h - archives out: the same members make the same bytes
 *
 * Members are regular files of mode 644, of user and group 0, and of the epoch of their format;
 * time, place and user of packing leave no trace.  The bytes that gzip makes depend on the
 * version of zlib.
 */
#ifndef NNEFC_FILE_PACKER_H
#define NNEFC_FILE_PACKER_H

#include "file/file.h"

#include <stdint.h>

enum packer_form {
    PACKER_TAR,    /* POSIX.1-2001, which is ustar wherever that will do */
    PACKER_TAR_GZ, /* compressed */
    PACKER_ZIP,    /* stored, as NumPy's savez() does */
};

struct packer;

/*
 * `path` "-" is stdout; must last until the end.  NULL after a report.  After open come members:
 * begin, then all their bytes to the sink; at last commit or abandon.  Names are ASCII, relative,
 * and the caller's to give in an order.
 */
struct packer *packer_open(struct diag *diag, const char *path, enum packer_form form);
void packer_begin(struct packer *packer, const char *name, int64_t size);
struct sink packer_sink(struct packer *packer);

/* The file is complete, or, after a report, unchanged. */
bool packer_commit(struct diag *diag, struct packer *packer);

/*
 * The archive is complete but for its name: *file is the caller's to commit or abandon.  False
 * after a report.
 */
bool packer_finish(struct diag *diag, struct packer *packer, struct out_file *file);
void packer_abandon(struct packer *packer);

#endif
