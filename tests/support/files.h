/* files.h - the files below a folder, in the order of their names */
#ifndef NNEFC_TESTS_SUPPORT_FILES_H
#define NNEFC_TESTS_SUPPORT_FILES_H

#include <stdbool.h>

/* Shows `path`, or the files below it whose name ends in `end`.  False if one cannot be read. */
bool files_below(const char *path, const char *end, void (*show)(void *to, const char *path),
                 void *to);

#endif
