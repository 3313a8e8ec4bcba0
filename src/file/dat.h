/*
 * dat.h - the tensor file `.dat` (NNEF 1.0.5, section 5.2)
 *
 * The reader accepts three headers: the one of 128 bytes, the variable one of the provisional
 * standard, and the one of early writers, which is four bytes too long.  The writer makes the
 * first.
 */
#ifndef NNEFC_FILE_DAT_H
#define NNEFC_FILE_DAT_H

#include "file/payload.h"
#include "tensor/item.h"

#include <stdbool.h>

struct diag;
struct file_view;
struct sink;

/* The meaning of quantized items, which files before NNEF 1.0.3 state in the header. */
enum dat_range { DAT_NO_RANGE, DAT_LINEAR, DAT_LOGARITHMIC };

enum { DAT_ALGORITHM_SIZE = 256 };

struct dat_info {
    struct item_format format;
    struct shape shape;
    bool provisional;
    enum dat_range range;
    float min, max;                     /* unless range is DAT_NO_RANGE */
    char algorithm[DAT_ALGORITHM_SIZE]; /* provisional: "linear_quantize(min = ...)", or "" */
};

/*
 * Read a tensor; `info` may be NULL.  Quantized items are read as the integers that are stored.
 * Items of 32-bit floats stay in the mapped file, so the tensor must not be written to.  *file is
 * closed or taken over by the tensor.  False after a report.
 */
bool dat_read_view(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                   struct dat_info *info);

/* The same, but that many integers of 8 bits stay bytes of the file (struct tensor). */
bool dat_read_bytes(const struct reading *reading, struct file_view *file, struct tensor *tensor,
                    struct dat_info *info);

/* The shape only; *file remains open.  False after a report. */
bool dat_read_shape(const struct reading *reading, const struct file_view *file,
                    struct shape *shape);

/* The format of items only; *file remains open.  False after a report. */
bool dat_read_format(const struct reading *reading, const struct file_view *file,
                     struct item_format *format);

/* Whether the bytes start as a tensor file does. */
bool dat_recognise(const struct file_view *file);

/*
 * Write header and items to `sink`; `format` NULL stands for item_format_of().  False after a
 * report, for example if a field of the header is too small or an integer does not fit.
 */
bool dat_put(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
             const struct item_format *format);

#endif
