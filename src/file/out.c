/* out.c - sets of files that are replaced together, by means of POSIX */
#include "file/out.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40,  /* symbolic links in a row, the limit of Linux */
    KEPT_OPEN = 100, /* files of a set that are open at a time and have no names yet */
    NAMES_TRIED = 100
};

struct out_file {
    char *path;      /* for diagnostics */
    char *folder;    /* NULL: a stream, which is written directly */
    char *name;      /* of the target, in the folder or `below` it */
    bool below;      /* the name is one for path_make() */
    char *temporary; /* the name so far; NULL: none */
    char *old;       /* what the file from before is called now; NULL: as ever, or there is none */
    bool placed;     /* the file has its name */
    dev_t device;    /* of the folder that holds the target */
    ino_t inode;
    FILE *stream; /* NULL: finished */
    int error;    /* errno of the first failure, or 0 */
};

static bool cannot_write(struct diag *diag, const struct out_file *file)
{
    return diag_file_error(diag, file->path, DIAG_CANNOT_WRITE, "cannot write: %s",
                           strerror(file->error));
}

/* --- names and folders ----------------------------------------------------------------------- */

/* The name of the target in the folder that holds it. */
static const char *target_of(const struct out_file *file)
{
    const char *slash = strrchr(file->path, '/');

    return file->below ? slash + 1 : file->name;
}

/*
 * A descriptor of the folder that holds the target; -1 with errno set.  Folders do not stay open,
 * because a set may have more of them than a process may open.
 */
static int enter(const struct out_file *file)
{
    struct path_fault fault = {0};
    char *path = NULL;

    if (!file->below)
        return open(file->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int folder = path_make(&(struct folder_file){file->folder, file->name}, &path, &fault);
    int error = errno;
    path_fault_clear(&fault);
    free(path);
    errno = error;
    return folder;
}

/* Close the folder and note the error of what was done there. */
static bool leave(struct out_file *file, int folder, bool ok)
{
    if (!ok && !file->error)
        file->error = errno;
    if (folder >= 0)
        close(folder);
    return ok;
}

/* A name that is probably free.  In two containers even the number of the process may be the same.
 */
static char *new_name(const char *start, const char *kind)
{
    struct timespec now = {0};
    struct text name = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t hash = hash_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
    hash = hash_mix(hash_mix(hash, (uint64_t)getpid()), (uintptr_t)&now);
    text_add(&name, "%.200s%s%08" PRIx32, start, kind, (uint32_t)(hash >> 32));
    return name.data;
}

/*
 * Take a temporary name that no file has, for a file that is found at `unnamed`, or if that is NULL
 * for a new one.  -1 with errno set, else 0 or the descriptor of the new file.
 */
static int take_name(int folder, const char *unnamed, char **name)
{
    int result = -1;

    assert(!*name);
    for (int i = 0; i < NAMES_TRIED; i++) {
        *name = new_name("", ".nnefc-");
        result = unnamed ? linkat(AT_FDCWD, unnamed, folder, *name, AT_SYMLINK_FOLLOW)
                         : openat(folder, *name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (result >= 0)
            return result;
        int error = errno;
        free(*name);
        *name = NULL;
        errno = error;
        if (error != EEXIST)
            break;
    }
    return result;
}

/* Write all bytes to disk, give a file without a name a temporary one, and close the stream. */
static void finish(struct out_file *file)
{
    char unnamed[64];

    if (!file->stream)
        return;
    errno = 0;
    bool ok = fflush(file->stream) == 0 && !ferror(file->stream);
    /* A file system may have nothing to synchronize. */
    if (ok && file->folder && fsync(fileno(file->stream)) != 0)
        ok = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
    if (!ok && !file->error)
        file->error = errno ? errno : EIO;
    if (file->folder && !file->temporary && !file->error) {
        int folder = enter(file);
        snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", fileno(file->stream));
        ok = folder >= 0 && take_name(folder, unnamed, &file->temporary) >= 0;
        leave(file, folder, ok);
    }
    if (file->stream == stdout)
        clearerr(stdout); /* what failed is reported here */
    else if (fclose(file->stream) != 0 && !file->error)
        file->error = errno ? errno : EIO;
    file->stream = NULL;
}

/* --- opening --------------------------------------------------------------------------------- */

static struct out_file *new_file(struct out_set *set, const char *path)
{
    /* Once more as many, for are_different(): memory must not run out in a commit. */
    struct out_file **more = realloc(set->file, 2 * ((size_t)set->count + 1) * sizeof(*more));
    struct out_file *file = more ? calloc(1, sizeof *file) : NULL;

    set->file = more ? more : set->file;
    if (!file)
        arena_out_of_memory();
    set->file[set->count++] = file;
    if (set->count > KEPT_OPEN)
        finish(set->file[set->count - 1 - KEPT_OPEN]);
    file->path = text_copy(path, strlen(path));
    return file;
}

static bool open_stream(struct out_set *set, struct out_file *file, int fd)
{
    if (fd >= 0)
        file->stream = fdopen(fd, "wb");
    if (file->stream)
        return true;
    file->error = errno;
    if (fd >= 0)
        close(fd);
    return cannot_write(set->diag, file);
}

/*
 * Make the new file in `folder`, which is -1 if there is none.  Where the system has files without
 * a name, nothing is left of it if the process dies.  Closes `folder`.
 */
static bool start(struct out_set *set, struct out_file *file, int folder)
{
    struct stat st;
    int fd = -1;

    if (folder < 0 || fstat(folder, &st) != 0)
        return open_stream(set, file, -1);
    file->device = st.st_dev;
    file->inode = st.st_ino;
    bool exists = fstatat(folder, target_of(file), &st, 0) == 0;
    if (exists && !set->force && diag_is_input(set->diag, st.st_dev, st.st_ino)) {
        close(folder);
        diag_file_error(set->diag, file->path, DIAG_CANNOT_WRITE,
                        "the model was read from this file, which would be lost");
        diag_help(set->diag, "write to another place, or replace it with --force.");
        return false;
    }
    if (exists && !S_ISREG(st.st_mode))
        errno = S_ISDIR(st.st_mode) ? EISDIR : ENXIO;
    else if (!exists || faccessat(folder, target_of(file), W_OK, 0) == 0) {
#ifdef __O_TMPFILE
        if (access("/proc/self/fd", X_OK) == 0)
            fd = openat(folder, ".", O_WRONLY | __O_TMPFILE | O_CLOEXEC, 0666);
#endif
        fd = fd >= 0 ? fd : take_name(folder, NULL, &file->temporary);
    }
    if (fd >= 0 && exists)
        (void)fchmod(fd, st.st_mode & 0777);
    leave(file, folder, fd >= 0);
    errno = file->error;
    return open_stream(set, file, fd);
}

/* What a symbolic link leads to, which need not exist, else the path; to be freed. */
static char *follow_links(const char *path)
{
    char *target = text_copy(path, strlen(path)), link[PATH_MAX];

    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t size = readlink(target, link, sizeof link);
        if (size <= 0 || (size_t)size == sizeof link)
            break;
        const char *slash = link[0] == '/' ? NULL : strrchr(target, '/');
        struct text text = {0};
        text_add_bytes(&text, target, slash ? (size_t)(slash - target) + 1 : 0);
        text_add_bytes(&text, link, (size_t)size);
        free(target);
        target = text.data;
    }
    return target;
}

struct out_file *out_open(struct out_set *set, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    struct out_file *file = new_file(set, standard ? "<stdout>" : path);
    struct stat st;

    if (standard) {
        file->stream = stdout;
        return file;
    }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return open_stream(set, file, open(path, O_WRONLY | O_CLOEXEC)) ? file : NULL;
    char *target = follow_links(path), *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    file->name = text_copy(name, strlen(name));
    if (slash)
        slash[slash == target] = '\0'; /* of "/name" the folder is "/" */
    file->folder = text_copy(slash ? target : ".", slash ? strlen(target) : 1);
    free(target);
    return start(set, file, enter(file)) ? file : NULL;
}

struct out_file *out_open_in(struct out_set *set, const struct folder_file *place)
{
    struct path_fault fault = {0};
    char *path;

    assert(place->folder && place->name);
    int folder = path_make(place, &path, &fault);
    if (folder < 0) {
        path_report(set->diag, &fault);
        return NULL;
    }
    struct out_file *file = new_file(set, path);
    free(path);
    file->below = true;
    file->folder = text_copy(place->folder, strlen(place->folder));
    file->name = text_copy(place->name, strlen(place->name));
    return start(set, file, folder) ? file : NULL;
}

/* --- writing --------------------------------------------------------------------------------- */

void out_write(struct out_file *file, const void *data, size_t size)
{
    assert(file->stream);
    if (file->error || size == 0)
        return;
    errno = 0;
    if (fwrite(data, 1, size, file->stream) != size)
        file->error = errno ? errno : EIO;
}

static void put(void *to, const void *data, size_t size)
{
    out_write(to, data, size);
}

struct sink out_sink(struct out_file *file)
{
    return (struct sink){file->path, put, file};
}

/* --- taking turns ---------------------------------------------------------------------------- */

static const char lock_name[] = ".nnefc-lock";

/* Whether the file that is locked is still the one of that name. */
static bool is_current(int folder, int lock)
{
    struct stat held, named;

    return fstat(lock, &held) == 0 && fstatat(folder, lock_name, &named, 0) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/*
 * Wait until no other process commits to the folder.  The folder itself is not locked, since a
 * script may do that around us.  -1: not possible here, as on a network file system; or, with
 * errno EWOULDBLOCK, another process has been at it for too long.
 */
static int take_turn(int folder)
{
    enum { TRIES = 6000 };
    const struct timespec pause = {0, 10000000}; /* a minute in all */

    for (int i = 0; i < TRIES; i++) {
        int lock = openat(folder, lock_name, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        int taken = lock < 0 ? -1 : flock(lock, LOCK_EX | LOCK_NB);
        if (taken == 0 && is_current(folder, lock))
            return lock;
        int error = errno;
        if (lock >= 0)
            close(lock);
        errno = error;
        if (taken != 0 && error != EWOULDBLOCK)
            return -1;
        if (taken != 0)
            nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return -1;
}

static void end_turn(int folder, int lock)
{
    if (lock >= 0) {
        unlinkat(folder, lock_name, 0);
        close(lock);
    }
}

/* --- giving names ---------------------------------------------------------------------------- */

/*
 * Set aside the file that has the name so far, if there is one.  Nobody else takes the name that it
 * gets: processes that commit do so in turn.
 */
static bool set_aside(struct out_file *file)
{
    int folder = enter(file);
    struct stat st;
    bool ok = folder >= 0;

    if (ok && fstatat(folder, target_of(file), &st, AT_SYMLINK_NOFOLLOW) == 0) {
        char *old = new_name(target_of(file), ".old-");
        if (S_ISDIR(st.st_mode)) /* since it was opened */
            errno = EISDIR;
        ok = !S_ISDIR(st.st_mode) && renameat(folder, target_of(file), folder, old) == 0;
        if (!ok) {
            file->error = errno;
            free(old);
            old = NULL;
        }
        file->old = old;
    }
    return leave(file, folder, ok);
}

static bool place(struct out_file *file)
{
    int folder = enter(file);

    file->placed = folder >= 0 && renameat(folder, file->temporary, folder, target_of(file)) == 0;
    return leave(file, folder, file->placed);
}

/* Remove what is not wanted; if the commit failed, give the names back to what was set aside. */
static void tidy(struct diag *diag, struct out_file *file, bool ok)
{
    bool has_old = file->old, has_new = file->temporary && !file->placed;
    int folder = has_old || has_new || (file->placed && !ok) ? enter(file) : -1;

    if (folder < 0)
        return;
    if (has_new)
        unlinkat(folder, file->temporary, 0);
    if (has_old && ok)
        unlinkat(folder, file->old, 0);
    else if (has_old && renameat(folder, file->old, folder, target_of(file)) != 0)
        diag_help(diag, "the file from before is '%s', beside '%s'.", file->old, file->path);
    else if (!has_old && file->placed && !ok)
        unlinkat(folder, target_of(file), 0);
    close(folder);
}

/* By the folder, then by the name in it. */
static int by_target(const void *a, const void *b)
{
    const struct out_file *x = *(struct out_file *const *)a, *y = *(struct out_file *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return strcmp(target_of(x), target_of(y));
}

/* Whether no two files have one target.  `sorted` has room for all of them. */
static bool are_different(struct diag *diag, struct out_file *const *file, int count,
                          struct out_file **sorted)
{
    memcpy(sorted, file, (size_t)count * sizeof(*sorted));
    qsort(sorted, (size_t)count, sizeof(*sorted), by_target);
    for (int i = 1; i < count; i++)
        if (by_target(&sorted[i - 1], &sorted[i]) == 0)
            return diag_file_error(diag, sorted[i]->path, DIAG_CANNOT_WRITE,
                                   "two results are to be written to this file");
    return true;
}

/* Each file has its name then, on disk too; or, after a report, some of them may have. */
static bool give_names(struct diag *diag, struct out_file *const *file, int count)
{
    const struct out_file *last = NULL;

    for (int i = count - 1; i >= 0 && count > 1; i--)
        if (!set_aside(file[i]))
            return cannot_write(diag, file[i]);
    for (int i = 0; i < count; i++)
        if (!place(file[i]))
            return cannot_write(diag, file[i]);
    for (int i = 0; i < count; last = file[i++]) {
        bool same = last && last->device == file[i]->device && last->inode == file[i]->inode;
        int folder = same ? -1 : enter(file[i]);
        if (folder < 0)
            continue;
        (void)fsync(folder);
        close(folder);
    }
    return true;
}

/* If `ok`, give the names in turn with other processes.  After a failure they are those of before.
 */
static bool replace(struct diag *diag, struct out_file *const *file, int count, bool ok)
{
    const struct out_file *last = file[count - 1];
    int folder = open(*last->folder ? last->folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int lock = -1;

    errno = 0;
    if (ok && count > 1 && folder >= 0 && (lock = take_turn(folder)) < 0 && errno == EWOULDBLOCK)
        ok = diag_file_error(diag, last->path, DIAG_CANNOT_WRITE,
                             "cannot write: another process has been writing there for a minute");
    ok = ok && give_names(diag, file, count);
    for (int i = 0; i < count; i++)
        tidy(diag, file[i], ok);
    end_turn(folder, lock);
    if (folder >= 0)
        close(folder);
    return ok;
}

/* --- committing ------------------------------------------------------------------------------ */

static void free_file(struct out_file *file)
{
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    free(file->path);
    free(file->folder);
    free(file->name);
    free(file->temporary);
    free(file->old);
    free(file);
}

bool out_commit(struct out_set *set, bool ok)
{
    int count = 0;

    for (int i = 0; i < set->count && ok; i++) {
        finish(set->file[i]);
        if (set->file[i]->error)
            ok = cannot_write(set->diag, set->file[i]);
    }
    for (int i = 0; i < set->count; i++)
        if (set->file[i]->folder)
            set->file[count++] = set->file[i];
        else
            free_file(set->file[i]);
    if (count > 0) {
        ok = ok && are_different(set->diag, set->file, count, set->file + count);
        ok = replace(set->diag, set->file, count, ok);
    }
    for (int i = 0; i < count; i++)
        free_file(set->file[i]);
    free(set->file);
    *set = (struct out_set){.diag = set->diag, .force = set->force};
    return ok;
}
