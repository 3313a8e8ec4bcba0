/*
 * onnx_data.c - the items of a tensor: in which field they are, and how to convert them
 *
 * A tensor of ONNX has its items in one of seven fields, which depends on their type.  raw_data
 * holds items of any type but strings.
 */
#include "convert/proto/onnx_data.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/pages.h"
#include "base/text.h"
#include "diag/diag.h"
#include "file/payload.h"
#include "tensor/bytes.h"
#include "tensor/item.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The fields that data may be in, and none. */
enum data_place { NOWHERE, RAW, FLOATS, INT32S, STRINGS, INT64S, DOUBLES, UINT64S, PLACE_COUNT };

struct type_info {
    const char *name;
    enum data_place place; /* where items of that type may be, besides RAW */
    struct item_format
        raw; /* of an item; 0 bits: no fixed size; ITEM_NONE: our tensors hold none */
};

static const struct type_info *info_of(int32_t type)
{
    enum { ITEM_NONE = ITEM_TYPE_COUNT };
    static const struct type_info info[ONNX_DATA_TYPE_COUNT] = {
#define TYPE(name, size, place, item) \
    [ONNX_##name] = {#name, place, {.type = (enum item_type)ITEM_##item, .bits = size}},
#include "convert/proto/onnx_types.def"
#undef TYPE
    };

    return type >= 0 && type < ONNX_DATA_TYPE_COUNT ? &info[type] : NULL;
}

const char *onnx_type_name(int32_t type)
{
    const struct type_info *info = info_of(type);

    return info ? info->name : "?";
}

int onnx_type_bits(int32_t type)
{
    const struct type_info *info = info_of(type);

    return info ? info->raw.bits : 0;
}

/* The format of raw data; NULL if our tensors cannot hold items of the type. */
static const struct item_format *format_of(int32_t type)
{
    const struct type_info *info = info_of(type);

    return info && info->raw.type != ITEM_TYPE_COUNT ? &info->raw : NULL;
}

enum dtype onnx_type_dtype(int32_t type)
{
    const struct item_format *format = format_of(type);

    return format ? item_dtype(format->type) : DTYPE_UNKNOWN;
}

/* Two kinds of floats have 16 bits, of which the other is the one that files have elsewhere. */
struct item_format onnx_type_items(int32_t type)
{
    const struct item_format *format = type == ONNX_BFLOAT16 ? NULL : format_of(type);

    return format ? *format : (struct item_format){.bits = 0};
}

int32_t onnx_type_of_items(const struct item_format *items)
{
    for (int32_t type = ONNX_UNDEFINED + 1; type < ONNX_DATA_TYPE_COUNT && items->bits > 0;
         type++) {
        const struct item_format format = onnx_type_items(type);
        if (format.bits == items->bits && format.type == items->type)
            return type;
    }
    return ONNX_UNDEFINED;
}

bool onnx_tensor_volume(const struct onnx_tensor *tensor, int64_t *volume)
{
    bool fits = true, empty = false;
    int64_t product = 1;

    for (int i = 0; i < tensor->dims.count; i++) {
        int64_t extent = tensor->dims.item[i];
        if (extent < 0)
            return false;
        empty |= extent == 0;
        fits = fits && num_mul(product, extent, &product);
    }
    *volume = empty ? 0 : product;
    return fits || empty;
}

/* What a field is called, where a tensor has its numbers, and the bits of each if that is fixed. */
static const struct {
    const char *name;
    size_t offset; /* of a struct onnx_packed; 0: it is none */
    int bits;      /* 0: as many as an item of the type */
} places[PLACE_COUNT] = {
    [NOWHERE] = {"no field", 0, 0},
    [RAW] = {"raw_data", 0, 8},
    [FLOATS] = {"float_data", offsetof(struct onnx_tensor, float_data), 32},
    [INT32S] = {"int32_data", offsetof(struct onnx_tensor, int32_data), 0},
    [STRINGS] = {"string_data", 0, 0},
    [INT64S] = {"int64_data", offsetof(struct onnx_tensor, int64_data), 0},
    [DOUBLES] = {"double_data", offsetof(struct onnx_tensor, double_data), 64},
    [UINT64S] = {"uint64_data", offsetof(struct onnx_tensor, uint64_data), 0},
};

static const struct onnx_packed *packed_at(const struct onnx_tensor *tensor, enum data_place place)
{
    const size_t offset = places[place].offset;

    assert(place < PLACE_COUNT);
    return offset ? (const void *)((const char *)tensor + offset) : NULL;
}

/* Bytes of raw data, else numbers or strings. */
static size_t count_at(const struct onnx_tensor *tensor, enum data_place place)
{
    const struct onnx_packed *packed = packed_at(tensor, place);

    if (packed)
        return packed->count;
    if (place == RAW)
        return tensor->raw_data.size;
    return place == STRINGS ? (size_t)tensor->string_data.count : 0;
}

static bool say(struct text *why, const char *fmt, ...) PRINTF_LIKE(2, 3);

static bool say(struct text *why, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_add_v(why, fmt, args);
    va_end(args);
    return true;
}

bool onnx_tensor_fault(const struct onnx_tensor *tensor, struct text *why)
{
    const struct type_info *info = info_of(tensor->data_type);
    bool external = tensor->data_location == ONNX_LOCATION_EXTERNAL;
    enum data_place place = NOWHERE;
    int64_t volume = 0, bits;

    for (int i = 0; i < tensor->dims.count; i++)
        if (tensor->dims.item[i] < 0)
            return say(why, "dimension %d of a tensor is %" PRId64 ", expected at least 0", i,
                       tensor->dims.item[i]);
    if (!onnx_tensor_volume(tensor, &volume))
        return say(why, "the dimensions of a tensor have a product of more than 63 bits");

    /* One field has the data.  Raw data may have 0 bytes. */
    for (enum data_place p = RAW; p < PLACE_COUNT; p++) {
        if (count_at(tensor, p) == 0)
            continue;
        if (place != NOWHERE)
            return say(why, "a tensor has data both in '%s' and in '%s'", places[place].name,
                       places[p].name);
        place = p;
    }
    if (place == NOWHERE && tensor->raw_data.data)
        place = RAW;
    size_t count = count_at(tensor, place);
    if (external && count)
        return say(why, "a tensor has data in '%s', although they are external",
                   places[place].name);
    if (external || place == NOWHERE || !info || info->place == NOWHERE)
        return false;
    if (place != info->place && (place != RAW || info->raw.bits == 0))
        return say(why, "a tensor of type %s has data in '%s', expected '%s'",
                   onnx_type_name(tensor->data_type), places[place].name, places[info->place].name);

    /* Items of less than a byte share numbers of int32_data, as they do bytes of raw data. */
    bool shares = place == INT32S && info->raw.bits < 8;
    int unit = shares ? 8 : places[place].bits ? places[place].bits : info->raw.bits;
    if (place != STRINGS && !num_mul(volume, info->raw.bits, &bits))
        return say(why, "the dimensions of a tensor are too large");
    assert(place == STRINGS || unit > 0);
    uint64_t expected =
        place == STRINGS ? (uint64_t)volume
                         : (uint64_t)bits / (unsigned)unit + ((uint64_t)bits % (unsigned)unit != 0);
    if (count != expected)
        return say(why, "'%s' of a tensor has length %zu, expected %" PRIu64 " for its dimensions",
                   places[place].name, count, expected);
    return false;
}

/* Each varint as `width` bytes. */
static struct onnx_bytes spread(struct arena *arena, const struct onnx_packed *packed, int width)
{
    unsigned char *bytes = arena_array(arena, packed->count, (size_t)width);
    size_t at = 0;

    assert(width >= 1 && width <= 8);
    for (size_t i = 0; i < packed->count; i++) {
        uint64_t value = 0;
        int took = varint_load(packed->data + at, packed->size - at, &value);
        assert(took > 0);
        at += (size_t)took;
        bytes_store(bytes + i * (size_t)width, width, value);
    }
    return (struct onnx_bytes){bytes, packed->count * (size_t)width};
}

struct onnx_bytes onnx_tensor_bytes(struct arena *arena, const struct onnx_tensor *tensor)
{
    const struct type_info *info = info_of(tensor->data_type);
    const struct onnx_packed *packed = info ? packed_at(tensor, info->place) : NULL;

    if (!packed || packed->count == 0)
        return tensor->raw_data;
    if (places[info->place].bits)
        return (struct onnx_bytes){packed->data, packed->size};
    return spread(arena, packed, info->raw.bits < 8 ? 1 : info->raw.bits / 8);
}

/* --- items of our own tensors ---------------------------------------------------------------- */

static void decode_bfloat16(const unsigned char *from, struct tensor *to)
{
    int64_t count = shape_volume(&to->shape);
    float *item = to->data;

    assert(to->dtype == DTYPE_SCALAR);
    for (int64_t i = 0; i < count; i++)
        item[i] = bfloat16_decode(bytes_load16(from + 2 * i));
}

/* Several to a byte, the first in the lowest bits. */
static void decode_parts(const struct item_format *format, const unsigned char *from,
                         struct tensor *to)
{
    int64_t count = shape_volume(&to->shape), *item = to->data;
    int bits = format->bits, share = 8 / bits, sign = 1 << (bits - 1);

    assert(bits > 0 && bits < 8 && to->dtype == DTYPE_INTEGER);
    for (int64_t i = 0; i < count; i++) {
        int part = from[i / share] >> (int)(i % share) * bits & (2 * sign - 1);
        item[i] = format->type == ITEM_SIGNED ? (part ^ sign) - sign : part;
    }
}

/* Floats of 32 bits that lie right may stay where they are; other items are converted. */
static bool take_items(struct diag *diag, const char *file, const struct onnx_tensor *tensor,
                       struct onnx_bytes bytes, struct tensor *to)
{
    /* Of 64 bits, those without a sign are stored as those with one of the same bits. */
    const struct item_format *format =
        format_of(tensor->data_type == ONNX_UINT64 ? ONNX_INT64 : tensor->data_type);
    int64_t volume = shape_volume(&to->shape);
    struct lost_item lost;
    int64_t expected = volume > INT64_MAX / 64 ? INT64_MAX : item_bytes(format, volume);

    if (bytes.size == 0 && expected > 0)
        return diag_file_error(diag, file, DIAG_ONNX_TENSOR,
                               "tensor '%s' of shape %s has no items: the file has no data of it",
                               tensor->name, SHAPE_TEXT(&to->shape));
    if (bytes.size != (uint64_t)expected)
        return diag_file_error(diag, file, DIAG_ONNX_TENSOR,
                               "tensor '%s' has %zu bytes of data, expected %" PRId64, tensor->name,
                               bytes.size, expected);
    if (tensor->data_type == ONNX_FLOAT && bytes_are_native() && volume > 0 &&
        (uintptr_t)bytes.data % sizeof(float) == 0) {
        to->dtype = DTYPE_SCALAR;
        memcpy(&to->data, &bytes.data, sizeof to->data); /* a view, though not called const */
        return true;
    }
    if (!tensor_allocate(to, item_dtype(format->type), &to->shape))
        return diag_file_error(diag, file, DIAG_RUN_MEMORY,
                               "not enough memory for tensor '%s' of shape %s", tensor->name,
                               SHAPE_TEXT(&to->shape));
    if (!to->data)
        return true;
    pages_populate(to->data, tensor_bytes(to));
    if (format->bits < 8) {
        decode_parts(format, bytes.data, to);
        return true;
    }
    if (tensor->data_type == ONNX_BFLOAT16) {
        decode_bfloat16(bytes.data, to);
        return true;
    }
    items_decode(format, bytes.data, to);
    if (!items_lose(format, bytes.data, volume, &lost) ||
        payload_warn(diag, file, tensor->name, &lost))
        return true;
    tensor_clear(to);
    return false;
}

/* False: there are too many. */
static bool take_dims(const struct onnx_tensor *tensor, struct shape *shape)
{
    if (tensor->dims.count > MAX_RANK)
        return false;
    shape->rank = tensor->dims.count;
    for (int i = 0; i < shape->rank; i++)
        shape->extent[i] = tensor->dims.item[i];
    return true;
}

bool onnx_tensor_items(struct diag *diag, const char *file, const struct onnx_tensor *tensor,
                       const struct onnx_bytes *external, struct tensor *to)
{
    int64_t volume;

    *to = (struct tensor){0};
    if (tensor->segment || !format_of(tensor->data_type))
        return diag_file_error(diag, file, DIAG_NOT_SUPPORTED,
                               "tensor '%s' %s '%s', which is not supported", tensor->name,
                               tensor->segment ? "is in a segment of type" : "has items of type",
                               onnx_type_name(tensor->data_type));
    if (!take_dims(tensor, &to->shape))
        return diag_file_error(diag, file, DIAG_NOT_SUPPORTED,
                               "tensor '%s' has %d dimensions, expected at most %d", tensor->name,
                               tensor->dims.count, MAX_RANK);
    if (!shape_volume_checked(&to->shape, INT64_MAX, &volume))
        return diag_file_error(diag, file, DIAG_ONNX_TENSOR,
                               "tensor '%s' has dimensions of a product above 9223372036854775807",
                               tensor->name);
    struct arena *scratch = arena_new();
    struct onnx_bytes bytes = external ? *external : onnx_tensor_bytes(scratch, tensor);
    bool ok = take_items(diag, file, tensor, bytes, to);
    arena_free(scratch);
    return ok;
}

bool onnx_tensor_view(const struct onnx_tensor *tensor, const struct onnx_bytes *external,
                      struct tensor *to)
{
    const struct onnx_bytes *bytes = external ? external : &tensor->raw_data;
    const int32_t type = tensor->data_type;
    const bool nibbles = type == ONNX_INT4 || type == ONNX_UINT4;
    int64_t volume;

    *to = (struct tensor){.dtype = DTYPE_INTEGER,
                          .bytes_are_signed = type == ONNX_INT8 || type == ONNX_INT4,
                          .are_nibbles = nibbles};
    if ((!nibbles && type != ONNX_INT8 && type != ONNX_UINT8) || tensor->segment || !bytes->data ||
        !take_dims(tensor, &to->shape) || !shape_volume_checked(&to->shape, INT64_MAX, &volume))
        return false;
    memcpy(&to->bytes, &bytes->data, sizeof to->bytes); /* a view, though not called const */
    return volume > 0 && bytes->size == tensor_size(to);
}
