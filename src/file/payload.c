/* payload.c - items between files and memory, in place where possible */
#include "file/payload.h"
#include "tensor/bytes.h"

#include "diag/diag.h"
#include "file/file.h"

#include <assert.h>
#include <inttypes.h>

static void release_view(struct tensor *tensor)
{
    struct file_view view = {.data = tensor->mapping, .size = tensor->mapping_size, .mapped = true};

    file_close(&view);
}

static void release_bytes(struct tensor *tensor)
{
    struct file_view view = {.data = tensor->mapping, .size = tensor->mapping_size};

    file_close(&view);
}

/* The items as they lie in the file are those of a tensor. */
static bool fits_in_place(const struct payload *p, const void *items)
{
    return p->format.type == ITEM_FLOAT && p->format.bits == 32 &&
           p->format.big_endian == !bytes_are_native() && (uintptr_t)items % sizeof(float) == 0;
}

static void (*release_of(const struct file_view *file))(struct tensor *)
{
    if (file->borrowed)
        return NULL;
    return file->mapped ? release_view : release_bytes;
}

static bool convert(const struct reading *r, const struct payload *p, const unsigned char *items,
                    struct tensor *tensor)
{
    int64_t bad;

    if (!reading_allocate(r, tensor, item_dtype(p->format.type), &p->shape))
        return false;
    if (items_decode(&p->format, items, tensor, &bad))
        return true;
    tensor_clear(tensor);
    return diag_file_error(r->diag, r->name, DIAG_NOT_SUPPORTED,
                           "item %" PRId64 " exceeds 9223372036854775807, the largest integer",
                           bad);
}

bool payload_take(const struct reading *reading, const struct payload *payload,
                  struct file_view *file, struct tensor *tensor)
{
    const unsigned char *items = (const unsigned char *)file->data + payload->offset;

    assert(payload->offset <= file->size);
    if (shape_volume(&payload->shape) == 0 || !fits_in_place(payload, items))
        return convert(reading, payload, items, tensor);
    *tensor = (struct tensor){
        .shape = payload->shape,
        .dtype = DTYPE_SCALAR,
        .data = (unsigned char *)file->data + payload->offset,
        .release = release_of(file),
        .mapping = file->data,
        .mapping_size = file->size,
        .mapped = file->mapped,
    };
    *file = (struct file_view){0};
    return true;
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
