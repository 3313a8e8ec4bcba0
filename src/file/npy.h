/* npy.h - NumPy's array file `.npy`, versions 1 to 3 in, 1 out */
#ifndef NNEFC_FILE_NPY_H
#define NNEFC_FILE_NPY_H

#include "file/reading.h"
#include "tensor/item.h"

#include <stdbool.h>

struct diag;
struct file_view;
struct sink;

/*
 * Read an array of floats (2, 4, 8 bytes), integers (1, 2, 4, 8) or bools, of either byte order,
 * in row-major or column-major order; `format` (how the file holds it) may be NULL.  Floats of 4
 * bytes may be used in the mapped file, read-only: a tensor is not to be written to.
 * *file is closed or taken over by the tensor.
 */
bool npy_read_view(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                   struct item_format *format);

/* Whether the bytes start as an array file does. */
bool npy_recognise(const struct file_view *file);

/*
 * Write an array, `path` "-" to stdout.  `format` is one that NumPy has (integers of 8, 16, 32 or
 * 64 bits, bools of 8); NULL stands for '<f4', '<i8' and '|b1'.  The file is complete or, after a
 * report, unchanged.
 */
bool npy_write(struct diag *diag, const char *path, const struct tensor *tensor,
               const struct item_format *format);

/* The bytes of an array file in the standard format, and these bytes; false after a report. */
int64_t npy_size(const struct tensor *tensor);
bool npy_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor);

#endif
