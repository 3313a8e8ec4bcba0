/* out.c - sets of files that are replaced together, by means of POSIX */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "file/out.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/path.h"
#include "file/sync.h"

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
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40,  /* symbolic links in a row, the limit of Linux */
    KEPT_OPEN = 500, /* files of a set that are open at a time and have no names yet */
    NAMES_TRIED = 100,
    NAME_ROOM = 256
};

struct out_file {
    char *path;                /* for diagnostics */
    char *folder;              /* NULL: a stream, which is written directly */
    char *name;                /* of the target, in the folder */
    char temporary[NAME_ROOM]; /* the name so far; "": none */
    char old[NAME_ROOM];       /* of the file from before; "": as ever, or there is none */
    bool placed;               /* the file has its name */
    bool removed;              /* nothing gets the name; the file from before goes */
    dev_t device;              /* of the folder */
    ino_t inode;
    bool in_turn; /* the first file of its folder, which is locked by `lock` or cannot be */
    int lock;
    FILE *stream; /* NULL: closed */
    int error;    /* errno of the first failure, or 0 */
};

static bool cannot_write(struct diag *diag, const struct out_file *file)
{
    return diag_file_error(diag, file->path, DIAG_CANNOT_WRITE, "cannot write: %s",
                           strerror(file->error));
}

/* --- names and folders ----------------------------------------------------------------------- */

/*
 * A descriptor of the folder, which must be the one of before; -1 with errno set.  Folders do not
 * stay open, because a set may have more of them than a process may open.
 */
static int enter(const struct out_file *file)
{
    int folder = open(file->folder, PATH_FOLDER);
    struct stat st;

    if (folder < 0 ||
        (fstat(folder, &st) == 0 && st.st_dev == file->device && st.st_ino == file->inode))
        return folder;
    close(folder);
    errno = ENOENT;
    return -1;
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

/*
 * A name that is probably free and begins as `start`, up to a whole character of UTF-8.  In two
 * containers even the number of the process may be the same.
 */
static void new_name(char name[NAME_ROOM], const char *start, const char *kind)
{
    enum { KEPT = 200 };
    struct timespec now = {0};
    size_t size = strnlen(start, KEPT + 1);

    if (size > KEPT)
        for (size = KEPT; size > KEPT - 4 && ((unsigned char)start[size] & 0xC0) == 0x80;)
            size--;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t hash = hash_mix((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
    hash = hash_mix(hash_mix(hash, (uint64_t)getpid()), (uintptr_t)&now);
    snprintf(name, NAME_ROOM, "%.*s%s%08" PRIx32, (int)size, start, kind, (uint32_t)(hash >> 32));
}

/*
 * Take a temporary name that no file has, for a file that is found at `unnamed`, or if that is NULL
 * for a new one.  -1 with errno set, else 0 or the descriptor of the new file.
 */
static int take_name(int folder, const char *unnamed, char name[NAME_ROOM])
{
    int result = -1;

    assert(!*name);
    for (int i = 0; i < NAMES_TRIED; i++) {
        new_name(name, "", ".nnefc-");
        result = unnamed ? linkat(AT_FDCWD, unnamed, folder, name, AT_SYMLINK_FOLLOW)
                         : openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (result >= 0)
            return result;
        *name = '\0';
        if (errno != EEXIST)
            break;
    }
    return result;
}

/*
 * Write the bytes to disk, those of many files of a file system at once if it can do so: to wait
 * for the disk takes most of the time.
 */
static void sync_files(struct out_file *const *file, int count)
{
    enum { MANY = 16 };
    const struct out_file *before = NULL;
    bool synced = false;

    for (int i = 0; i < count; i++) {
        if (!file[i]->folder || !file[i]->stream || file[i]->error)
            continue;
        int fd = fileno(file[i]->stream);
        if (count >= MANY && (!before || before->device != file[i]->device))
            synced = sync_file_system(fd);
        before = file[i];
        if (!(synced ? sync_went_well(fd) : sync_file(fd)))
            file[i]->error = errno;
    }
}

/* Give a file without a name a temporary one, and close the stream. */
static void close_file(struct out_file *file)
{
    char unnamed[64];

    if (file->folder && !*file->temporary && !file->error) {
        int folder = enter(file);
        snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", fileno(file->stream));
        bool ok = folder >= 0 && take_name(folder, unnamed, file->temporary) >= 0;
        leave(file, folder, ok);
    }
    if (file->stream == stdout)
        clearerr(stdout); /* what failed is reported here */
    else if (fclose(file->stream) != 0 && !file->error)
        file->error = errno ? errno : EIO;
    file->stream = NULL;
}

/* Write all open files of the set to disk, and close them. */
static void finish(struct out_set *set)
{
    struct out_file *const *open = set->file + set->finished;
    int count = set->count - set->finished;

    /* First hand all bytes to the system, or to the reader of a stream. */
    for (int i = 0; i < count; i++) {
        errno = 0;
        if (open[i]->stream && (fflush(open[i]->stream) != 0 || ferror(open[i]->stream)) &&
            !open[i]->error)
            open[i]->error = errno ? errno : EIO;
    }
    sync_files(open, count);
    for (int i = 0; i < count; i++)
        if (open[i]->stream)
            close_file(open[i]);
    set->finished = set->count;
}

/*
 * Remove what is not wanted; unless `ok`, give the name back to what was set aside.  `old` stays
 * set if that fails.
 */
static void tidy(struct out_file *file, bool ok)
{
    bool has_old = *file->old, has_new = *file->temporary && !file->placed;
    int folder = has_old || has_new || (file->placed && !ok) ? enter(file) : -1;

    if (ok)
        file->placed = false; /* the name is no longer ours to take back */
    if (folder < 0)
        return;
    if (has_new)
        unlinkat(folder, file->temporary, 0);
    if (has_old && ok)
        unlinkat(folder, file->old, 0);
    else if (!has_old && file->placed)
        unlinkat(folder, file->name, 0);
    if (has_old && (ok || renameat(folder, file->old, folder, file->name) == 0))
        *file->old = '\0';
    *file->temporary = '\0';
    file->placed = false;
    close(folder);
}

static void free_file(struct out_file *file)
{
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    free(file->path);
    free(file->folder);
    free(file->name);
    free(file);
}

/* --- opening --------------------------------------------------------------------------------- */

/* Take away what there is of files that have no names yet. */
static void discard(void *of)
{
    struct out_set *set = of;

    for (int i = 0; i < set->count; i++) {
        if (set->file[i]->folder)
            tidy(set->file[i], false);
        free_file(set->file[i]);
    }
    free(set->file);
    *set = (struct out_set){.diag = set->diag, .force = set->force};
}

/*
 * Close the files of the set unless another one may be open.  A set has a quarter of what the
 * process may open, since others open some, too, and may have opened more than their part.
 */
static void make_room(struct out_set *set)
{
    enum { NEEDED = 6 }; /* to walk to a folder and make a file there */
    int count = 0, spare[NEEDED];
    rlim_t kept = KEPT_OPEN;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < kept)
        kept = limit.rlim_cur / 4;
    while (count < NEEDED && (spare[count] = open("/", PATH_FOLDER)) >= 0)
        count++;
    for (int i = 0; i < count; i++)
        close(spare[i]);
    if (count < NEEDED || (rlim_t)(set->count - set->finished) >= kept)
        finish(set);
}

static struct out_file *new_file(struct out_set *set, const char *path)
{
    if (!set->undo.run) {
        set->undo = (struct undo){.run = discard, .what = set};
        recovery_add_undo(&set->undo);
    }
    /* Once more as many, for are_different(): memory must not run out in a commit. */
    struct out_file **more = realloc(set->file, 2 * ((size_t)set->count + 1) * sizeof(*more));
    struct out_file *file = more ? calloc(1, sizeof *file) : NULL;

    set->file = more ? more : set->file;
    if (!file)
        arena_out_of_memory();
    set->file[set->count++] = file;
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

    if (folder < 0 || fstat(folder, &st) != 0) {
        leave(file, folder, false);
        errno = file->error;
        return open_stream(set, file, -1);
    }
    file->device = st.st_dev;
    file->inode = st.st_ino;
    bool exists = fstatat(folder, file->name, &st, 0) == 0;
    if (exists && !set->force && diag_is_input(set->diag, st.st_dev, st.st_ino)) {
        close(folder);
        diag_file_error(set->diag, file->path, DIAG_CANNOT_WRITE,
                        "the model was read from this file, which would be lost");
        return diag_help(set->diag,
                         "write to another place, or with --force if the command has it.");
    }
    if (exists && !S_ISREG(st.st_mode))
        errno = S_ISDIR(st.st_mode) ? EISDIR : ENXIO;
    else if (!exists || faccessat(folder, file->name, W_OK, 0) == 0 || errno == ENOENT) {
        /* Gone by now, it was set aside by another process, which will give the name to its own. */
#ifdef O_TMPFILE
        if (access("/proc/self/fd", X_OK) == 0)
            fd = openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
#endif
        fd = fd >= 0 ? fd : take_name(folder, NULL, file->temporary);
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

/* The descriptor that the path names, such as /dev/stdout, or -1. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

    if (strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0)
        return path[strlen("/dev/std")] == 'o' ? STDOUT_FILENO : STDERR_FILENO;
    for (int i = 0; i < 2; i++) {
        size_t size = strlen(folders[i]);
        if (strncmp(path, folders[i], size) != 0)
            continue;
        size_t digits = strspn(path + size, "0123456789");
        if (digits > 0 && digits < 7 && !path[size + digits])
            return (int)strtol(path + size, NULL, 10);
    }
    return -1;
}

bool out_is_stream(const char *path)
{
    struct stat st;

    return strcmp(path, "-") == 0 || descriptor_of(path) >= 0 ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

struct out_file *out_open(struct out_set *set, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat st;

    make_room(set);
    struct out_file *file = new_file(set, standard ? "<stdout>" : path);
    if (standard) {
        file->stream = stdout;
        return file;
    }
    /* What is behind a descriptor may have been written before, and is not ours to replace. */
    if (descriptor_of(path) >= 0)
        return open_stream(set, file, dup(descriptor_of(path))) ? file : NULL;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return open_stream(set, file, open(path, O_WRONLY | O_CLOEXEC)) ? file : NULL;
    char *target = follow_links(path), *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    file->name = text_copy(name, strlen(name));
    if (slash)
        slash[slash == target] = '\0'; /* of "/name" the folder is "/" */
    file->folder = text_copy(slash ? target : ".", slash ? strlen(target) : 1);
    free(target);
    return start(set, file, open(file->folder, PATH_FOLDER)) ? file : NULL;
}

/* The folder of the place if that of the file before is the same, and no link is there; or -1. */
static int enter_again(const struct out_set *set, const struct folder_file *place)
{
    const struct out_file *last = set->count > 0 ? set->file[set->count - 1] : NULL;
    struct text path = {0};
    struct stat st;
    int folder = -1;

    text_add(&path, "%s/%s", place->folder, place->name);
    char *slash = strrchr(path.data, '/'), *name = slash + 1;
    *slash = '\0';
    if (last && last->folder && *place->folder && strcmp(last->folder, path.data) == 0 && *name &&
        strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        folder = enter(last);
    if (folder >= 0 && (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? !S_ISREG(st.st_mode)
                                                                             : errno != ENOENT)) {
        close(folder);
        folder = -1;
    }
    text_free(&path);
    return folder;
}

struct out_file *out_open_in(struct out_set *set, const struct folder_file *place)
{
    struct path_fault fault = {0};
    struct text text = {0};
    char *path;

    assert(place->folder && place->name);
    make_room(set);
    int folder = enter_again(set, place);
    if (folder >= 0) {
        text_add(&text, "%s/%s", place->folder, place->name);
        path = text.data;
    } else
        folder = path_make(place, &path, &fault);
    if (folder < 0) {
        path_report(set->diag, &fault);
        return NULL;
    }
    struct out_file *file = new_file(set, path);
    const char *slash = strrchr(path, '/');
    file->folder = text_copy(path, slash > path ? (size_t)(slash - path) : 1);
    file->name = text_copy(slash + 1, strlen(slash + 1));
    free(path);
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

void out_remove(struct out_file *file)
{
    file->removed = true;
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
 * The file that is locked, made if it is not there; it must be a regular file.  Existing ones are
 * opened as such, since in folders like /tmp others may not make them.
 */
static int open_lock(int folder)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat st;
    int lock = openat(folder, lock_name, flags);

    if (lock < 0 && errno == ENOENT)
        lock = openat(folder, lock_name, flags | O_CREAT | O_EXCL, 0666);
    if (lock < 0 || (fstat(lock, &st) == 0 && S_ISREG(st.st_mode)))
        return lock;
    close(lock);
    errno = EINVAL;
    return -1;
}

/*
 * Wait until no other process commits to the folder.  The folder itself is not locked, since a
 * script may do that around us.  -1 with errno set: EWOULDBLOCK if another process has been at it
 * for too long.
 */
static int take_turn(int folder)
{
    enum { TRIES = 6000 };
    const struct timespec pause = {0, 10000000}; /* a minute in all */

    for (int i = 0; i < TRIES; i++) {
        int lock = open_lock(folder);
        int taken = lock < 0 ? -1 : flock(lock, LOCK_EX | LOCK_NB);
        if (taken == 0 && is_current(folder, lock))
            return lock;
        int error = taken == 0 ? EINTR : errno;
        if (lock >= 0)
            close(lock);
        errno = error;
        /* Another process made or removed it in between, or a signal came. */
        if (error == EINTR || error == EEXIST)
            continue;
        if (error != EWOULDBLOCK)
            return -1;
        nanosleep(&pause, NULL);
    }
    errno = EWOULDBLOCK;
    return -1;
}

/* Whether a folder cannot have a lock, so that writers go on without. */
static bool has_no_locks(int folder, int error)
{
    struct stat st;

    if (error == EACCES) /* unless it is a lock that may not be opened */
        return fstatat(folder, lock_name, &st, AT_SYMLINK_NOFOLLOW) != 0;
    return error == ENOLCK || error == ENOTSUP || error == ENOSYS || error == EROFS;
}

static void end_turn(struct out_file *file)
{
    int folder = file->in_turn && file->lock >= 0 ? enter(file) : -1;

    if (folder >= 0) {
        unlinkat(folder, lock_name, 0);
        close(folder);
    }
    if (file->in_turn && file->lock >= 0)
        close(file->lock);
    file->in_turn = false;
}

/* Whether two files are in one folder. */
static bool are_beside(const struct out_file *a, const struct out_file *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/*
 * Take the turn of every folder in the order of the folders, so that processes do not wait for each
 * other.  NULL, or the file in whose folder that failed.
 */
static struct out_file *take_turns(struct out_file *const *sorted, int count)
{
    for (int i = 0; i < count; i++) {
        struct out_file *file = sorted[i];
        if (i > 0 && are_beside(sorted[i - 1], file))
            continue;
        int folder = enter(file);
        file->lock = folder < 0 ? -1 : take_turn(folder);
        file->error = file->lock < 0 ? errno : 0;
        file->in_turn = folder >= 0;
        if (file->error && folder >= 0 && has_no_locks(folder, file->error))
            file->error = 0;
        if (folder >= 0)
            close(folder);
        if (file->error)
            return file;
    }
    return NULL;
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

    if (ok && fstatat(folder, file->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        new_name(file->old, file->name, ".old-");
        if (S_ISDIR(st.st_mode)) /* since it was opened */
            errno = EISDIR;
        ok = !S_ISDIR(st.st_mode) && renameat(folder, file->name, folder, file->old) == 0;
        if (!ok)
            *file->old = '\0';
    }
    return leave(file, folder, ok);
}

static bool place(struct out_file *file)
{
    int folder = file->removed ? -1 : enter(file);

    file->placed = folder >= 0 && renameat(folder, file->temporary, folder, file->name) == 0;
    return file->removed || leave(file, folder, file->placed);
}

/* By the folder, then by the name in it. */
static int by_target(const void *a, const void *b)
{
    const struct out_file *x = *(struct out_file *const *)a, *y = *(struct out_file *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return strcmp(x->name, y->name);
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

/* Write the names to disk, too.  A folder that may not be read is not synchronized. */
static void sync_folders(struct out_file *const *file, int count)
{
    for (int i = 0; i < count; i++) {
        int folder = i > 0 && are_beside(file[i - 1], file[i])
                         ? -1
                         : open(file[i]->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
            continue;
        (void)fsync(folder);
        close(folder);
    }
}

/* NULL, or the file whose name could not be given.  Nothing is allocated here. */
static struct out_file *give_names(struct out_file *const *file, int count)
{
    for (int i = count - 1; i >= 0; i--)
        if ((count > 1 || file[i]->removed) && !set_aside(file[i]))
            return file[i];
    for (int i = 0; i < count; i++)
        if (!place(file[i]))
            return file[i];
    return NULL;
}

static bool report_turn(struct diag *diag, const struct out_file *file, int error)
{
    return diag_file_error(diag, file->path, DIAG_CANNOT_WRITE,
                           error == EWOULDBLOCK
                               ? "cannot write: another process has been writing there for a minute"
                               : "cannot write: cannot lock '%s' in its folder: %s",
                           lock_name, strerror(error));
}

/*
 * Give the names in turn with other processes.  After a failure they are those of before.  Until
 * all is done nothing is reported, since that allocates.
 */
static bool replace(struct diag *diag, struct out_file *const *file, int count)
{
    struct out_file *const *sorted = file + count;
    struct out_file *kept_out = count > 1 ? take_turns(sorted, count) : NULL;
    struct out_file *failed = kept_out ? NULL : give_names(file, count);
    bool ok = !kept_out && !failed;

    if (ok)
        sync_folders(sorted, count);
    for (int i = 0; i < count; i++)
        tidy(file[i], ok);
    for (int i = 0; i < count; i++)
        end_turn(file[i]);
    if (kept_out)
        report_turn(diag, kept_out, kept_out->error);
    if (failed)
        cannot_write(diag, failed);
    for (int i = 0; i < count && failed; i++)
        if (*file[i]->old)
            diag_help(diag, "the file from before is '%s', beside '%s'.", file[i]->old,
                      file[i]->path);
    return ok;
}

/* --- committing ------------------------------------------------------------------------------ */

bool out_commit(struct out_set *set, bool ok)
{
    int count = 0, all = set->count;

    if (ok)
        finish(set);
    for (int i = 0; i < all && ok; i++)
        if (set->file[i]->error)
            ok = cannot_write(set->diag, set->file[i]);
    for (int i = 0; i < all; i++)
        if (set->file[i]->folder)
            set->file[count++] = set->file[i];
        else
            free_file(set->file[i]);
    set->count = count;
    if (count > 0 && ok)
        ok = are_different(set->diag, set->file, count, set->file + count) &&
             replace(set->diag, set->file, count);
    if (set->undo.run)
        recovery_drop_undo(&set->undo);
    discard(set); /* what has its name is no longer of the set */
    return ok;
}
