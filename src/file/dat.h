/*
 * dat.h - the tensor file `.dat` (NNEF 1.0.5, section 5.2)
 *
 * Read are the header of 128 bytes, the variable one of the provisional standard, and the files
 * that early writers left four bytes too long.  Written is the first of these only.
 */
#ifndef NNEFC_FILE_DAT_H
#define NNEFC_FILE_DAT_H

#include "file/reading.h"
#include "tensor/item.h"

#include <stdbool.h>

struct diag;
struct file_view;
struct sink;

/* How NNEF before 1.0.3 says, in the file itself, what quantized items mean. */
enum dat_range { DAT_NO_RANGE, DAT_LINEAR, DAT_LOGARITHMIC };

enum { DAT_ALGORITHM_SIZE = 256 };

struct dat_info {
    struct item_format format;
    struct shape shape;
    bool provisional;
    enum dat_range range; /* with min and max, if not DAT_NO_RANGE */
    float min, max;
    char algorithm[DAT_ALGORITHM_SIZE]; /* provisional: "linear_quantize(min = ...)", or "" */
};

/*
 * Read a tensor; `info` may be NULL.  Quantized items come as the integers they are stored as.
 * Items of 32-bit floats are used in the mapped file, read-only: a tensor is not to be written to.
 * *file is closed or taken over by the tensor.
 */
bool dat_read_view(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                   struct dat_info *info);

/* Whether the bytes start as a tensor file does. */
bool dat_recognise(const struct file_view *file);

/*
 * Write a tensor, `path` "-" to stdout; `format` NULL stands for item_format_of().  The file is
 * complete or, after a report, unchanged.
 */
bool dat_write(struct diag *diag, const char *path, const struct tensor *tensor,
               const struct item_format *format);

/* The bytes of such a file; false after a report. */
bool dat_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
             const struct item_format *format);

#endif
