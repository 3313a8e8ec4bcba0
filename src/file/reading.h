/* reading.h - what all readers of tensor files share: reports, and limits on memory */
#ifndef NNEFC_FILE_READING_H
#define NNEFC_FILE_READING_H

#include "tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

struct diag;

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

#endif
