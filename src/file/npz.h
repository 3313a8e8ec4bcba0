/* npz.h - NumPy's archive of arrays by name, `.npz`: a zip of NAME.npy, stored or deflated */
#ifndef NNEFC_FILE_NPZ_H
#define NNEFC_FILE_NPZ_H

#include "tensor/item.h"

#include <stdbool.h>

struct container;
struct diag;
struct file_view;
struct out_file;

/* Whether the bytes start as a zip archive does. */
bool npz_recognise(const struct file_view *file);

/*
 * The member NAME.npy of the array `array`, or else the member with exactly that name; NULL if
 * there is none.  npz_recognise() accepted the file of the container.
 */
struct archive_member *npz_find(const struct container *container, const char *array);

/*
 * Read an array of an archive; its bytes are fetched if container_fetch() has not done so before.
 * *format receives the format of the items in the file; it may be NULL.  False after a report.
 */
struct npz_request {
    struct archive_member *member;
    int64_t budget; /* bytes of memory that its tensor may take */
};
bool npz_take(struct diag *diag, struct container *container, const struct npz_request *wanted,
              struct tensor *tensor, struct item_format *format);

/* The same, but for its shape only. */
bool npz_take_shape(struct diag *diag, struct container *container,
                    const struct npz_request *wanted, struct shape *shape);

/* Report that there is no array of that name, and list those that there are.  Always false. */
bool npz_missing(struct diag *diag, const struct container *container, const char *array);

/*
 * Write the arrays, each as item_format_of(), under their names.  The same arrays make the same
 * bytes.  False after a report.
 */
struct npz_array {
    const char *name;
    const struct tensor *tensor;
};
struct npz_list {
    const struct npz_array *item;
    int count;
};
bool npz_put(struct diag *diag, struct out_file *file, const struct npz_list *list);

#endif
