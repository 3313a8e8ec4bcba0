/*
 * safe_path.h - files in a model folder, and nothing outside of it (NNEF 1.0.5, section 5.1)
 *
 * Names are components joined by '/'.  Where one does not exist as written, one that differs in
 * case only will do.  Symbolic links are followed inside the folder; one that leads out is refused.
 * What is opened at last is reached without links, so that none can be slipped in between.
 */
#ifndef NNEFC_FILE_SAFE_PATH_H
#define NNEFC_FILE_SAFE_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct file_view;

/* The path of a file that is there, to be freed; NULL after a report. */
char *inside_find(struct diag *diag, const char *folder, const char *name);

/* The path that a file, be it there or not, is to be written to under its name as written. */
char *inside_place(struct diag *diag, const char *folder, const char *name);

/*
 * Open the regular file that inside_find() finds; `budget` is that of file_open().  *path is the one that was
 * found, to be freed in either case; NULL if there is none.  False after a report.
 */
struct inside {
    const char *folder, *name;
};
bool inside_open(struct diag *diag, const struct inside *file, int64_t budget,
                 struct file_view *view, char **path);

/* What is behind the folder in a path that was found in it. */
const char *inside_relative(const char *folder, const char *path);

#endif
