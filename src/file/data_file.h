/* data_file.h - tensors in files of any form we know */
#ifndef NNEFC_FILE_DATA_FILE_H
#define NNEFC_FILE_DATA_FILE_H

#include "file/image.h"
#include "tensor/item.h"

#include <stdbool.h>

struct diag;
struct limits;

struct data_request {
    struct image_request image;  /* the shape of what is no image is the caller's to check */
    const char *array;           /* to take from an archive; NULL: the only one in it */
    const struct limits *limits; /* of archives; NULL: the standard ones */
    int64_t budget;              /* bytes of memory that may be allocated; 0: any number */
};

/*
 * Read a tensor file, NumPy array, image or array in an archive (.npz), told apart by their first
 * bytes; "-" is stdin, and "file.npz:a" the array `a` unless a file has that whole name.  The
 * request may be NULL; `format`, which may be NULL, is how the file holds its items; a tensor may
 * lie in the mapped file and is not to be written to.
 */
bool data_read(struct diag *diag, const char *path, const struct data_request *request,
               struct tensor *tensor, struct item_format *format);

/*
 * Write `path` as a NumPy array if it ends in ".npy", else as a tensor file ("-": to stdout).
 * `format` NULL stands for item_format_of().  The file is complete or, after a report, unchanged.
 */
bool data_write(struct diag *diag, const char *path, const struct tensor *tensor,
                const struct item_format *format);

#endif
