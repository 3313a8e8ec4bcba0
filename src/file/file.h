/*
 * file.h - reads whole files; writes files that are complete or not there
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

/* The name of an input file in diagnostics: `path`, or "<stdin>" for "-". */
const char *file_input_name(const char *path);

/*
 * Read a text of at most `limit` bytes.  *data has a NUL after its *size bytes; the caller frees
 * it. False after a report.
 */
bool file_read(struct diag *diag, const char *path, int64_t limit, char **data, size_t *size);

/*
 * The bytes of a file.  A regular file is mapped, read-only; anything else is read whole, with a
 * NUL behind the bytes.  A mapped file must not shrink while it is in use.
 */
struct file_view {
    void *data;
    size_t size;
    bool mapped;
    bool borrowed; /* the bytes have another owner and outlive the view; closing keeps them */
};

/* How to read a file that cannot be mapped.  A pipe or device may never end. */
struct file_request {
    int64_t budget; /* bytes that may be allocated */

    /*
     * Decides by the first bytes of a pipe or device whether it is of use.  If not, the view has
     * only about `otherwise` bytes of it.  NULL: read everything.
     */
    bool (*known)(const struct file_view *beginning);
    int64_t otherwise;
};

/* Open `path`; the caller closes the view.  False after a report. */
bool file_open(struct diag *diag, const char *path, int64_t budget, struct file_view *view);
bool file_open_request(struct diag *diag, const char *path, const struct file_request *wanted,
                       struct file_view *view);
void file_close(struct file_view *view);

/*
 * Open the regular file of a model folder that path.h finds.  The caller closes the view and frees
 * the path.  On failure there is neither.  If `fault` is not NULL, a failure of the walk is stored
 * in *fault and not reported; every other failure is reported.
 */
struct folder_file;
struct path_fault;
struct found_file {
    struct file_view view;
    char *path; /* for diagnostics */
};
bool file_open_in(struct diag *diag, const struct folder_file *file, int64_t budget,
                  struct found_file *found, struct path_fault *fault);

/* Report that a text has more than `limit` bytes.  Always false. */
bool file_text_too_large(struct diag *diag, const char *name, int64_t limit);

/*
 * A file that is written without a name, or with a temporary one in the folder of the target.  Call
 * open, then write any number of times, then commit or abandon.  If the target exists and is not a
 * regular file (a device, a pipe, stdout), it is written directly.
 */
struct out_file {
    const char *path; /* for diagnostics: the string of the caller, or owned_path */
    char *owned_path; /* NULL if `path` belongs to the caller */
    int folder;       /* descriptor; target and temporary are relative to it; or AT_FDCWD */
    char *target;     /* `path` with symbolic links followed */
    char *temporary;  /* NULL if written directly */
    bool named;       /* the temporary file exists under its name */
    FILE *stream;
    int error; /* errno of the first failed write, or 0 */
};

/* Where a writer puts bytes, piece by piece.  The owner of the sink reports failures at the end. */
struct sink {
    const char *name; /* for diagnostics */
    void (*put)(void *to, const void *data, size_t size);
    void *to;
};

struct sink out_file_sink(struct out_file *file);

/* `path` must live until the file is committed or abandoned.  False after a report. */
bool out_file_open(struct diag *diag, const char *path, struct out_file *file);

/* Open a file below a model folder, as path_make() does: missing folders are made. */
bool out_file_open_in(struct diag *diag, const struct folder_file *place, struct out_file *file);

/* The first failed write is remembered and reported by commit. */
void out_file_write(struct out_file *file, const void *data, size_t size);

/* Complete the file and give it its name.  False after a report; the target is unchanged then. */
bool out_file_commit(struct diag *diag, struct out_file *file);

/*
 * Commit files that belong together: all of them or none.  They take their names in this order once
 * each is complete.
 */
bool out_files_commit(struct diag *diag, struct out_file *files, int count);

/* Discard the file.  A file that was never opened ({0}) is allowed. */
void out_file_abandon(struct out_file *file);

#endif
