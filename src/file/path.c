/*
 * path.c - walks below a model folder by openat()
 *
 * The walk keeps the path so far, which is free of links and "..", a descriptor of it, and the
 * components to go.  The target of a link takes the place of the link among the components to go.
 */
#include "file/path.h"

#include "base/arena.h"
#include "base/text.h"
#include "file/label.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, OPEN_FOLDER = PATH_FOLDER | O_NOFOLLOW };

/* What to do with a component that does not exist. */
enum walk_mode {
    WALK_READ,  /* accept a name in another case, else fail */
    WALK_PLACE, /* take the rest of the path as written */
    WALK_MAKE,  /* make the folder */
};

struct path_walk {
    enum walk_mode mode;
    struct text path;  /* begins with the folder */
    size_t root;       /* length of the folder in `path` */
    int folder;        /* descriptor of `path`; AT_FDCWD at the root, where names are whole paths */
    char *rest;        /* components to go, owned */
    int links;         /* followed so far */
    bool ends_in_file; /* the last component was a name, not "." or ".." */
    bool exists, stray; /* the last component exists; one before it does not (WALK_PLACE) */
    bool outside;       /* the walk failed because it left the folder; else errno says why */
    struct stat status; /* of the last component, if it exists */
};

/* --- faults ------------------------------------------------------------------------------ */

void path_fault_clear(struct path_fault *fault)
{
    free(fault->file);
    free(fault->why);
    *fault = (struct path_fault){0};
}

bool path_report(struct diag *diag, struct path_fault *fault)
{
    assert(fault->why);
    diag_file_error(diag, fault->file, fault->code, "%s", fault->why);
    path_fault_clear(fault);
    return false;
}

void path_fault_set(struct path_fault *fault, enum diag_code code, const char *file,
                    const char *fmt, ...)
{
    struct text name = {0}, why = {0};
    va_list args;

    text_add(&name, "%s", file);
    va_start(args, fmt);
    text_add_v(&why, fmt, args);
    va_end(args);
    *fault = (struct path_fault){.code = code, .file = name.data, .why = why.data};
}

/* A fault whose message is that of errno. */
static void set_system_fault(struct path_fault *fault, enum walk_mode mode, const char *file)
{
    bool read = mode != WALK_MAKE;
    int error = errno;

    path_fault_set(fault, read ? DIAG_CANNOT_READ : DIAG_CANNOT_WRITE, file, "cannot %s: %s",
                   read ? "read" : "write",
                   error == ENXIO ? "it is a pipe or device, expected a regular file"
                                  : strerror(error));
    fault->absent = error == ENOENT;
}

/* --- steps ------------------------------------------------------------------------------- */

static void leave_folder(struct path_walk *w)
{
    int error = errno;

    if (w->folder != AT_FDCWD)
        close(w->folder);
    w->folder = AT_FDCWD;
    errno = error;
}

static void shorten(struct path_walk *w, size_t size)
{
    w->path.size = size;
    w->path.data[size] = '\0';
}

/* Put components before those to go. */
static void put_before_rest(struct path_walk *w, const char *components, size_t size)
{
    struct text rest = {0};

    text_add_bytes(&rest, components, size);
    text_add(&rest, "/%s", w->rest);
    free(w->rest);
    w->rest = rest.data;
}

/* Replace the link `at`, the component behind `parent`, by its target. */
static bool follow_link(struct path_walk *w, const char *at, size_t parent)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(w->folder, at, target, sizeof target);

    w->outside = size > 0 && target[0] == '/';
    if (size <= 0 || (size_t)size == sizeof target || ++w->links > LINKS_MAX)
        errno = ELOOP;
    else if (!w->outside) {
        shorten(w, parent);
        put_before_rest(w, target, (size_t)size);
        return true;
    }
    return false;
}

/*
 * Replace the component behind `parent` by a name in the folder that differs only in case, the
 * first by strcmp().  Looking by path is safe: this only picks the name to be opened next.
 */
static bool match_case(struct path_walk *w, size_t parent)
{
    char *name = w->path.data + parent + 1;
    struct dirent *entry;
    bool found = false;

    w->path.data[parent] = '\0';
    DIR *listing = opendir(w->path.data);
    w->path.data[parent] = '/';
    while (listing && (errno = 0, entry = readdir(listing))) /* NOLINT(concurrency-mt-unsafe) */
        if (strlen(entry->d_name) == strlen(name) && label_equal(entry->d_name, name) &&
            (!found || strcmp(entry->d_name, name) < 0)) {
            memcpy(name, entry->d_name, strlen(name));
            found = true;
        }
    int error = listing ? errno : 0;
    if (listing)
        closedir(listing);
    errno = error ? error : ENOENT;
    return found && !error; /* the first name may be one that was not listed */
}

/* Append the component `name` to the path and go there; `last` means that none follow. */
static bool step_into(struct path_walk *w, const char *name, bool last)
{
    size_t parent = w->path.size;

    w->ends_in_file = true;
    text_add(&w->path, "/%s", name);
    if (w->stray)
        return true;
    const char *at = w->path.data + (w->folder == AT_FDCWD ? 0 : parent + 1);
    w->exists = fstatat(w->folder, at, &w->status, AT_SYMLINK_NOFOLLOW) == 0;
    if (!w->exists && errno == ENOENT && w->mode == WALK_READ && match_case(w, parent))
        w->exists = fstatat(w->folder, at, &w->status, AT_SYMLINK_NOFOLLOW) == 0;
    w->stray = !w->exists && w->mode == WALK_PLACE;
    if (!w->exists && !w->stray) {
        if (w->mode != WALK_MAKE || errno != ENOENT)
            return false;
        if (!last && mkdirat(w->folder, at, 0777) != 0 && errno != EEXIST)
            return false;
    }
    if (w->exists && S_ISLNK(w->status.st_mode))
        return follow_link(w, at, parent);
    if (last || w->stray)
        return true;
    int next = openat(w->folder, at, OPEN_FOLDER);
    leave_folder(w);
    w->folder = next < 0 ? AT_FDCWD : next;
    w->stray = next < 0 && w->mode == WALK_PLACE;
    return next >= 0 || w->stray;
}

/* Take the first of the components to go; an empty one or "." stays in place. */
static bool step(struct path_walk *w)
{
    size_t size = strcspn(w->rest, "/");
    struct text name = {0};
    bool ok = true;

    assert(w->path.size >= w->root);
    text_add_bytes(&name, w->rest, size);
    size += strspn(w->rest + size, "/");
    memmove(w->rest, w->rest + size, strlen(w->rest + size) + 1);
    if (strcmp(name.data, "..") == 0) {
        w->ends_in_file = false;
        w->outside = w->path.size == w->root;
        ok = !w->outside;
        if (ok)
            shorten(w, (size_t)(strrchr(w->path.data, '/') - w->path.data));
        /* The walk begins again at the root: the path so far is free of links. */
        if (ok && !w->stray) {
            put_before_rest(w, w->path.data + w->root, w->path.size - w->root);
            shorten(w, w->root);
            leave_folder(w);
        }
    } else if (strcmp(name.data, ".") == 0)
        w->ends_in_file = false;
    else if (name.size > 0)
        ok = step_into(w, name.data, !*w->rest);
    int error = errno;
    text_free(&name);
    errno = error;
    return ok;
}

/* Walk to `file`.  False with a fault, which names the file as the caller wrote it. */
static bool walk(struct path_walk *w, const struct folder_file *file, struct path_fault *fault)
{
    const char *folder = *file->folder ? file->folder : ".";
    bool ok = true;

    w->root = strlen(folder);
    while (w->root > 1 && folder[w->root - 1] == '/')
        w->root--;
    text_add_bytes(&w->path, folder, w->root);
    w->rest = text_copy(file->name, strlen(file->name));
    w->folder = AT_FDCWD;

    /* The model folder and those on the way to it belong to the user and may be links. */
    text_add(&w->path, "/");
    char *slash = w->mode == WALK_MAKE ? strchr(w->path.data + 1, '/') : NULL;
    for (; ok && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = mkdir(w->path.data, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    shorten(w, w->root);
    while (*w->rest && ok)
        ok = step(w);
    if (ok)
        return true;
    shorten(w, w->root);
    text_add(&w->path, "/%s", file->name);
    if (w->outside)
        path_fault_set(fault, DIAG_OUTSIDE, w->path.data,
                       "symbolic link leads out of the model folder");
    else
        set_system_fault(fault, w->mode, w->path.data);
    fault->absent &= w->links == 0;
    text_free(&w->path);
    return false;
}

/* End a walk and return its path, which the caller frees; NULL unless `ok`. */
static char *end_walk(struct path_walk *w, bool ok)
{
    leave_folder(w);
    free(w->rest);
    if (!ok)
        text_free(&w->path);
    return w->path.data;
}

/* --- ends -------------------------------------------------------------------------------- */

char *path_of_label(const char *folder, const char *label, struct path_fault *fault)
{
    const char *why = "";

    assert(folder && label);
    if (label_is_safe(label, &why))
        return label_file(label);
    path_fault_set(fault, DIAG_LABEL, folder, "label '%s' has %s", label, why);
    return NULL;
}

/* Whether the walk ended at a regular file; else errno says what it is. */
static bool is_regular(const struct path_walk *w)
{
    mode_t mode = w->status.st_mode;

    if (w->ends_in_file && S_ISREG(mode))
        return true;
    errno = !w->ends_in_file || S_ISDIR(mode) ? EISDIR : S_ISLNK(mode) ? ELOOP : ENXIO;
    return false;
}

/*
 * The kind of the file is checked before it is opened, because opening may block, and again after
 * that, because the file may have been replaced.
 */
int path_open(const struct folder_file *file, char **path, struct path_fault *fault)
{
    struct path_walk w = {.mode = WALK_READ};
    int fd = -1;

    *path = NULL;
    if (walk(&w, file, fault)) {
        const char *at = w.folder == AT_FDCWD ? w.path.data : strrchr(w.path.data, '/') + 1;
        if (is_regular(&w))
            fd = openat(w.folder, at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && (fstat(fd, &w.status) != 0 || !is_regular(&w))) {
            int error = errno;
            close(fd);
            fd = -1;
            errno = error;
        }
        if (fd < 0)
            set_system_fault(fault, w.mode, w.path.data);
    }
    *path = end_walk(&w, fd >= 0);
    return fd;
}

int path_make(const struct folder_file *file, char **path, struct path_fault *fault)
{
    struct path_walk w = {.mode = WALK_MAKE};
    int folder = -1;

    if (walk(&w, file, fault)) {
        errno = EISDIR;
        if (w.ends_in_file && w.folder == AT_FDCWD) {
            w.path.data[w.root] = '\0'; /* may be a link, which is the user's */
            folder = open(w.path.data, PATH_FOLDER);
            w.path.data[w.root] = '/';
        } else if (w.ends_in_file) {
            folder = w.folder;
            w.folder = AT_FDCWD;
        }
        if (folder < 0)
            set_system_fault(fault, WALK_MAKE, w.path.data);
    }
    *path = end_walk(&w, folder >= 0);
    return folder;
}

char *path_find(const struct folder_file *file, bool to_write, struct path_fault *fault)
{
    struct path_walk w = {.mode = to_write ? WALK_PLACE : WALK_READ};
    bool ok = walk(&w, file, fault);

    return end_walk(&w, ok);
}
