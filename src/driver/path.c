/*
 * path.c - names of files: what they say, and whether files can be written
 *
 * Whether a file can be written is looked at before long computations; it may still fail then.
 */
#include "driver/path.h"

#include "driver/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool path_ends_in(const char *path, const char *suffix)
{
    size_t size = strlen(path), tail = strlen(suffix);

    return size > tail && strcmp(path + size - tail, suffix) == 0;
}

bool path_is_folder(const char *path)
{
    struct stat status;

    return (*path && path[strlen(path) - 1] == '/') ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

bool path_is_stream(const char *path)
{
    struct stat status;

    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

char *path_of_result(const char *folder, const char *name)
{
    size_t size = strlen(folder);
    char *path = malloc(size + 3 * strlen(name) + sizeof "/.dat");
    char *end = path;

    if (!path)
        return NULL;
    end += sprintf(end, "%s%s", folder, size > 0 && folder[size - 1] == '/' ? "" : "/");
    for (const char *c = name; *c; c++) {
        bool plain = (unsigned char)*c >= ' ' && *c != 127 && !strchr("%/", *c);
        if (plain && !(c == name && *c == '.'))
            *end++ = *c;
        else
            end += sprintf(end, "%%%02X", (unsigned)(unsigned char)*c);
    }
    memcpy(end, ".dat", sizeof ".dat");
    return path;
}

bool path_is_for_results(const struct command *command, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

    if (path_is_folder(path) || path_is_stream(path) || path_ends_in(file, ".dat") ||
        path_ends_in(file, ".npy") || path_ends_in(file, ".npz"))
        return true;
    if (strchr(file + 1, '.'))
        usage_error(command, "cannot write '%s': results are .dat, .npy or .npz files", path);
    else
        usage_error(command,
                    "cannot write '%s': results are .dat, .npy or .npz files; write '%s/' for a "
                    "folder",
                    path, path);
    return false;
}

/* `path` without its last component, "." if there is no other; to be freed. */
static char *parent_of(const char *path)
{
    const char *end = path + strlen(path);

    while (end > path && end[-1] == '/')
        end--;
    while (end > path && end[-1] != '/')
        end--;
    while (end > path + 1 && end[-1] == '/')
        end--;
    return end == path ? strdup(".") : strndup(path, (size_t)(end - path));
}

/* The innermost folder that is there is the one to be written into. */
static bool can_write_in(char *folder, bool make)
{
    struct stat status;

    while (make && folder && stat(folder, &status) != 0 && errno == ENOENT) {
        char *parent = parent_of(folder);
        free(folder);
        folder = parent;
    }
    bool ok = folder && access(folder, W_OK | X_OK) == 0 && stat(folder, &status) == 0;
    if (ok && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        ok = false;
    }
    free(folder);
    return ok;
}

bool path_is_writable(const char *path, bool make_folders)
{
    struct stat status;

    if (strcmp(path, "-") == 0)
        return true;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && path[strlen(path) - 1] != '/')
        return (errno = EISDIR), false;
    if (stat(path, &status) == 0)
        return access(path, W_OK) == 0;
    if (errno != ENOENT)
        return false;
    return can_write_in(parent_of(path), make_folders);
}

bool path_make_folders(const char *path)
{
    char *copy = strdup(path);
    bool ok = copy;

    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && ok;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return ok;
}
