/*
 * path.h - the one walk from the name of a file in a model folder to a descriptor (NNEF 1.0.5, 5.1)
 *
 *     label --path_of_label()--> name below the folder --walk--> descriptor, or a fault
 *
 * Names are components joined by '/'.  The walk opens one component after the other and none of
 * them through a symbolic link: it reads each link and walks on to its target, so that a target
 * outside the folder is refused and no link can be slipped in between.  When reading, a component
 * that does not exist as written may be one that differs in case only.
 *
 * No function reports anything; each fills in a fault, which starts as {0}.  The caller reports it
 * with path_report() or in its own words, or clears it.
 */
#ifndef NNEFC_FILE_PATH_H
#define NNEFC_FILE_PATH_H

#include "diag/diag.h"

#include <fcntl.h>
#include <stdbool.h>

/* How a folder is opened: nobody needs the permission to read it. */
#ifdef __O_PATH
enum { PATH_FOLDER = __O_PATH | O_DIRECTORY | O_CLOEXEC };
#elif defined O_SEARCH
enum { PATH_FOLDER = O_SEARCH | O_DIRECTORY | O_CLOEXEC };
#else
enum { PATH_FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
#endif

/* The file `name` below `folder`; the folder "" is the current one. */
struct folder_file {
    const char *folder, *name;
};

/* Why there is no descriptor. */
struct path_fault {
    enum diag_code code; /* DIAG_LABEL, DIAG_OUTSIDE, DIAG_CANNOT_READ or DIAG_CANNOT_WRITE */
    bool absent; /* there is no file of that name, not even a broken link or another kind of file */
    char *file;  /* the path, owned */
    char *why;   /* the message, owned */
};

/* Report the fault, which must be set, and clear it.  Always false. */
bool path_report(struct diag *diag, struct path_fault *fault);

/* Set a fault about `file`, with a message as by printf(); both are copied. */
void path_fault_set(struct path_fault *fault, enum diag_code code, const char *file,
                    const char *fmt, ...) PRINTF_LIKE(4, 5);
void path_fault_clear(struct path_fault *fault);

/*
 * The name below `folder` of the file of a label; the caller frees it.  NULL with a fault if the
 * label is not label_is_safe().
 */
char *path_of_label(const char *folder, const char *label, struct path_fault *fault);

/*
 * A descriptor of a regular file, for reading; -1 with a fault.  Pipes and devices are not opened,
 * because that could block.  *path is where the file was found; the caller frees it.  It is NULL
 * with a fault.
 */
int path_open(const struct folder_file *file, char **path, struct path_fault *fault);

/*
 * Make all folders on the way to the file and return a descriptor of the last, where the file is to
 * be written; -1 with a fault.  *path is the path of the file, as for path_open(); its last
 * component is the name in that folder.
 */
int path_make(const struct folder_file *file, char **path, struct path_fault *fault);

/*
 * The path where path_open() would find the file, or if `to_write` the one where path_make() would
 * put it; nothing is made.  The caller frees it.  NULL with a fault.
 */
char *path_find(const struct folder_file *file, bool to_write, struct path_fault *fault);

#endif
