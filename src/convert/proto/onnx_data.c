/*
 * onnx_data.c - which field holds the items of a tensor, what they are, and how they become those
 * of our own tensors
 */
#include "convert/proto/onnx_data.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/pages.h"
#include "base/text.h"
#include "diag/diag.h"
#include "tensor/bytes.h"
#include "tensor/item.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The fields that data may be in, and none. */
enum data_place { NOWHERE, RAW, FLOATS, INT32S, STRINGS, INT64S, DOUBLES, UINT64S, PLACE_COUNT };

struct type_info {
    const char *name;
    int bits;              /* of an item; 0: no fixed size */
    enum data_place place; /* where items of that type may be, besides RAW */
};

static const struct type_info *info_of(int32_t type)
{
    static const struct type_info info[ONNX_DATA_TYPE_COUNT] = {
#define TYPE(name, bits, place, item) [ONNX_##name] = {#name, bits, place},
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

    return info ? info->bits : 0;
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

static const char *place_name(enum data_place place)
{
    static const char *const name[PLACE_COUNT] = {
        "no field",    "raw_data",   "float_data",  "int32_data",
        "string_data", "int64_data", "double_data", "uint64_data",
    };

    assert(place < PLACE_COUNT);
    return name[place];
}

static const struct onnx_packed *packed_at(const struct onnx_tensor *tensor, enum data_place place)
{
    switch (place) {
    case FLOATS:
        return &tensor->float_data;
    case INT32S:
        return &tensor->int32_data;
    case INT64S:
        return &tensor->int64_data;
    case DOUBLES:
        return &tensor->double_data;
    case UINT64S:
        return &tensor->uint64_data;
    case NOWHERE:
    case RAW:
    case STRINGS:
    case PLACE_COUNT:
        break;
    }
    return NULL;
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

/* The field that has data; false, with the two of them, if there are several. */
static bool find_place(const struct onnx_tensor *tensor, enum data_place *found,
                       enum data_place *other)
{
    *found = NOWHERE;
    for (enum data_place place = RAW; place < PLACE_COUNT; place++) {
        if (count_at(tensor, place) == 0)
            continue;
        *other = place;
        if (*found != NOWHERE)
            return false;
        *found = place;
    }
    if (*found == NOWHERE && tensor->raw_data.data)
        *found = RAW;
    return true;
}

/* What `volume` items take there: bytes of raw data, else numbers or strings. */
static bool expected_count(const struct type_info *info, enum data_place place, int64_t volume,
                           uint64_t *count)
{
    bool shares = place == RAW || (place == INT32S && info->bits < 8);
    int unit = shares ? 8 : place == FLOATS ? 32 : place == DOUBLES ? 64 : info->bits;
    int64_t bits;

    if (place == STRINGS) {
        *count = (uint64_t)volume;
        return true;
    }
    if (!num_mul(volume, info->bits, &bits))
        return false;
    *count = (uint64_t)bits / (unsigned)unit + ((uint64_t)bits % (unsigned)unit != 0);
    return true;
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

static bool dims_fault(const struct onnx_tensor *tensor, int64_t *volume, struct text *why)
{
    if (onnx_tensor_volume(tensor, volume))
        return false;
    for (int i = 0; i < tensor->dims.count; i++)
        if (tensor->dims.item[i] < 0)
            return say(why, "dimension %d of a tensor is %" PRId64 ", expected at least 0", i,
                       tensor->dims.item[i]);
    return say(why, "the dimensions of a tensor have a product of more than 63 bits");
}

bool onnx_tensor_fault(const struct onnx_tensor *tensor, struct text *why)
{
    const struct type_info *info = info_of(tensor->data_type);
    bool external = tensor->data_location == ONNX_LOCATION_EXTERNAL;
    enum data_place place, other;
    uint64_t expected;
    int64_t volume = 0;

    if (dims_fault(tensor, &volume, why))
        return true;
    if (!find_place(tensor, &place, &other))
        return say(why, "a tensor has data both in '%s' and in '%s'", place_name(place),
                   place_name(other));
    size_t count = count_at(tensor, place);
    if (external && count)
        return say(why, "a tensor has data in '%s', although they are external", place_name(place));
    if (external || place == NOWHERE || !info || info->place == NOWHERE)
        return false;
    if (place != info->place && (place != RAW || info->bits == 0))
        return say(why, "a tensor of type %s has data in '%s', expected '%s'",
                   onnx_type_name(tensor->data_type), place_name(place), place_name(info->place));
    if (!expected_count(info, place, volume, &expected))
        return say(why, "the dimensions of a tensor are too large");
    if (count != expected)
        return say(why, "'%s' of a tensor has length %zu, expected %" PRIu64 " for its dimensions",
                   place_name(place), count, expected);
    return false;
}

/* Each varint as `width` bytes. */
static struct onnx_bytes spread(struct arena *arena, const struct onnx_packed *packed, int width)
{
    unsigned char *bytes = arena_array(arena, packed->count, (size_t)width);
    size_t at = 0;

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
    if (info->place == FLOATS || info->place == DOUBLES)
        return (struct onnx_bytes){packed->data, packed->size};
    return spread(arena, packed, info->bits < 8 ? 1 : info->bits / 8);
}

/* --- items of our own tensors ---------------------------------------------------------------- */

/* How raw data hold items; false for those that our tensors have no place for. */
static bool find_format(int32_t type, struct item_format *format)
{
    enum { ITEM_NONE = ITEM_TYPE_COUNT };
    static const struct item_format known[ONNX_DATA_TYPE_COUNT] = {
#define TYPE(name, size, place, item) {.type = (enum item_type)ITEM_##item, .bits = size},
#include "convert/proto/onnx_types.def"
#undef TYPE
    };

    if (type < 0 || type >= ONNX_DATA_TYPE_COUNT || known[type].type == ITEM_TYPE_COUNT)
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

/* What a report is about. */
struct tensor_report {
    struct diag *diag;
    const char *file;
    const struct onnx_tensor *tensor;
};

static bool convert(const struct tensor_report *s, const struct item_format *format,
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

static bool take_bytes(const struct tensor_report *s, const struct item_format *format,
                       struct onnx_bytes bytes, struct tensor *to)
{
    int64_t volume = shape_volume(&to->shape), expected;
    bool in_place = s->tensor->data_type == ONNX_FLOAT && bytes_are_native() && volume > 0 &&
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

static bool set_shape(const struct tensor_report *s, struct tensor *to)
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
    struct tensor_report s = {diag, file, tensor};
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
