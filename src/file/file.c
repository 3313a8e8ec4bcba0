/* file.c - reads, maps and atomically writes files by means of POSIX */
#include "file/file.h"

#include "base/text.h"
#include "diag/diag.h"
#include "file/listing.h"
#include "file/path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* symbolic links in a row, the limit of Linux */

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *file_input_name(const char *path)
{
    return is_standard(path) ? "<stdin>" : path;
}

static bool cannot_read(struct diag *diag, const char *path)
{
    return diag_file_error(diag, file_input_name(path), DIAG_CANNOT_READ, "cannot read: %s",
                           strerror(errno));
}

/* The same for a file that could not be opened; suggests another name if it does not exist. */
static bool cannot_find(struct diag *diag, const char *path)
{
    bool absent = errno == ENOENT;

    cannot_read(diag, path);
    if (absent)
        listing_help(diag, path);
    return false;
}

enum read_result {
    READ_ALL,
    READ_FAILED,   /* errno says why */
    READ_TOO_MUCH, /* there is more than the budget */
};

/* The bytes that were read from `fd`.  The capacity has room for a NUL behind them. */
struct input {
    int fd;
    char *bytes;
    size_t used, capacity;
};

/*
 * Read until more than `limit` bytes are there.  0 at the end of the file, 1 if there may be more,
 * -1 with errno set.
 */
static int read_on(struct input *input, int64_t limit)
{
    size_t most = (uint64_t)limit < SIZE_MAX / 4 ? (size_t)limit + 2 : SIZE_MAX / 2;
    ssize_t got = 1;

    assert(limit >= 0);
    while (got > 0 && input->used <= (uint64_t)limit) {
        if (input->used + 1 >= input->capacity) {
            size_t next = input->capacity;
            next = next < SIZE_MAX / 4 ? next * 2 + 4096 : next;
            next = next < most ? next : most;
            char *more = next > input->capacity ? realloc(input->bytes, next) : NULL;
            if (!more)
                return -1;
            input->bytes = more;
            input->capacity = next;
        }
        do
            got = read(input->fd, input->bytes + input->used, input->capacity - input->used - 1);
        while (got < 0 && errno == EINTR);
        input->used += got > 0 ? (size_t)got : 0;
    }
    return got < 0 ? -1 : got > 0;
}

/* Read everything from `fd`, or the beginning of a pipe that is not `known`. */
static enum read_result read_all(int fd, size_t expected, const struct file_request *wanted,
                                 struct file_view *view)
{
    enum { BEGINNING = 4096 };
    struct input input = {.fd = fd, .bytes = malloc(expected + 2), .capacity = expected + 2};
    const bool look = wanted->known && wanted->budget >= BEGINNING;
    int left = !input.bytes ? -1 : look ? read_on(&input, BEGINNING) : 1;
    struct file_view beginning = {.data = input.bytes, .size = input.used};

    if (left == 1 && look && !wanted->known(&beginning))
        left = read_on(&input, wanted->otherwise) < 0 ? -1 : 0;
    else if (left == 1)
        left = read_on(&input, wanted->budget);
    if (left == 0) {
        input.bytes[input.used] = '\0';
        *view = (struct file_view){.data = input.bytes, .size = input.used};
        return READ_ALL;
    }
    free(input.bytes);
    return left < 0 ? READ_FAILED : READ_TOO_MUCH;
}

static int open_input(const char *path)
{
    return is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
}

static void close_input(const char *path, int fd)
{
    if (!is_standard(path))
        close(fd);
}

/* The size of a regular file; 0 if it is something else or the size does not fit. */
static size_t regular_size(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
        return 0;
    return (uintmax_t)st.st_size < SIZE_MAX / 4 ? (size_t)st.st_size : 0;
}

bool file_text_too_large(struct diag *diag, const char *name, int64_t limit)
{
    diag_file_error(diag, name, DIAG_TEXT_LIMIT, "the text has more than %" PRId64 " bytes", limit);
    diag_help(diag, "raise the limit with --limit=text=N.");
    return false;
}

bool file_read(struct diag *diag, const char *path, int64_t limit, char **data, size_t *size)
{
    enum read_result result = READ_TOO_MUCH;
    struct file_view view = {0};
    int fd = open_input(path);

    assert(limit >= 0);
    if (fd < 0)
        return cannot_find(diag, path);
    size_t expected = regular_size(fd);
    if (expected <= (uint64_t)limit)
        result = read_all(fd, expected, &(struct file_request){.budget = limit}, &view);
    if (result == READ_FAILED)
        cannot_read(diag, path);
    if (result == READ_TOO_MUCH)
        file_text_too_large(diag, file_input_name(path), limit);
    close_input(path, fd);
    *data = view.data;
    *size = view.size;
    return result == READ_ALL;
}

static bool view_input(struct diag *diag, const char *path, int fd,
                       const struct file_request *wanted, struct file_view *view)
{
    size_t size = regular_size(fd);
    enum read_result result = READ_TOO_MUCH;

    /* A mapping begins at the start of the file, so nobody may have read from the descriptor. */
    void *data = size > 0 && lseek(fd, 0, SEEK_CUR) == 0
                     ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)
                     : MAP_FAILED;
    if (data != MAP_FAILED) {
        *view = (struct file_view){.data = data, .size = size, .mapped = true};
        return true;
    }
    if (size <= (uint64_t)wanted->budget)
        result = read_all(fd, size, wanted, view);
    if (result == READ_FAILED)
        return cannot_read(diag, path);
    if (result == READ_ALL)
        return true;
    diag_file_error(diag, file_input_name(path), DIAG_MEMORY_LIMIT,
                    "reading it takes more than the %" PRId64 " bytes of memory that are left",
                    wanted->budget);
    diag_help(diag, "raise the limit with --max-memory.");
    return false;
}

bool file_open_request(struct diag *diag, const char *path, const struct file_request *wanted,
                       struct file_view *view)
{
    int fd = open_input(path);

    assert(wanted->budget >= 0);
    *view = (struct file_view){0};
    if (fd < 0)
        return cannot_find(diag, path);
    bool ok = view_input(diag, path, fd, wanted, view);
    close_input(path, fd);
    return ok;
}

bool file_open(struct diag *diag, const char *path, int64_t budget, struct file_view *view)
{
    return file_open_request(diag, path, &(struct file_request){.budget = budget}, view);
}

bool file_open_in(struct diag *diag, const struct folder_file *file, int64_t budget,
                  struct found_file *found, struct path_fault *fault)
{
    const struct file_request request = {.budget = budget};
    struct path_fault unasked = {0};

    assert(file->folder && file->name && budget >= 0);
    *found = (struct found_file){.path = NULL};
    int fd = path_open(file, &found->path, fault ? fault : &unasked);
    if (fd < 0)
        return !fault && path_report(diag, &unasked);
    bool ok = view_input(diag, found->path, fd, &request, &found->view);
    close(fd);
    if (!ok) {
        free(found->path);
        found->path = NULL;
    }
    return ok;
}

void file_close(struct file_view *view)
{
    if (view->mapped && !view->borrowed)
        munmap(view->data, view->size);
    else if (!view->borrowed)
        free(view->data);
    *view = (struct file_view){0};
}

static bool cannot_write(struct diag *diag, const char *path, int error)
{
    return diag_file_error(diag, is_standard(path) ? "<stdout>" : path, DIAG_CANNOT_WRITE,
                           "cannot write: %s", strerror(error));
}

enum { TEMPORARY_NAMES = 1000 };

/* The length of `target` up to and including its last '/'. */
static int folder_size(const char *target)
{
    const char *slash = strrchr(target, '/');

    return slash ? (int)(slash - target) + 1 : 0;
}

/* Set the temporary name to the one with this number, in the folder of the target. */
static void number_temporary(struct out_file *file, int number)
{
    struct text text = {0};

    if (!file->temporary) {
        text_add(&text, "%.*s.nnefc-%ld-%03d.tmp", folder_size(file->target), file->target,
                 (long)getpid(), number);
        file->temporary = text.data;
    }
    char *digits = file->temporary + strlen(file->temporary) - strlen("000.tmp");
    for (int i = 2; i >= 0; i--, number /= 10)
        digits[i] = (char)('0' + number % 10);
}

/*
 * Give the file the first temporary name that is free: link the open file without a name that is
 * found at `unnamed`, or if that is NULL create a file.  -1 with errno set, else the descriptor or
 * 0.
 */
static int take_temporary(struct out_file *file, const char *unnamed)
{
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        number_temporary(file, i);
        int result =
            unnamed ? linkat(AT_FDCWD, unnamed, file->folder, file->temporary, AT_SYMLINK_FOLLOW)
                    : openat(file->folder, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                             0666);
        file->named = result >= 0;
        if (file->named || errno != EEXIST)
            return result;
    }
    return -1;
}

/*
 * A descriptor of a new file that will replace the target; -1 with errno set, for example if the
 * target may not be written.  Where the system has files without a name, nothing is left of the new
 * file if the process dies.
 */
static int replace(struct out_file *file)
{
    struct stat st;
    bool exists = fstatat(file->folder, file->target, &st, 0) == 0;

    if (exists && !S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : ENXIO;
        return -1;
    }
    if (exists && faccessat(file->folder, file->target, W_OK, 0) != 0)
        return -1;
    int fd = -1;
#ifdef __O_TMPFILE
    struct text folder = {0};
    text_add(&folder, "%.*s.", folder_size(file->target), file->target);
    number_temporary(file, 0);
    if (access("/proc/self/fd", X_OK) == 0)
        fd = openat(file->folder, folder.data, O_WRONLY | __O_TMPFILE | O_CLOEXEC, 0666);
    text_free(&folder);
#endif
    fd = fd >= 0 ? fd : take_temporary(file, NULL);
    if (fd >= 0 && exists)
        (void)fchmod(fd, st.st_mode & 0777);
    return fd;
}

static void forget(struct out_file *file)
{
    if (file->folder != AT_FDCWD && file->folder >= 0)
        close(file->folder);
    free(file->owned_path);
    free(file->target);
    free(file->temporary);
    *file = (struct out_file){.folder = AT_FDCWD};
}

static void remove_temporary(const struct out_file *file)
{
    if (file->named)
        unlinkat(file->folder, file->temporary, 0);
}

/* Open a stream on `fd`.  If that is -1 or there is no stream, report errno and clean up. */
static bool start(struct diag *diag, struct out_file *file, int fd)
{
    int error = errno;

    file->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file->stream)
        return true;
    if (fd >= 0) {
        error = errno;
        close(fd);
    }
    remove_temporary(file);
    cannot_write(diag, file->path, error);
    forget(file);
    return false;
}

bool out_file_open(struct diag *diag, const char *path, struct out_file *file)
{
    char link[PATH_MAX];
    struct stat st;

    assert(path);
    *file = (struct out_file){.path = path, .folder = AT_FDCWD};
    if (is_standard(path)) {
        file->stream = stdout;
        return true;
    }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return start(diag, file, open(path, O_WRONLY | O_CLOEXEC));
    /* If the last component of the target is a symbolic link, it is followed and not replaced. */
    char *target = text_copy(path, strlen(path));
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
    file->target = target;
    return start(diag, file, replace(file));
}

bool out_file_open_in(struct diag *diag, const struct folder_file *place, struct out_file *file)
{
    struct path_fault fault = {0};

    assert(place->folder && place->name);
    *file = (struct out_file){.folder = AT_FDCWD};
    int folder = path_make(place, &file->owned_path, &fault);
    if (folder < 0)
        return path_report(diag, &fault);
    file->path = file->owned_path;
    file->folder = folder;
    const char *name = strrchr(file->path, '/') + 1;
    file->target = text_copy(name, strlen(name));
    return start(diag, file, replace(file));
}

void out_file_write(struct out_file *file, const void *data, size_t size)
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
    out_file_write(to, data, size);
}

struct sink out_file_sink(struct out_file *file)
{
    return (struct sink){file->path, put, file};
}

/* Flush and close the stream, with a name for a file without one; the first error, or 0. */
static int finish(struct out_file *file)
{
    int error = file->error;
    char unnamed[64];

    errno = 0;
    if (fflush(file->stream) != 0 && !error)
        error = errno ? errno : EIO;
    if (file->temporary && !file->named && !error) {
        snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", fileno(file->stream));
        error = take_temporary(file, unnamed) < 0 ? errno : 0;
    }
    if (file->stream != stdout && fclose(file->stream) != 0 && !error)
        error = errno ? errno : EIO;
    return error;
}

bool out_files_commit(struct diag *diag, struct out_file *files, int count)
{
    int error = 0, faulty = 0, renamed = 0;

    assert(files && count > 0);
    for (int i = 0; i < count; i++) {
        int fault = finish(&files[i]);
        faulty = fault && !error ? i : faulty;
        error = error ? error : fault;
    }
    for (; !error && renamed < count; renamed += !error) {
        const struct out_file *file = &files[renamed];
        faulty = renamed;
        if (file->named && renameat(file->folder, file->temporary, file->folder, file->target) != 0)
            error = errno;
    }
    if (error)
        cannot_write(diag, files[faulty].path, error);
    /* After an error none of the files may be left, whichever name it has by now. */
    for (int i = 0; i < count; i++) {
        if (error && files[i].named)
            unlinkat(files[i].folder, i < renamed ? files[i].target : files[i].temporary, 0);
        forget(&files[i]);
    }
    return error == 0;
}

bool out_file_commit(struct diag *diag, struct out_file *file)
{
    return out_files_commit(diag, file, 1);
}

void out_file_abandon(struct out_file *file)
{
    if (!file->path)
        return;
    if (file->stream != stdout)
        fclose(file->stream);
    remove_temporary(file);
    forget(file);
}
