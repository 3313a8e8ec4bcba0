/* reading.c - checks sizes before memory is allocated for them */
#include "file/reading.h"

#include "diag/diag.h"

#include <assert.h>
#include <inttypes.h>

bool reading_allocate(const struct reading *r, struct tensor *tensor, enum dtype dtype,
                      const struct shape *shape)
{
    int64_t size = (int64_t)dtype_size(dtype), volume;

    assert(r->budget >= 0 && dtype_size(dtype) > 0);
    *tensor = (struct tensor){.shape = *shape, .dtype = dtype};
    if (!shape_volume_checked(shape, r->budget / size, &volume)) {
        diag_file_error(r->diag, r->name, DIAG_MEMORY_LIMIT,
                        "a tensor of shape %s takes more than the %" PRId64
                        " bytes of memory that are left",
                        SHAPE_TEXT(shape), r->budget);
        diag_help(r->diag, "raise the limit with --max-memory.");
        return false;
    }
    return tensor_allocate(tensor, dtype, shape) ||
           diag_file_error(r->diag, r->name, DIAG_RUN_MEMORY,
                           "not enough memory for a tensor of shape %s: %" PRId64 " bytes",
                           SHAPE_TEXT(shape), volume * size);
}

/* Bytes; a smaller claim that is wrong is reported as a wrong length, not as an absurd claim. */
static const int64_t claim_limit = INT64_C(1) << 40;

bool reading_claim(const struct reading *r, const struct shape *shape, int64_t claimed, size_t size)
{
    assert(claimed >= 0);
    if (claimed < INT64_MAX && (claimed <= claim_limit || (uint64_t)claimed <= size))
        return true;
    if (claimed == INT64_MAX)
        return diag_file_error(r->diag, r->name, DIAG_DATA_CLAIM,
                               "the header claims shape %s, but the file has %zu bytes",
                               SHAPE_TEXT(shape), size);
    return diag_file_error(r->diag, r->name, DIAG_DATA_CLAIM,
                           "the header claims %" PRId64
                           " bytes of data for shape %s, but the file has %zu bytes",
                           claimed, SHAPE_TEXT(shape), size);
}
