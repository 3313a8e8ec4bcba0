/*
 * openat_beneath.h - files below a folder, and nothing else
 *
 * Paths are components joined by single '/'.  One component after the other is opened, and none of
 * them if it is a symbolic link: whatever happens to the folder meanwhile, nothing outside of it
 * is read or written.
 */
#ifndef NNEFC_FILE_OPENAT_BENEATH_H
#define NNEFC_FILE_OPENAT_BENEATH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A descriptor of the regular file `path` below `folder`, for reading, and *size in bytes; -1 sets
 * errno: ENXIO for what is neither file, folder nor link.  Pipes and devices are not opened, so that
 * none can block.
 */
int beneath_open(const char *folder, const char *path, int64_t *size);

/*
 * A descriptor of the folder that `path` below `folder` lies in, which with `make` is made, and
 * `folder` as well, if it is not there; -1 sets errno.  *name is the last component of `path`.
 */
int beneath_parent(const char *folder, const char *path, bool make, const char **name);

#endif
