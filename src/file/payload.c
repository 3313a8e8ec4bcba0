/* payload.c - moves items between files and memory, in place where possible */
#include "file/payload.h"

#include "base/num.h"
#include "diag/diag.h"
#include "file/file.h"
#include "file/out.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>

/* Bytes; a smaller claim that is wrong is reported as a wrong length, not as an absurd claim. */
static const int64_t claim_limit = INT64_C(1) << 40;

/* Is there room for `most` items at most, and are these enough?  False after a report. */
static bool check_room(const struct reading *r, const struct shape *shape, int64_t most,
                       int64_t *volume)
{
    if (shape_volume_checked(shape, most, volume))
        return true;
    diag_file_error(r->diag, r->name, DIAG_MEMORY_LIMIT,
                    "a tensor of shape %s takes more than the %" PRId64
                    " bytes of memory that are left",
                    SHAPE_TEXT(shape), r->budget);
    return diag_help(r->diag, "raise the limit with --max-memory.");
}

bool reading_allocate(const struct reading *r, struct tensor *tensor, enum dtype dtype,
                      const struct shape *shape)
{
    int64_t size = (int64_t)dtype_size(dtype), volume;

    assert(r->budget >= 0 && dtype_size(dtype) > 0);
    *tensor = (struct tensor){.shape = *shape, .dtype = dtype};
    if (!check_room(r, shape, r->budget / size, &volume))
        return false;
    return tensor_allocate(tensor, dtype, shape) ||
           diag_file_error(r->diag, r->name, DIAG_RUN_MEMORY,
                           "not enough memory for a tensor of shape %s: %" PRId64 " bytes",
                           SHAPE_TEXT(shape), volume * size);
}

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

/* The `release` of a tensor that took over a view. */
static void release_view(struct tensor *tensor)
{
    struct file_view view = {
        .data = tensor->mapping, .size = tensor->mapping_size, .mapped = tensor->mapped};

    file_close(&view);
}

bool payload_warn(struct diag *diag, const char *file, const char *tensor,
                  const struct lost_item *lost)
{
    int errors = diag_error_count(diag);

    diag_file_warning(diag, file, WARNING_DOUBLE_PRECISION,
                      "%s%s%sitem %" PRId64
                      " is %.17g, but %.9g in the 32 bits that nnefc computes "
                      "with",
                      tensor ? "tensor '" : "", tensor ? tensor : "", tensor ? "': " : "",
                      lost->index, lost->number, (double)(float)lost->number);
    return diag_error_count(diag) == errors;
}

/* In a file, the first one of a byte is in its upper half. */
static bool take_nibbles(const struct reading *reading, const struct payload *payload,
                         const unsigned char *items, struct tensor *tensor)
{
    const enum item_type type = payload->format.type;
    int64_t volume;

    *tensor = (struct tensor){0};
    if (!check_room(reading, &payload->shape, num_add_most(reading->budget, reading->budget),
                    &volume))
        return false;
    if (!tensor_allocate_nibbles(tensor, &payload->shape))
        return diag_file_error(reading->diag, reading->name, DIAG_RUN_MEMORY,
                               "not enough memory for a tensor of shape %s: %" PRId64 " bytes",
                               SHAPE_TEXT(&payload->shape), (volume + 1) / 2);
    tensor->bytes_are_signed = type == ITEM_SIGNED || type == ITEM_QUANTIZED_SIGNED;
    unsigned char *to = tensor->bytes;
    for (size_t i = 0, size = tensor_size(tensor); i < size; i++)
        to[i] = (unsigned char)(items[i] >> 4 | items[i] << 4);
    return true;
}

bool payload_take(const struct reading *reading, const struct payload *payload,
                  struct file_view *file, struct tensor *tensor)
{
    const struct item_format *format = &payload->format;
    unsigned char *items = (unsigned char *)file->data + payload->offset;
    struct lost_item lost;

    assert(payload->offset <= file->size && item_format_valid(format));
    const bool floats = shape_volume(&payload->shape) > 0 && format->type == ITEM_FLOAT &&
                        format->bits == 32 && format->big_endian == !bytes_are_native() &&
                        (uintptr_t)items % sizeof(float) == 0;
    const bool bytes = payload->views_bytes && shape_volume(&payload->shape) >= BYTES_MANY &&
                       item_dtype(format->type) == DTYPE_INTEGER && format->bits == 8;
    if (floats || bytes) {
        *tensor = (struct tensor){
            .shape = payload->shape,
            .dtype = item_dtype(format->type),
            .data = floats ? items : NULL,
            .bytes = bytes ? items : NULL,
            .bytes_are_signed =
                format->type == ITEM_SIGNED || format->type == ITEM_QUANTIZED_SIGNED,
            .release = file->borrowed ? NULL : release_view,
            .mapping = file->data,
            .mapping_size = file->size,
            .mapped = file->mapped,
        };
        *file = (struct file_view){0};
        return true;
    }
    if (payload->views_bytes && shape_volume(&payload->shape) >= BYTES_MANY &&
        item_dtype(format->type) == DTYPE_INTEGER && format->bits == 4)
        return take_nibbles(reading, payload, items, tensor);
    if (!reading_allocate(reading, tensor, item_dtype(format->type), &payload->shape))
        return false;
    items_decode(format, items, tensor);
    bool ok = !items_lose(format, items, shape_volume(&tensor->shape), &lost) ||
              payload_warn(reading->diag, reading->name, NULL, &lost);
    if (!ok)
        tensor_clear(tensor);
    return ok;
}

bool payload_write(struct diag *diag, const struct sink *sink, const struct tensor *tensor,
                   const struct item_format *format)
{
    enum { STEP = 4096 }; /* items; a multiple of 8 */
    unsigned char bytes[STEP * sizeof(uint64_t)];
    int64_t count = shape_volume(&tensor->shape), bad;

    assert(item_format_valid(format) && item_dtype(format->type) == tensor->dtype);
    for (int64_t i = 0; i < count; i += STEP) {
        struct item_range range = {i, count - i < STEP ? count : i + STEP};
        if (!items_encode(format, tensor, range, bytes, &bad))
            return diag_file_error(diag, sink->name, DIAG_CANNOT_WRITE,
                                   "item %" PRId64 " does not fit %s of %d bits", bad,
                                   item_type_name(format->type), format->bits);
        sink->put(sink->to, bytes, (size_t)item_bytes(format, range.end - range.begin));
    }
    return true;
}
