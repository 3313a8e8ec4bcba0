/* file.c - reading, mapping and atomic writing, by POSIX */
#include "base/file.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
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

/* Everything from `fd` to its end, with a NUL that is not counted; false sets errno. */
static bool read_all(int fd, size_t expected, char **data, size_t *size)
{
    size_t capacity = expected + 1, used = 0;
    char *bytes = malloc(capacity);

    while (bytes) {
        if (used + 1 >= capacity) {
            char *more = capacity < SIZE_MAX / 4 ? realloc(bytes, capacity * 2 + 4096) : NULL;
            if (!more)
                break;
            bytes = more;
            capacity = capacity * 2 + 4096;
        }
        ssize_t got = read(fd, bytes + used, capacity - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        if (got == 0) {
            bytes[used] = '\0';
            *data = bytes;
            *size = used;
            return true;
        }
        used += (size_t)got;
    }
    free(bytes);
    return false;
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

bool file_read(struct diag *diag, const char *path, char **data, size_t *size)
{
    int fd = open_input(path);

    if (fd < 0)
        return cannot_read(diag, path);
    bool ok = read_all(fd, regular_size(fd) + 1, data, size) || cannot_read(diag, path);
    close_input(path, fd);
    return ok;
}

/* Mapped from its start, which is right for a regular file that nobody has read from yet. */
static bool map(int fd, struct file_view *view)
{
    size_t size = regular_size(fd);

    if (size == 0 || lseek(fd, 0, SEEK_CUR) != 0)
        return false;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return false;
    *view = (struct file_view){.data = data, .size = size, .mapped = true};
    return true;
}

bool file_open(struct diag *diag, const char *path, struct file_view *view)
{
    int fd = open_input(path);
    char *data = NULL;

    *view = (struct file_view){0};
    if (fd < 0)
        return cannot_read(diag, path);
    bool ok = map(fd, view);
    if (!ok) {
        ok = read_all(fd, regular_size(fd) + 1, &data, &view->size) || cannot_read(diag, path);
        view->data = data;
    }
    close_input(path, fd);
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

/* A new file beside `target`, with the permissions any new file gets. */
static int create_temporary(const char *target, char **name)
{
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;

    for (int i = 0; i < 1000; i++) {
        struct text text = {0};
        text_add(&text, "%.*s.nnefc-%ld-%d.tmp", folder, target, (long)getpid(), i);
        int fd = open(text.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        *name = text.data;
        if (fd >= 0)
            return fd;
        text_free(&text);
        *name = NULL;
        if (errno != EEXIST)
            break;
    }
    return -1;
}

/* `target` with its last component followed if it is a symbolic link; takes over `target`. */
static char *follow_links(char *target)
{
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
    return target;
}

static int open_output(struct out_file *file)
{
    struct stat st;
    bool exists = stat(file->path, &st) == 0;

    if (exists && !S_ISREG(st.st_mode))
        return open(file->path, O_WRONLY | O_CLOEXEC);
    file->target = follow_links(copy_of(file->path));
    if (exists && access(file->target, W_OK) != 0)
        return -1;
    int fd = create_temporary(file->target, &file->temporary);
    if (fd >= 0 && exists)
        (void)fchmod(fd, st.st_mode & 0777);
    return fd;
}

static void forget(struct out_file *file)
{
    free(file->target);
    free(file->temporary);
    *file = (struct out_file){0};
}

bool out_file_open(struct diag *diag, const char *path, struct out_file *file)
{
    *file = (struct out_file){.path = path};
    if (is_standard(path)) {
        file->stream = stdout;
        return true;
    }
    int fd = open_output(file);
    if (fd < 0) {
        cannot_write(diag, path, errno);
        forget(file);
        return false;
    }
    file->stream = fdopen(fd, "wb");
    if (!file->stream)
        arena_out_of_memory();
    return true;
}

void out_file_write(struct out_file *file, const void *data, size_t size)
{
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
    if (file->stream != stdout && fclose(file->stream) != 0 && !error)
        error = errno ? errno : EIO;
    return error;
}

bool out_file_commit(struct diag *diag, struct out_file *file)
{
    int error = finish(file);

    if (file->temporary && !error && rename(file->temporary, file->target) != 0)
        error = errno;
    if (file->temporary && error)
        unlink(file->temporary);
    if (error)
        cannot_write(diag, file->path, error);
    forget(file);
    return error == 0;
}

void out_file_abandon(struct out_file *file)
{
    if (!file->path)
        return;
    if (file->stream != stdout)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
    forget(file);
}
