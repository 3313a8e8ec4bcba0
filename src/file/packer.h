/*
 * packer.h - writes archives; the same members make the same bytes
 *
 * Members are regular files of mode 644, of user and group 0, dated with the epoch of the format,
 * so that nothing depends on the time, place or user of packing.  The bytes that gzip makes depend
 * on the version of zlib.
 */
#ifndef NNEFC_FILE_PACKER_H
#define NNEFC_FILE_PACKER_H

#include "file/out.h"

#include <stdint.h>

enum packer_form {
    PACKER_TAR,    /* ustar, with headers of POSIX.1-2001 where ustar cannot say something */
    PACKER_TAR_GZ, /* compressed */
    PACKER_ZIP,    /* stored, as NumPy's savez() does */
};

struct packer;

/*
 * Begin an archive in `file`, which is not written otherwise until packer_end().  For each member
 * call packer_begin(), then put all its bytes to the sink.  Names are ASCII and relative; members
 * are stored in the order in which they come.
 */
struct packer *packer_open(struct out_file *file, enum packer_form form);
void packer_begin(struct packer *packer, const char *name, int64_t size);
struct sink packer_sink(struct packer *packer);

/* Complete the archive, or if not `ok` give it up.  False if it is not complete, after a report. */
bool packer_end(struct diag *diag, struct packer *packer, bool ok);

#endif
