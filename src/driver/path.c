/* path.c - names of files: what they say, and whether files can be written */
#include "driver/path.h"

#include "driver/memory.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
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
    char *path = zeroed_items(size + 3 * strlen(name) + sizeof "/.dat", 1);
    char *end = path;

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

char *path_join(const char *folder, const char *name)
{
    const size_t size = strlen(folder), room = size + strlen(name) + 2;
    char *path = zeroed_items(room, 1);
    const bool ends = size > 0 && folder[size - 1] == '/';

    snprintf(path, room, "%s%s%s", folder, ends ? "" : "/", name);
    return path;
}

/* The folder that `path` is in, "." if it names none; to be freed. */
static char *parent_of(const char *path)
{
    char *copy = must_have(strdup(path)), *parent = must_have(strdup(dirname(copy)));

    free(copy);
    return parent;
}

/* What a symbolic link leads to, which need not exist, else the path; to be freed. */
static char *follow_links(const char *path)
{
    enum { LINKS_MAX = 40 };
    char *target = must_have(strdup(path)), link[4096];

    for (int i = 0; i < LINKS_MAX; i++) {
        const ssize_t size = readlink(target, link, sizeof link - 1);
        if (size <= 0 || (size_t)size == sizeof link - 1)
            break;
        link[size] = '\0';
        char *folder = parent_of(target);
        free(target);
        target = *link == '/' ? must_have(strdup(link)) : path_join(folder, link);
        free(folder);
    }
    return target;
}

bool path_same(const char *a, const char *b)
{
    char *path[2] = {follow_links(a), follow_links(b)}, *folder[2];
    const char *name[2];
    struct stat status[2];
    bool known = true;

    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(path[i], '/');
        folder[i] = parent_of(path[i]);
        name[i] = slash ? slash + 1 : path[i];
        known &= stat(folder[i], &status[i]) == 0;
    }
    const bool same = known && strcmp(name[0], name[1]) == 0 &&
                      status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
    for (int i = 0; i < 2; i++) {
        free(path[i]);
        free(folder[i]);
    }
    return same;
}

/* The folder that a document is written to: itself, or that of a file; to be freed. */
static char *folder_of(const char *path)
{
    return path_is_folder(path) ? must_have(strdup(path)) : parent_of(path);
}

bool path_same_folder(const char *a, const char *b)
{
    char *folder[2] = {folder_of(a), folder_of(b)}, *bare[2];
    struct stat status[2];

    for (int i = 0; i < 2; i++) {
        bare[i] = folder[i];
        for (size_t size = strlen(bare[i]); size > 1 && bare[i][size - 1] == '/'; size--)
            bare[i][size - 1] = '\0';
    }
    bool same = strcmp(bare[0], bare[1]) == 0; /* which need not exist yet */
    if (stat(bare[0], &status[0]) == 0 && stat(bare[1], &status[1]) == 0)
        same = status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
    free(folder[0]);
    free(folder[1]);
    return same;
}

bool path_has_other(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *own = path_is_folder(path) ? "graph.nnef" : slash ? slash + 1 : path;
    char *place = folder_of(path);
    DIR *folder = opendir(place);
    bool found = false;

    for (const struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = *entry->d_name != '.' && path_ends_in(entry->d_name, suffix) &&
                strcmp(entry->d_name, own) != 0;
    if (folder)
        closedir(folder);
    free(place);
    return found;
}

/* What a file or folder of a model is known by; false: it is not there. */
static bool find_model(const char *path, struct stat *status)
{
    char *inner = path_join(path, "graph.nnef");
    const bool found = stat(inner, status) == 0 || stat(path, status) == 0;
    free(inner);
    return found;
}

bool path_replaces_model(const char *model, const char *out)
{
    struct stat a, b;

    return find_model(model, &a) && find_model(out, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino && !path_is_stream(out);
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
    /* The file would be made in its folder, or in the innermost folder that exists. */
    char *folder = parent_of(path);
    while (make_folders && stat(folder, &status) != 0 && errno == ENOENT) {
        char *parent = parent_of(folder);
        free(folder);
        folder = parent;
    }
    bool ok = access(folder, W_OK | X_OK) == 0 && stat(folder, &status) == 0;
    if (ok && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        ok = false;
    }
    free(folder);
    return ok;
}

bool path_make_folders(const char *path)
{
    char *copy = must_have(strdup(path));
    bool ok = true;

    for (char *slash = strchr(copy + 1, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return ok;
}

bool path_write(const char *path, void (*write)(FILE *file, void *data), void *data)
{
    const bool in_place = path_is_stream(path);
    char *target = in_place ? must_have(strdup(path)) : follow_links(path);
    const size_t size = strlen(target) + 40;
    char *part = must_have(malloc(size));

    if (in_place)
        snprintf(part, size, "%s", target);
    else
        snprintf(part, size, "%s.%ld.part", target, (long)getpid());
    FILE *file = fopen(part, in_place ? "w" : "wx");
    if (file)
        write(file, data);
    bool ok = file && !ferror(file);
    ok = file && fclose(file) == 0 && ok && (in_place || rename(part, target) == 0);
    const int why = errno;
    if (file && !ok && !in_place)
        unlink(part);
    free(part);
    free(target);
    errno = why;
    return ok;
}
