/*
 * safe_path.c - walks from the model folder to a file in it
 *
 * The walk keeps the path so far, below the folder and free of symbolic links, and the components
 * still to go.  A link is replaced by the components it stands for, so that ".." and absolute
 * targets are seen for what they are.
 */
#include "file/safe_path.h"

#include "base/text.h"
#include "diag/diag.h"
#include "file/file.h"
#include "file/label.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

static size_t folder_size(const char *folder)
{
    size_t size = strlen(folder);

    while (size > 1 && folder[size - 1] == '/')
        size--;
    return size;
}

static void add_folder(struct text *text, const char *folder)
{
    size_t size = folder_size(folder);

    text_add_bytes(text, size ? folder : ".", size ? size : 1);
}

struct path_walk {
    struct text path; /* begins with the folder */
    size_t root;      /* its length */
    char *rest;       /* components to go, owned */
    int links;
    bool exact; /* names are taken as they are */
};

enum walk_result { WALK_ON, WALK_FAILED, WALK_OUTSIDE };

static bool is_in_another_case(const char *entry, const char *name)
{
    return strlen(entry) == strlen(name) && label_equal(entry, name);
}

/* In place of `*name`, which does not exist, one of the same letters in `folder`; the first by
 * strcmp() if there are several. */
static void match_case(const char *folder, char *name)
{
    DIR *listing = opendir(folder);
    struct dirent *entry;
    bool found = false;

    while (listing && (entry = readdir(listing))) /* NOLINT(concurrency-mt-unsafe) */
        if (is_in_another_case(entry->d_name, name) &&
            (!found || strcmp(entry->d_name, name) < 0)) {
            memcpy(name, entry->d_name, strlen(name));
            found = true;
        }
    if (listing)
        closedir(listing);
}

static bool exists(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static void shorten(struct text *path, size_t size)
{
    path->size = size;
    path->data[size] = '\0';
}

static void enter(struct path_walk *w, char *name)
{
    size_t parent = w->path.size;

    text_add(&w->path, "/%s", name);
    if (w->exact || exists(w->path.data))
        return;
    shorten(&w->path, parent);
    match_case(w->path.data, name);
    text_add(&w->path, "/%s", name);
}

static enum walk_result leave(struct path_walk *w)
{
    if (w->path.size == w->root)
        return WALK_OUTSIDE;
    shorten(&w->path, (size_t)(strrchr(w->path.data, '/') - w->path.data));
    return WALK_ON;
}

/* If the path now ends in a symbolic link: one step up, and what it stands for is still to go. */
static enum walk_result follow(struct path_walk *w)
{
    char target[PATH_MAX];
    struct text rest = {0};
    ssize_t size = readlink(w->path.data, target, sizeof target);

    if (size < 0)
        return WALK_ON;
    if (size == 0 || (size_t)size == sizeof target || ++w->links > LINKS_MAX) {
        errno = ELOOP;
        return WALK_FAILED;
    }
    if (target[0] == '/')
        return WALK_OUTSIDE;
    text_add_bytes(&rest, target, (size_t)size);
    text_add(&rest, "/%s", w->rest);
    free(w->rest);
    w->rest = rest.data;
    return leave(w);
}

/* Takes the first of the components to go; an empty one or "." stays in place. */
static enum walk_result step(struct path_walk *w)
{
    size_t size = strcspn(w->rest, "/");
    struct text name = {0};

    text_add_bytes(&name, w->rest, size);
    size += w->rest[size] == '/';
    memmove(w->rest, w->rest + size, strlen(w->rest + size) + 1);
    enum walk_result result = WALK_ON;
    if (strcmp(name.data, "..") == 0) {
        result = leave(w);
    } else if (name.size > 0 && strcmp(name.data, ".") != 0) {
        enter(w, name.data);
        result = follow(w);
    }
    text_free(&name);
    return result;
}

static bool report(struct diag *diag, const char *folder, const char *name, enum walk_result result)
{
    struct text wanted = {0};
    int error = errno;

    add_folder(&wanted, folder);
    text_add(&wanted, "/%s", name);
    if (result == WALK_OUTSIDE)
        diag_file_error(diag, wanted.data, DIAG_OUTSIDE,
                        "symbolic link leads out of the model folder");
    else
        diag_file_error(diag, wanted.data, DIAG_CANNOT_READ, "cannot read: %s", strerror(error));
    text_free(&wanted);
    return false;
}

/* The path of the file; NULL after a report. */
static char *walk_to(struct diag *diag, const char *folder, const char *name, bool must_exist)
{
    struct path_walk w = {.exact = !must_exist};
    struct text rest = {0};
    enum walk_result result = WALK_ON;

    add_folder(&w.path, folder);
    w.root = w.path.size;
    text_add(&rest, "%s", name);
    w.rest = rest.data;
    while (*w.rest && result == WALK_ON)
        result = step(&w);
    if (result == WALK_ON && must_exist && !exists(w.path.data))
        result = WALK_FAILED;
    if (result != WALK_ON && !report(diag, folder, name, result))
        text_free(&w.path);
    free(w.rest);
    return w.path.data;
}

char *inside_find(struct diag *diag, const char *folder, const char *name)
{
    return walk_to(diag, folder, name, true);
}

char *inside_place(struct diag *diag, const char *folder, const char *name)
{
    return walk_to(diag, folder, name, false);
}

const char *inside_relative(const char *folder, const char *path)
{
    size_t size = folder_size(folder);

    return path + (size ? size : 1) + 1;
}

static struct file_place place_in(const char *folder, const char *path)
{
    return (struct file_place){*folder ? folder : ".", inside_relative(folder, path), path};
}

/* Mostly a file is there as it was written, without links on the way: then it needs no walk. */
bool inside_open(struct diag *diag, const struct inside *file, int64_t budget,
                 struct file_view *view, char **path)
{
    struct text direct = {0};
    bool there;

    add_folder(&direct, file->folder);
    text_add(&direct, "/%s", file->name);
    struct file_place place = place_in(file->folder, direct.data);
    bool ok = file_try_beneath(diag, &place, budget, view, &there);
    *path = direct.data;
    if (there)
        return ok;
    text_free(&direct);
    *path = inside_find(diag, file->folder, file->name);
    if (!*path)
        return false;
    place = place_in(file->folder, *path);
    return file_open_beneath(diag, &place, budget, view);
}
