/* payload.c - items between files and memory, in place where possible */
#include "file/payload.h"

#include "diag/diag.h"
#include "file/file.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>

/* The `release` of a tensor that took over a view. */
static void release_view(struct tensor *tensor)
{
    struct file_view view = {
        .data = tensor->mapping, .size = tensor->mapping_size, .mapped = tensor->mapped};

    file_close(&view);
}

bool payload_take(const struct reading *reading, const struct payload *payload,
                  struct file_view *file, struct tensor *tensor)
{
    const struct item_format *format = &payload->format;
    unsigned char *items = (unsigned char *)file->data + payload->offset;
    int64_t bad;

    assert(payload->offset <= file->size && item_format_valid(format));
    if (shape_volume(&payload->shape) > 0 && format->type == ITEM_FLOAT && format->bits == 32 &&
        format->big_endian == !bytes_are_native() && (uintptr_t)items % sizeof(float) == 0) {
        *tensor = (struct tensor){
            .shape = payload->shape,
            .dtype = DTYPE_SCALAR,
            .data = items,
            .release = file->borrowed ? NULL : release_view,
            .mapping = file->data,
            .mapping_size = file->size,
            .mapped = file->mapped,
        };
        *file = (struct file_view){0};
        return true;
    }
    if (!reading_allocate(reading, tensor, item_dtype(format->type), &payload->shape))
        return false;
    if (items_decode(format, items, tensor, &bad))
        return true;
    tensor_clear(tensor);
    return diag_file_error(reading->diag, reading->name, DIAG_NOT_SUPPORTED,
                           "item %" PRId64 " exceeds 9223372036854775807, the largest integer",
                           bad);
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
