/* file.c - reading, mapping and atomic writing, by POSIX */
#include "file/file.h"

#include "base/arena.h"
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

enum { LINKS_MAX = 40 }; /* symbolic links in a row, as Linux has it */

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

/* The same of a file that could not be opened. */
static bool cannot_find(struct diag *diag, const char *path)
{
    bool absent = errno == ENOENT;

    cannot_read(diag, path);
    if (absent)
        listing_help(diag, path);
    return false;
}

/* Outcome of reading: all of it, less because of an error, or more than there may be. */
enum read_result { READ_ALL, READ_FAILED, READ_TOO_MUCH };

static size_t next_capacity(size_t capacity, int64_t limit)
{
    size_t most = (uint64_t)limit < SIZE_MAX / 4 ? (size_t)limit + 2 : SIZE_MAX / 2;
    size_t next = capacity < SIZE_MAX / 4 ? capacity * 2 + 4096 : capacity;

    return next < most ? next : most;
}

/* A file being read from `fd`, with a NUL that is not counted. */
struct input {
    int fd;
    char *bytes;
    size_t used, capacity;
};

/* Read up to `limit` bytes and some more; 0 at the end, -1 with errno set, 1 if there is more. */
static int read_on(struct input *input, int64_t limit)
{
    ssize_t got = 1;

    while (got > 0 && input->used <= (uint64_t)limit) {
        if (input->used + 1 >= input->capacity) {
            size_t next = next_capacity(input->capacity, limit);
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

/* Everything up to the end, or what there is of something unknown. */
static int read_wanted(struct input *input, const struct file_request *wanted)
{
    enum { BEGINNING = 4096 };
    const bool few = wanted->budget < BEGINNING;
    int left = wanted->known && !few ? read_on(input, BEGINNING) : 1;
    struct file_view beginning = {.data = input->bytes, .size = input->used};

    if (left == 1 && wanted->known && !few && !wanted->known(&beginning))
        return read_on(input, wanted->otherwise) < 0 ? -1 : 0;
    return left == 1 ? read_on(input, wanted->budget) : left;
}

/* Everything from `fd` to its end; a failure sets errno. */
static enum read_result read_all(int fd, size_t expected, const struct file_request *wanted,
                                 struct file_view *view)
{
    struct input input = {.fd = fd, .bytes = malloc(expected + 2), .capacity = expected + 2};
    int left = input.bytes ? read_wanted(&input, wanted) : -1;

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

/* The size of a regular file; 0 if it is something else or too large to be told. */
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

/* Mapped from its start, which is right for a regular file that nobody has read from yet. */
static bool map_file(int fd, size_t size, struct file_view *view)
{
    void *data = size > 0 && lseek(fd, 0, SEEK_CUR) == 0
                     ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)
                     : MAP_FAILED;

    if (data == MAP_FAILED)
        return false;
    *view = (struct file_view){.data = data, .size = size, .mapped = true};
    return true;
}

static bool too_much(struct diag *diag, const char *path, int64_t budget)
{
    diag_file_error(diag, file_input_name(path), DIAG_MEMORY_LIMIT,
                    "reading it takes more than the %" PRId64 " bytes of memory that are left",
                    budget);
    diag_help(diag, "raise the limit with --max-memory.");
    return false;
}

static bool view_input(struct diag *diag, const char *path, int fd,
                       const struct file_request *wanted, struct file_view *view)
{
    size_t expected = regular_size(fd);
    enum read_result result = READ_TOO_MUCH;

    if (map_file(fd, expected, view))
        return true;
    if (expected <= (uint64_t)wanted->budget)
        result = read_all(fd, expected, wanted, view);
    if (result == READ_FAILED)
        return cannot_read(diag, path);
    return result == READ_ALL || too_much(diag, path, wanted->budget);
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

static char *copy_of(const char *string)
{
    char *copy = strdup(string);

    if (!copy)
        arena_out_of_memory();
    return copy;
}

enum { TEMPORARY_NAMES = 1000 };

/* The bytes of `target` up to the name in it. */
static int folder_size(const char *target)
{
    const char *slash = strrchr(target, '/');

    return slash ? (int)(slash - target) + 1 : 0;
}

/* The name beside the target that has this number; every number takes as many bytes. */
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

/* A new file beside the target, with the permissions any new file gets. */
static int create_named(struct out_file *file)
{
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        number_temporary(file, i);
        int fd =
            openat(file->folder, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        file->named = fd >= 0;
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/*
 * A file that has no name until it is complete, where the system knows such files: nothing is left
 * of it however the process ends.
 */
static int create_temporary(struct out_file *file)
{
    int fd = -1;

#ifdef __O_TMPFILE
    struct text folder = {0};
    text_add(&folder, "%.*s.", folder_size(file->target), file->target);
    number_temporary(file, 0);
    if (access("/proc/self/fd", X_OK) == 0)
        fd = openat(file->folder, folder.data, O_WRONLY | __O_TMPFILE | O_CLOEXEC, 0666);
    text_free(&folder);
#endif
    return fd >= 0 ? fd : create_named(file);
}

/* Let the file without a name, still open, have one; an error number or 0. */
static int name_temporary(struct out_file *file)
{
    char unnamed[64];

    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", fileno(file->stream));
    for (int i = 0; i < TEMPORARY_NAMES && !file->named; i++) {
        number_temporary(file, i);
        file->named =
            linkat(AT_FDCWD, unnamed, file->folder, file->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (!file->named && errno != EEXIST)
            break;
    }
    return file->named ? 0 : errno;
}

/* A file in place of the target, if there is one that may be written. */
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
    int fd = create_temporary(file);
    if (fd >= 0 && exists)
        (void)fchmod(fd, st.st_mode & 0777);
    return fd;
}

static int open_output(struct out_file *file)
{
    struct stat st;

    if (stat(file->path, &st) == 0 && !S_ISREG(st.st_mode))
        return open(file->path, O_WRONLY | O_CLOEXEC);
    /* `target` with its last component followed if it is a symbolic link; takes over `target`. */
    char *target = copy_of(file->path);
    char link[PATH_MAX];
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
    return replace(file);
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

/* The stream of a descriptor, or the reason why there is none. */
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
    *file = (struct out_file){.path = path, .folder = AT_FDCWD};
    if (is_standard(path)) {
        file->stream = stdout;
        return true;
    }
    return start(diag, file, open_output(file));
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
    file->target = copy_of(strrchr(file->path, '/') + 1);
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

/* Ends the stream; the first error on the way is the one that counts. */
static int finish(struct out_file *file)
{
    int error = file->error;

    errno = 0;
    if (fflush(file->stream) != 0 && !error)
        error = errno ? errno : EIO;
    if (file->temporary && !file->named && !error)
        error = name_temporary(file);
    if (file->stream != stdout && fclose(file->stream) != 0 && !error)
        error = errno ? errno : EIO;
    return error;
}

/* Takes its name; an error number or 0. */
static int rename_temporary(const struct out_file *file)
{
    return !file->named || renameat(file->folder, file->temporary, file->folder, file->target) == 0
               ? 0
               : errno;
}

static void remove_file(const struct out_file *file)
{
    if (file->named)
        unlinkat(file->folder, file->target, 0);
}

bool out_files_commit(struct diag *diag, struct out_file *files, int count)
{
    int error = 0, faulty = 0, renamed = 0;

    assert(count > 0);
    for (int i = 0; i < count; i++) {
        int fault = finish(&files[i]);
        faulty = fault && !error ? i : faulty;
        error = error ? error : fault;
    }
    while (!error && renamed < count) {
        faulty = renamed;
        error = rename_temporary(&files[renamed]);
        renamed += !error;
    }
    if (error)
        cannot_write(diag, files[faulty].path, error);
    for (int i = 0; i < count; i++) {
        if (error)
            (i < renamed ? remove_file : remove_temporary)(&files[i]);
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
