/* payload.h - the items in a file, whatever its header looked like */
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
 * Make a tensor of the items.  Floats of 32 bits in the byte order of the machine are used where
 * they are: then the tensor takes over *file, and a mapped one is read-only.  Otherwise they are
 * converted, and *file remains open.
 */
bool payload_take(const struct reading *reading, const struct payload *payload,
                  struct file_view *file, struct tensor *tensor);

/* Write the items; false, after a report, if an integer does not fit the format. */
bool payload_write(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
                   const struct item_format *format);

#endif
