/* npy.h - NumPy's array file `.npy`: reads versions 1 to 3, writes version 1 */
#ifndef NNEFC_FILE_NPY_H
#define NNEFC_FILE_NPY_H

#include "file/payload.h"
#include "tensor/item.h"

#include <stdbool.h>

struct diag;
struct file_view;
struct sink;

/*
 * Read an array of floats (2, 4, 8 bytes), integers (1, 2, 4, 8) or booleans, of either byte order,
 * in row-major or column-major order.  *format receives the format of the items in the file; it may
 * be NULL.  Row-major floats of 4 bytes stay in the mapped file, so the tensor must not be written
 * to.  *file is closed or taken over by the tensor.  False after a report.
 */
bool npy_read_view(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                   struct item_format *format);

/* What the header says, whatever is behind it; *file remains open.  False after a report. */
bool npy_read_shape(const struct reading *reading, const struct file_view *file,
                    struct shape *shape);

/* Whether the bytes start as an array file does. */
bool npy_recognise(const struct file_view *file);

/*
 * Write header and items to `sink`.  NumPy must have the format: floats of 16, 32 or 64 bits,
 * integers of 8, 16, 32 or 64, booleans of 8.  `format` NULL stands for tensor_item_format():
 * '<f4', '<i8', '<u8' or '|b1'.  False after a report.
 */
bool npy_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
             const struct item_format *format);

/* Bytes that npy_put() writes in the format tensor_item_format(). */
int64_t npy_size(const struct tensor *tensor);

#endif
