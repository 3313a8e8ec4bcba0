/* onnx_data.c - which field holds the items of a tensor, and what they are */
#include "convert/proto/onnx_data.h"

#include "base/arena.h"
#include "base/num.h"
#include "base/text.h"
#include "convert/proto/wire.h"
#include "tensor/bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The fields that data may be in, and none. */
enum place { NOWHERE, RAW, FLOATS, INT32S, STRINGS, INT64S, DOUBLES, UINT64S, PLACE_COUNT };

struct type_info {
    const char *name;
    int bits;         /* of an item; 0: no fixed size */
    enum place place; /* where items of that type may be, besides RAW */
};

static const struct type_info *info_of(int32_t type)
{
    static const struct type_info info[ONNX_DATA_TYPE_COUNT] = {
        [ONNX_UNDEFINED] = {"UNDEFINED", 0, NOWHERE},
        [ONNX_FLOAT] = {"FLOAT", 32, FLOATS},
        [ONNX_UINT8] = {"UINT8", 8, INT32S},
        [ONNX_INT8] = {"INT8", 8, INT32S},
        [ONNX_UINT16] = {"UINT16", 16, INT32S},
        [ONNX_INT16] = {"INT16", 16, INT32S},
        [ONNX_INT32] = {"INT32", 32, INT32S},
        [ONNX_INT64] = {"INT64", 64, INT64S},
        [ONNX_STRING] = {"STRING", 0, STRINGS},
        [ONNX_BOOL] = {"BOOL", 8, INT32S},
        [ONNX_FLOAT16] = {"FLOAT16", 16, INT32S},
        [ONNX_DOUBLE] = {"DOUBLE", 64, DOUBLES},
        [ONNX_UINT32] = {"UINT32", 32, UINT64S},
        [ONNX_UINT64] = {"UINT64", 64, UINT64S},
        [ONNX_COMPLEX64] = {"COMPLEX64", 64, FLOATS},
        [ONNX_COMPLEX128] = {"COMPLEX128", 128, DOUBLES},
        [ONNX_BFLOAT16] = {"BFLOAT16", 16, INT32S},
        [ONNX_FLOAT8E4M3FN] = {"FLOAT8E4M3FN", 8, INT32S},
        [ONNX_FLOAT8E4M3FNUZ] = {"FLOAT8E4M3FNUZ", 8, INT32S},
        [ONNX_FLOAT8E5M2] = {"FLOAT8E5M2", 8, INT32S},
        [ONNX_FLOAT8E5M2FNUZ] = {"FLOAT8E5M2FNUZ", 8, INT32S},
        [ONNX_UINT4] = {"UINT4", 4, INT32S},
        [ONNX_INT4] = {"INT4", 4, INT32S},
        [ONNX_FLOAT4E2M1] = {"FLOAT4E2M1", 4, INT32S},
        [ONNX_FLOAT8E8M0] = {"FLOAT8E8M0", 8, INT32S},
        [ONNX_UINT2] = {"UINT2", 2, INT32S},
        [ONNX_INT2] = {"INT2", 2, INT32S},
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

static const char *place_name(enum place place)
{
    static const char *const name[PLACE_COUNT] = {
        "no field",    "raw_data",   "float_data",  "int32_data",
        "string_data", "int64_data", "double_data", "uint64_data",
    };

    assert(place < PLACE_COUNT);
    return name[place];
}

static const struct onnx_packed *packed_at(const struct onnx_tensor *tensor, enum place place)
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
static size_t count_at(const struct onnx_tensor *tensor, enum place place)
{
    const struct onnx_packed *packed = packed_at(tensor, place);

    if (packed)
        return packed->count;
    if (place == RAW)
        return tensor->raw_data.size;
    return place == STRINGS ? (size_t)tensor->string_data.count : 0;
}

/* The field that has data; false, with the two of them, if there are several. */
static bool find_place(const struct onnx_tensor *tensor, enum place *found, enum place *other)
{
    *found = NOWHERE;
    for (enum place place = RAW; place < PLACE_COUNT; place++) {
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
static bool expected_count(const struct type_info *info, enum place place, int64_t volume,
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
    enum place place, other;
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
