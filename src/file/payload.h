/* payload.h - the items in a file, behind a header that was read */
#ifndef NNEFC_FILE_PAYLOAD_H
#define NNEFC_FILE_PAYLOAD_H

#include "file/reading.h"
#include "tensor/item.h"

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct file_view;
struct sink;

struct payload {
    struct item_format format;
    struct shape shape; /* of checked volume */
    size_t offset;      /* of the first item; all items are known to lie in the file */
};

/*
 * Make a tensor of the items.  Aligned floats of 32 bits in the byte order of the machine stay
 * where they are: the tensor takes over *file then, and must not be written to if the file is
 * mapped. Other items are converted, and *file remains open.  False after a report.
 */
bool payload_take(const struct reading *reading, const struct payload *payload,
                  struct file_view *file, struct tensor *tensor);

/* Write the items; false, after a report, if an integer does not fit the format. */
bool payload_write(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
                   const struct item_format *format);

#endif
