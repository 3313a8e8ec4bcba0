/*
 * sync.h - writes files to disk
 *
 * Each returns false with errno set.  A file system without a disk has nothing to do, which is no
 * failure.
 */
#ifndef NNEFC_FILE_SYNC_H
#define NNEFC_FILE_SYNC_H

#include <stdbool.h>

/* Write the bytes of a file. */
bool sync_file(int fd);

/*
 * Write the bytes of all files of the file system that this file is of, at once.  False, too, if
 * it is not known of the file system that it then keeps them as sync_file() of each has it do.
 */
bool sync_file_system(int fd);

/* Whether the bytes of a file are on disk after sync_file_system(): that may not tell. */
bool sync_went_well(int fd);

#endif
