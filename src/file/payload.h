/* payload.h - what readers and writers of tensor files share: limits on memory, and the items */
#ifndef NNEFC_FILE_PAYLOAD_H
#define NNEFC_FILE_PAYLOAD_H

#include "tensor/item.h"

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct file_view;
struct sink;

/* A tensor being read from a file. */
struct reading {
    struct diag *diag;
    const char *name; /* of the file, for diagnostics */
    int64_t budget;   /* bytes of memory that may be allocated */
};

/*
 * Allocate `tensor`, as tensor_allocate() does.  False after a report: the tensor takes more than
 * the budget, or the machine has not enough memory.
 */
bool reading_allocate(const struct reading *reading, struct tensor *tensor, enum dtype dtype,
                      const struct shape *shape);

/*
 * Refuse a header that claims an absurd amount of data, more than the `size` bytes of the file.
 * `claimed` is in bytes, INT64_MAX if it does not fit.  False after a report.
 */
bool reading_claim(const struct reading *reading, const struct shape *shape, int64_t claimed,
                   size_t size);

/* The items of a file, behind a header that was read. */
struct payload {
    struct item_format format;
    struct shape shape; /* of checked volume */
    size_t offset;      /* of the first item; all items are known to lie in the file */
    bool views_bytes;   /* many integers of 8 bits stay bytes (struct tensor) */
};

/*
 * Make a tensor of the items.  Aligned floats of 32 bits in the byte order of the machine stay
 * where they are, and so do bytes if `payload` says so: the tensor takes over *file then, and must
 * not be written to if the file is mapped.  Other items are converted, and *file remains open.
 * False after a report.
 */
bool payload_take(const struct reading *reading, const struct payload *payload,
                  struct file_view *file, struct tensor *tensor);

/*
 * Warn that nnefc computes with 32 bits, which do not hold an item of the file, or of the tensor of
 * that name in it (NULL: it has no name).  False if that is an error.
 */
bool payload_warn(struct diag *diag, const char *file, const char *tensor,
                  const struct lost_item *lost);

/* Write the items; false, after a report, if an integer does not fit the format. */
bool payload_write(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
                   const struct item_format *format);

#endif
