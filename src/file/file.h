/*
 * file.h - reads whole files
 *
 * Every failure is reported here, with the name of the file; "-" is stdin.
 */
#ifndef NNEFC_FILE_FILE_H
#define NNEFC_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;

/* The name of an input file in diagnostics: `path`, or "<stdin>" for "-". */
const char *file_input_name(const char *path);

/*
 * Read a text of at most `limit` bytes.  *data has a NUL after its *size bytes; the caller frees
 * it. False after a report.
 */
bool file_read(struct diag *diag, const char *path, int64_t limit, char **data, size_t *size);

/*
 * The bytes of a file.  A regular file is mapped, read-only, unless it is to be read; anything else
 * is read whole, with a NUL behind the bytes.  A mapped file must not shrink while it is in use:
 * the process gets SIGBUS where it looks at what is gone.
 */
struct file_view {
    void *data;
    size_t size;
    bool mapped;
    bool borrowed; /* the bytes have another owner and outlive the view; closing keeps them */
};

/* How to read a file that is not mapped.  A pipe or device may never end. */
struct file_request {
    int64_t budget; /* bytes that may be allocated */

    /*
     * Decides by the first bytes of a pipe or device whether it is of use.  If not, the view has
     * only about `otherwise` bytes of it.  NULL: read everything.
     */
    bool (*known)(const struct file_view *beginning);
    int64_t otherwise;

    bool read; /* a regular file, too: struct limits */
    bool fed;  /* to a run, and no part of the model: results may replace it */
};

/* Open `path`; the caller closes the view.  False after a report. */
bool file_open(struct diag *diag, const char *path, const struct file_request *wanted,
               struct file_view *view);
void file_close(struct file_view *view);

/* Bytes of memory that the view takes; 0 of what is mapped or has another owner. */
int64_t file_memory(const struct file_view *view);

/* What was read of a mapped file is not needed for now; it is read again where it is. */
void file_unload(const struct file_view *view);

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
bool file_open_in(struct diag *diag, const struct folder_file *file,
                  const struct file_request *wanted, struct found_file *found,
                  struct path_fault *fault);

/* Report that a text has more than `limit` bytes.  Always false. */
bool file_text_too_large(struct diag *diag, const char *name, int64_t limit);

#endif
