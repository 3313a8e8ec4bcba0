/* onnx_items.c - items of a tensor as our own tensors have them */
#include "convert/proto/onnx_data.h"

#include "base/arena.h"
#include "base/pages.h"
#include "diag/diag.h"
#include "tensor/bytes.h"
#include "tensor/item.h"

#include <inttypes.h>
#include <string.h>

/* How raw data hold items; false for those that our tensors have no place for. */
static bool find_format(int32_t type, struct item_format *format)
{
    static const struct item_format known[ONNX_DATA_TYPE_COUNT] = {
        [ONNX_FLOAT] = {.type = ITEM_FLOAT, .bits = 32},
        [ONNX_UINT8] = {.type = ITEM_UNSIGNED, .bits = 8},
        [ONNX_INT8] = {.type = ITEM_SIGNED, .bits = 8},
        [ONNX_UINT16] = {.type = ITEM_UNSIGNED, .bits = 16},
        [ONNX_INT16] = {.type = ITEM_SIGNED, .bits = 16},
        [ONNX_INT32] = {.type = ITEM_SIGNED, .bits = 32},
        [ONNX_INT64] = {.type = ITEM_SIGNED, .bits = 64},
        [ONNX_BOOL] = {.type = ITEM_BOOL, .bits = 8},
        [ONNX_FLOAT16] = {.type = ITEM_FLOAT, .bits = 16},
        [ONNX_DOUBLE] = {.type = ITEM_FLOAT, .bits = 64},
        [ONNX_UINT32] = {.type = ITEM_UNSIGNED, .bits = 32},
        [ONNX_UINT64] = {.type = ITEM_UNSIGNED, .bits = 64},
        [ONNX_BFLOAT16] = {.type = ITEM_FLOAT, .bits = 16},
        [ONNX_UINT4] = {.type = ITEM_UNSIGNED, .bits = 4},
        [ONNX_INT4] = {.type = ITEM_SIGNED, .bits = 4},
        [ONNX_UINT2] = {.type = ITEM_UNSIGNED, .bits = 2},
        [ONNX_INT2] = {.type = ITEM_SIGNED, .bits = 2},
    };

    if (type < 0 || type >= ONNX_DATA_TYPE_COUNT || known[type].bits == 0)
        return false;
    *format = known[type];
    return true;
}

/* The upper halves of floats of 32 bits. */
static void decode_bfloat16(const unsigned char *from, struct tensor *to)
{
    int64_t count = shape_volume(&to->shape);
    float *item = to->data;

    for (int64_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)bytes_load16(from + 2 * i) << 16;
        memcpy(&item[i], &bits, sizeof bits);
    }
}

/* Several to a byte, the first in the lowest bits. */
static void decode_parts(const struct item_format *format, const unsigned char *from,
                         struct tensor *to)
{
    int64_t count = shape_volume(&to->shape), *item = to->data;
    int bits = format->bits, share = 8 / bits, sign = 1 << (bits - 1);

    for (int64_t i = 0; i < count; i++) {
        int part = from[i / share] >> (int)(i % share) * bits & (2 * sign - 1);
        item[i] = format->type == ITEM_SIGNED ? (part ^ sign) - sign : part;
    }
}

static bool is_little_endian(void)
{
    const uint16_t probe = 1;

    return *(const unsigned char *)&probe == 1;
}

/* What a report is about. */
struct subject {
    struct diag *diag;
    const char *file;
    const struct onnx_tensor *tensor;
};

static bool convert(const struct subject *s, const struct item_format *format,
                    const unsigned char *from, struct tensor *to)
{
    int64_t bad;

    if (!tensor_allocate(to, item_dtype(format->type), &to->shape))
        return diag_file_error(s->diag, s->file, DIAG_RUN_MEMORY,
                               "not enough memory for tensor '%s' of shape %s", s->tensor->name,
                               SHAPE_TEXT(&to->shape));
    if (!to->data)
        return true;
    pages_populate(to->data, tensor_bytes(to));
    if (format->bits < 8)
        decode_parts(format, from, to);
    else if (s->tensor->data_type == ONNX_BFLOAT16)
        decode_bfloat16(from, to);
    else if (!items_decode(format, from, to, &bad)) {
        tensor_clear(to);
        return diag_file_error(s->diag, s->file, DIAG_NOT_SUPPORTED,
                               "item %" PRId64 " of tensor '%s' exceeds 9223372036854775807, "
                               "the largest integer",
                               bad, s->tensor->name);
    }
    return true;
}

static bool take_bytes(const struct subject *s, const struct item_format *format,
                       struct onnx_bytes bytes, struct tensor *to)
{
    int64_t volume = shape_volume(&to->shape), expected;
    bool in_place = s->tensor->data_type == ONNX_FLOAT && is_little_endian() && volume > 0 &&
                    (uintptr_t)bytes.data % sizeof(float) == 0;

    expected = volume > INT64_MAX / 64 ? INT64_MAX : item_bytes(format, volume);
    if (bytes.size != (uint64_t)expected)
        return diag_file_error(s->diag, s->file, DIAG_ONNX_TENSOR,
                               "tensor '%s' has %zu bytes of data, expected %" PRId64,
                               s->tensor->name, bytes.size, expected);
    if (!in_place)
        return convert(s, format, bytes.data, to);
    to->dtype = DTYPE_SCALAR;
    memcpy(&to->data, &bytes.data, sizeof to->data); /* a view, though not called const */
    return true;
}

static bool set_shape(const struct subject *s, struct tensor *to)
{
    const struct onnx_ints *dims = &s->tensor->dims;
    int64_t volume;

    if (dims->count > MAX_RANK)
        return diag_file_error(s->diag, s->file, DIAG_NOT_SUPPORTED,
                               "tensor '%s' has %d dimensions, expected at most %d",
                               s->tensor->name, dims->count, MAX_RANK);
    *to = (struct tensor){.shape = {.rank = dims->count}};
    for (int i = 0; i < dims->count; i++)
        to->shape.extent[i] = dims->item[i];
    return shape_volume_checked(&to->shape, INT64_MAX, &volume) ||
           diag_file_error(s->diag, s->file, DIAG_ONNX_TENSOR,
                           "tensor '%s' has dimensions of a product above 9223372036854775807",
                           s->tensor->name);
}

bool onnx_tensor_items(struct diag *diag, const char *file, const struct onnx_tensor *tensor,
                       const struct onnx_bytes *external, struct tensor *to)
{
    struct subject s = {diag, file, tensor};
    struct item_format format;

    *to = (struct tensor){0};
    if (tensor->segment || !find_format(tensor->data_type, &format))
        return diag_file_error(diag, file, DIAG_NOT_SUPPORTED,
                               "tensor '%s' %s '%s', which is not supported", tensor->name,
                               tensor->segment ? "is in a segment of type" : "has items of type",
                               onnx_type_name(tensor->data_type));
    if (!set_shape(&s, to))
        return false;
    struct arena *scratch = arena_new();
    struct onnx_bytes bytes = external ? *external : onnx_tensor_bytes(scratch, tensor);
    bool ok = take_bytes(&s, &format, bytes, to);
    arena_free(scratch);
    return ok;
}
