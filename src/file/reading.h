/* reading.h - a tensor being read from a file, and the memory it may take */
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
 * As tensor_allocate(); reports both a tensor that takes more than the budget and one that the
 * machine has no memory for.
 */
bool reading_allocate(const struct reading *reading, struct tensor *tensor, enum dtype dtype,
                      const struct shape *shape);

/*
 * Refuse a header that claims data beyond all measure which the `size` bytes of the file do not
 * have; `claimed` is INT64_MAX if there is no telling how much it is.  False after a report.
 */
bool reading_claim(const struct reading *reading, const struct shape *shape, int64_t claimed,
                   size_t size);

#endif
