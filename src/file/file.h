/*
 * file.h - whole files in, and files out that are complete or not there
 *
 * Every failure is reported here, with the name of the file; "-" is stdin or stdout.
 */
#ifndef NNEFC_FILE_FILE_H
#define NNEFC_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct diag;

/* What diagnostics call `path`. */
const char *file_input_name(const char *path);

/*
 * Read a whole text of at most `limit` bytes. *data has a NUL after its *size bytes and is the
 * caller's to free.
 */
bool file_read(struct diag *diag, const char *path, int64_t limit, char **data, size_t *size);

/*
 * The bytes of a file: a regular file is mapped, read-only, anything else read whole, with a NUL
 * behind.  A mapped file must not shrink while it is in use.
 */
struct file_view {
    void *data;
    size_t size;
    bool mapped;
    bool borrowed; /* the bytes are someone else's and outlast the view: closing leaves them */
};

/*
 * `budget` is how many bytes may be allocated for what cannot be mapped.  A pipe or device may go
 * on for ever: of one whose beginning is not `known` no more than `otherwise` bytes are read, or a
 * few more, and that is the view.
 */
struct file_request {
    int64_t budget;
    bool (*known)(const struct file_view *beginning);
    int64_t otherwise;
};
bool file_open(struct diag *diag, const char *path, int64_t budget, struct file_view *view);
bool file_open_request(struct diag *diag, const char *path, const struct file_request *wanted,
                       struct file_view *view);
void file_close(struct file_view *view);

/*
 * The regular file of a model folder, as path.h finds it.  The view is the caller's to close, the
 * path to free.  False, with neither, after a report; a fault of the walk is left in *fault, which
 * may be NULL, instead of being reported.
 */
struct folder_file;
struct path_fault;
struct found_file {
    struct file_view view;
    char *path; /* for diagnostics */
};
bool file_open_in(struct diag *diag, const struct folder_file *file, int64_t budget,
                  struct found_file *found, struct path_fault *fault);

/* Report a text of more than `limit` bytes. Always false. */
bool file_text_too_large(struct diag *diag, const char *name, int64_t limit);

/*
 * A file being written without a name, or under a temporary one in the folder of its own.  After
 * open comes write, any number of times, and at last commit or abandon.  What is no regular file (a
 * device, a pipe, stdout) is written directly.
 */
struct out_file {
    const char *path; /* the caller's, which must last until the end, or the next */
    char *owned_path; /* or NULL */
    int folder;       /* descriptor that the two below are relative to, or AT_FDCWD */
    char *target;     /* `path` with symbolic links followed */
    char *temporary;  /* NULL if written directly */
    bool named;       /* the temporary file has its name already */
    FILE *stream;
    int error; /* errno of the first failed write, or 0 */
};

/* Where bytes go, piece by piece; how that went is told when all is done. */
struct sink {
    const char *name; /* for diagnostics */
    void (*put)(void *to, const void *data, size_t size);
    void *to;
};

struct sink out_file_sink(struct out_file *file);

bool out_file_open(struct diag *diag, const char *path, struct out_file *file);

/* A file below a model folder, where path.h has it written, with all folders it needs. */
bool out_file_open_in(struct diag *diag, const struct folder_file *place, struct out_file *file);
void out_file_write(struct out_file *file, const void *data, size_t size);
bool out_file_commit(struct diag *diag, struct out_file *file);

/* Files that belong together, of which there are all or none: they take their names, in this order,
 * once each is complete. */
bool out_files_commit(struct diag *diag, struct out_file *files, int count);
void out_file_abandon(struct out_file *file);

#endif
