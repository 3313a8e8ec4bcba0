/* sync.c - files are written to disk, one by one or all of a file system */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): syncfs(), sync_file_range() */
#include "file/sync.h"

#include <errno.h>
#include <unistd.h>

bool sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
}

#ifdef __linux__

#include <fcntl.h>
#include <sys/vfs.h>

/* Of others, such as those of FUSE, syncfs() may do nothing. */
static bool keeps_all(int fd)
{
    enum { EXT = 0xEF53, XFS = 0x58465342, TMPFS = 0x01021994 };
    const unsigned btrfs = 0x9123683E;
    struct statfs fs;

    if (fstatfs(fd, &fs) != 0)
        return false;
    unsigned type = (unsigned)fs.f_type;
    return type == EXT || type == XFS || type == TMPFS || type == btrfs;
}

bool sync_file_system(int fd)
{
    return keeps_all(fd) && syncfs(fd) == 0;
}

/* Linux before 5.8 tells a failure to write only of the file itself. */
bool sync_went_well(int fd)
{
    return sync_file_range(fd, 0, 0,
                           SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                               SYNC_FILE_RANGE_WAIT_AFTER) == 0;
}

#else

bool sync_file_system(int fd)
{
    (void)fd;
    return false;
}

bool sync_went_well(int fd)
{
    return sync_file(fd);
}

#endif
