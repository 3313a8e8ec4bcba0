/* data_file.h - tensors in files of any form we know */
#ifndef NNEFC_FILE_DATA_FILE_H
#define NNEFC_FILE_DATA_FILE_H

#include "file/image.h"
#include "tensor/item.h"

#include <stdbool.h>

struct diag;
struct limits;
struct out_set;

struct data_request {
    struct image_request image;  /* for images; the caller checks the shape of other files */
    const char *array;           /* of an archive; NULL: its only array */
    bool optional;               /* for data_read_shape(): the archive may lack it */
    const struct limits *limits; /* of archives; NULL: limits_standard */
    int64_t budget;              /* bytes of memory that may be allocated; 0: any number */
};

/*
 * Read a tensor file, NumPy array, image or array of an archive (.npz); the first bytes decide
 * which it is.  `path` "-" is stdin, and "file.npz:a" the array `a`, unless a file has that whole
 * name. `request` may be NULL.  *format receives the format of the items in the file; it may be
 * NULL.  The tensor may lie in the mapped file and must not be written to.  False after a report.
 */
bool data_read(struct diag *diag, const char *path, const struct data_request *request,
               struct tensor *tensor, struct item_format *format);

/*
 * The shape that the header of such a file tells, or that an image becomes.  RANK_UNKNOWN: the
 * archive lacks the array, or it is no file but a stream, which can be read only once.  Warnings
 * are those of reading it.  False after a report.
 */
bool data_read_shape(struct diag *diag, const char *path, const struct data_request *request,
                     struct shape *shape);

/*
 * Add a file to the set: a NumPy array if `path` ends in ".npy", else a tensor file.  `format` NULL
 * stands for item_format_of().  False after a report.
 */
bool data_put(struct out_set *set, const char *path, const struct tensor *tensor,
              const struct item_format *format);

#endif
