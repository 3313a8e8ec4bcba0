/* path.h - what the names of files say, and whether files can be written */
#ifndef NNEFC_DRIVER_PATH_H
#define NNEFC_DRIVER_PATH_H

#include "driver/command.h"

bool path_ends_in(const char *path, const char *suffix);

/* A folder that is there, or a name that ends in '/'. */
bool path_is_folder(const char *path);

/* There already, and no file or folder: a device, a pipe; or standard output, "-". */
bool path_is_stream(const char *path);

/* Can results be written under this name?  False after a message. */
bool path_is_for_results(const struct command *command, const char *path);

/* Could a file of this name be written now, once its folders are made if that is to be?  False
 * sets errno. */
bool path_is_writable(const char *path, bool make_folders);

/*
 * "folder/name.dat", to be freed; NULL if memory ran out.  The name may come from a file and have
 * any characters: '%', '/', a '.' in front and control characters are written "%2F", so that it
 * stays in the folder.
 */
char *path_of_result(const char *folder, const char *name);

/* Make the folders that a file of this name is to lie in; false sets errno. */
bool path_make_folders(const char *path);

#endif
