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
 * with path_report(), says it in words of its own, or clears it.
 */
#ifndef NNEFC_FILE_PATH_H
#define NNEFC_FILE_PATH_H

#include "diag/diag.h"

#include <stdbool.h>

/* The file `name` below `folder`; the folder "" is the current one. */
struct folder_file {
    const char *folder, *name;
};

/* Why there is no descriptor. */
struct path_fault {
    enum diag_code code; /* DIAG_LABEL, DIAG_OUTSIDE, DIAG_CANNOT_READ or DIAG_CANNOT_WRITE */
    bool absent; /* no file of that name: neither a link to nowhere nor a file of another kind */
    char *file;  /* the path, owned */
    char *why;   /* the message, owned */
};

/* Report the fault, which is set, and clear it.  Always false. */
bool path_report(struct diag *diag, struct path_fault *fault);

void path_fault_set(struct path_fault *fault, enum diag_code code, const char *file,
                    const char *fmt, ...) PRINTF_LIKE(4, 5);
void path_fault_clear(struct path_fault *fault);

/* The name of the file of a label, to be freed; NULL for a label that leads out of `folder`. */
char *path_of_label(const char *folder, const char *label, struct path_fault *fault);

/*
 * A descriptor of a regular file, for reading; -1 with a fault.  Pipes and devices are not opened,
 * so that none can block.  *path is where the file was found, to be freed by the caller; NULL with
 * a fault.
 */
int path_open(const struct folder_file *file, char **path, struct path_fault *fault);

/*
 * A descriptor of the folder that the file is to be written to, which is made with all folders on
 * the way; -1 with a fault.  *path is the path of the file, whose last component is its name there.
 */
int path_make(const struct folder_file *file, char **path, struct path_fault *fault);

/* The path at which path_open() would find the file, to be freed; NULL with a fault. */
char *path_find(const struct folder_file *file, struct path_fault *fault);

/* The path at which path_make() would put the file; nothing is made. */
char *path_place(const struct folder_file *file, struct path_fault *fault);

#endif
