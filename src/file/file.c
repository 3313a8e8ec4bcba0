/* file.c - reads and maps files by means of POSIX */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): madvise() is not in POSIX */
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

static_assert(sizeof(off_t) >= 8, "files larger than 2 GiB need -D_FILE_OFFSET_BITS=64 (Makefile)");

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

/*
 * The size of a regular file, which becomes an input of the model unless `diag` is NULL; 0 if it is
 * something else or the size does not fit.
 */
static size_t regular_size(struct diag *diag, int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0)
        return 0;
    if (diag)
        diag_add_input(diag, st.st_dev, st.st_ino);
    return (uintmax_t)st.st_size < SIZE_MAX / 4 ? (size_t)st.st_size : 0;
}

bool file_text_too_large(struct diag *diag, const char *name, int64_t limit)
{
    diag_file_error(diag, name, DIAG_TEXT_LIMIT, "the text has more than %" PRId64 " bytes", limit);
    return diag_help(diag, "raise the limit with --limit=text=N.");
}

bool file_read(struct diag *diag, const char *path, int64_t limit, char **data, size_t *size)
{
    enum read_result result = READ_TOO_MUCH;
    struct file_view view = {0};
    int fd = open_input(path);

    assert(limit >= 0);
    if (fd < 0)
        return cannot_find(diag, path);
    size_t expected = regular_size(diag, fd);
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
    size_t size = regular_size(wanted->fed ? NULL : diag, fd);
    enum read_result result = READ_TOO_MUCH;
    struct file_request reading = *wanted;

    /* A mapping begins at the start of the file, so nobody may have read from the descriptor. */
    void *data = size > 0 && !wanted->read && lseek(fd, 0, SEEK_CUR) == 0
                     ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0)
                     : MAP_FAILED;
    if (data != MAP_FAILED) {
        *view = (struct file_view){.data = data, .size = size, .mapped = true};
        return true;
    }
    if (wanted->read && size > 0) /* it ends, so all of it is read as it would be mapped */
        reading.known = NULL;
    if (size <= (uint64_t)wanted->budget)
        result = read_all(fd, size, &reading, view);
    if (result == READ_FAILED)
        return cannot_read(diag, path);
    if (result == READ_ALL)
        return true;
    diag_file_error(diag, file_input_name(path), DIAG_MEMORY_LIMIT,
                    "reading it takes more than the %" PRId64 " bytes of memory that are left",
                    wanted->budget);
    return diag_help(diag, "raise the limit with --max-memory.");
}

bool file_open(struct diag *diag, const char *path, const struct file_request *wanted,
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

bool file_open_in(struct diag *diag, const struct folder_file *file,
                  const struct file_request *wanted, struct found_file *found,
                  struct path_fault *fault)
{
    struct path_fault unasked = {0};

    assert(file->folder && file->name && wanted->budget >= 0);
    *found = (struct found_file){.path = NULL};
    int fd = path_open(file, &found->path, fault ? fault : &unasked);
    if (fd < 0)
        return !fault && path_report(diag, &unasked);
    bool ok = view_input(diag, found->path, fd, wanted, &found->view);
    close(fd);
    if (!ok) {
        free(found->path);
        found->path = NULL;
    }
    return ok;
}

int64_t file_memory(const struct file_view *view)
{
    return view->mapped || view->borrowed ? 0 : (int64_t)view->size;
}

void file_unload(const struct file_view *view)
{
    if (view->mapped)
        (void)madvise(view->data, view->size, MADV_DONTNEED);
}

void file_close(struct file_view *view)
{
    if (view->mapped && !view->borrowed)
        munmap(view->data, view->size);
    else if (!view->borrowed)
        free(view->data);
    *view = (struct file_view){0};
}
