/* path.h - what the names of files say, and whether files can be written */
#ifndef NNEFC_DRIVER_PATH_H
#define NNEFC_DRIVER_PATH_H

#include <stdbool.h>
#include <stdio.h>

bool path_ends_in(const char *path, const char *suffix);

/* A folder that exists, or a name that ends in '/'. */
bool path_is_folder(const char *path);

/* "-", which is standard output, or a device or pipe that exists. */
bool path_is_stream(const char *path);

/* "folder/name", with one slash between, to be freed. */
char *path_join(const char *folder, const char *name);

/* Is it the same name in the same folder, once links are followed?  The file need not exist. */
bool path_same(const char *a, const char *b);

/* Are two models, each a file or a folder, written to one folder?  It need not exist. */
bool path_same_folder(const char *a, const char *b);

/* Is there another file whose name ends in `suffix`, beside that of the document at `path`? */
bool path_has_other(const char *path, const char *suffix);

/* Is what a model is read from, a file or "graph.nnef" in a folder, what would be written to `out`,
 * which is a file or such a folder? */
bool path_replaces_model(const char *model, const char *out);

/*
 * Could a file of this name be written now?  With `make_folders`, missing folders would be made
 * first.  False sets errno.  This is for tests before long computations; writing may still fail.
 */
bool path_is_writable(const char *path, bool make_folders);

/*
 * Have `write` write a file of this name, or what a link of this name leads to, which has it once
 * it is whole; a device or pipe is written as it is.  False sets errno: there is no such file then,
 * or the one before.
 */
bool path_write(const char *path, void (*write)(FILE *file, void *data), void *data);

/*
 * "folder/name.dat", to be freed.  The name may come from a model and have
 * any characters: '%', '/', control characters and a '.' in front become codes such as "%2F", so
 * that the file stays in the folder.
 */
char *path_of_result(const char *folder, const char *name);

/* Make the folders that a file of this name is to lie in; false sets errno. */
bool path_make_folders(const char *path);

#endif
