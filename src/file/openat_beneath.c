/* openat_beneath.c - one component after the other, by openat() */
#include "file/openat_beneath.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_safe(const char *name)
{
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* The folder `name` in the one of `at`, which is closed. */
static int enter(int at, const char *name, bool make)
{
    int next = -1;

    if (!is_safe(name))
        errno = EINVAL;
    else if (!make || mkdirat(at, name, 0777) == 0 || errno == EEXIST)
        next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    close(at);
    errno = error;
    return next;
}

/* Every folder on the way to `path` itself, which is the user's and may have any form. */
static bool make_folders(const char *path)
{
    struct text made = {0};
    bool ok = true;

    text_add(&made, "%s/", path);
    for (char *slash = strchr(made.data + 1, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = mkdir(made.data, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    int error = errno;
    text_free(&made);
    errno = error;
    return ok;
}

int beneath_parent(const char *folder, const char *path, bool make, const char **name)
{
    if (make && !make_folders(folder))
        return -1;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (const char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        struct text component = {0};
        text_add_bytes(&component, path, (size_t)(slash - path));
        at = enter(at, component.data, make);
        int error = errno;
        text_free(&component);
        errno = error;
    }
    *name = path;
    return at;
}

static bool is_regular(const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return true;
    errno = S_ISDIR(status->st_mode) ? EISDIR : S_ISLNK(status->st_mode) ? ELOOP : ENXIO;
    return false;
}

/* Looked at before it is opened, for that may block or do things; and after, for it may be new. */
static int open_regular(int at, const char *name, int64_t *size)
{
    struct stat status;

    if (fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !is_regular(&status))
        return -1;
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &status) == 0 && is_regular(&status);
    *size = (int64_t)status.st_size;
    if (ok || fd < 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* Where there are no folders on the way, none has to be opened. */
static int open_in(const char *folder, const char *name, int64_t *size)
{
    struct text path = {0};

    text_add(&path, "%s/%s", folder, name);
    int fd = open_regular(AT_FDCWD, path.data, size);
    int error = errno;
    text_free(&path);
    errno = error;
    return fd;
}

static int open_below(const char *folder, const char *path, int64_t *size)
{
    const char *name;
    int at = beneath_parent(folder, path, false, &name), fd = -1;

    if (at < 0)
        return -1;
    if (is_safe(name))
        fd = open_regular(at, name, size);
    else
        errno = EINVAL;
    int error = errno;
    close(at);
    errno = error;
    return fd;
}

int beneath_open(const char *folder, const char *path, int64_t *size)
{
    return is_safe(path) && !strchr(path, '/') ? open_in(folder, path, size)
                                               : open_below(folder, path, size);
}
