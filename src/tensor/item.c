/* item.c - conversion of items; see item.h for the widths and the order of bits */
#include "tensor/item.h"

#include "tensor/bytes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *item_type_name(enum item_type type)
{
    static const char *const name[] = {
        [ITEM_FLOAT] = "float",
        [ITEM_UNSIGNED] = "unsigned integer",
        [ITEM_QUANTIZED_UNSIGNED] = "quantized unsigned integer",
        [ITEM_QUANTIZED_SIGNED] = "quantized signed integer",
        [ITEM_SIGNED] = "signed integer",
        [ITEM_BOOL] = "bool",
    };

    assert(type < ITEM_TYPE_COUNT);
    return name[type];
}

enum dtype item_dtype(enum item_type type)
{
    if (type == ITEM_FLOAT)
        return DTYPE_SCALAR;
    return type == ITEM_BOOL ? DTYPE_LOGICAL : DTYPE_INTEGER;
}

struct item_format item_format_of(enum dtype dtype)
{
    if (dtype == DTYPE_INTEGER)
        return (struct item_format){ITEM_SIGNED, 64, false};
    if (dtype == DTYPE_LOGICAL)
        return (struct item_format){ITEM_BOOL, 8, false};
    assert(dtype == DTYPE_SCALAR);
    return (struct item_format){ITEM_FLOAT, 32, false};
}

bool item_format_valid(const struct item_format *format)
{
    int bits = format->bits;

    if (format->type == ITEM_FLOAT)
        return bits == 16 || bits == 32 || bits == 64;
    if (format->type == ITEM_BOOL)
        return bits == 1 || bits == 8;
    return bits >= 1 && bits <= 64 && (bits < 8 || bits % 8 == 0);
}

int64_t item_bytes(const struct item_format *format, int64_t count)
{
    int64_t bits = count * format->bits;

    assert(count >= 0 && format->bits >= 0);
    return bits / 8 + (bits % 8 != 0);
}

int64_t item_bytes_most(int64_t count)
{
    enum { HEADER_ROOM = 64 * 1024, ITEM_ROOM = 8 };

    assert(count >= 0);
    return count > (INT64_MAX - HEADER_ROOM) / ITEM_ROOM ? INT64_MAX
                                                         : count * ITEM_ROOM + HEADER_ROOM;
}

static bool is_signed(enum item_type type)
{
    return type == ITEM_SIGNED || type == ITEM_QUANTIZED_SIGNED;
}

/* Bit `index * width` and the `width` - 1 after it, counted from the highest bit of byte 0. */
static uint64_t load_packed(const unsigned char *from, int64_t index, int width)
{
    int64_t bit = index * width;
    int offset = (int)(bit % 8);
    const unsigned char *at = from + bit / 8;
    unsigned pair = (unsigned)at[0] << 8 | (offset + width > 8 ? at[1] : 0u);

    return pair >> (16 - offset - width) & ((1u << width) - 1);
}

/* Into zeroed memory. */
static void store_packed(unsigned char *to, int64_t index, int width, uint64_t value)
{
    int64_t bit = index * width;
    int offset = (int)(bit % 8);
    unsigned pair = (unsigned)value << (16 - offset - width);

    to[bit / 8] |= (unsigned char)(pair >> 8);
    if (offset + width > 8)
        to[bit / 8 + 1] |= (unsigned char)(pair & 0xFF);
}

static uint64_t load_item(const struct item_format *format, const unsigned char *from,
                          int64_t index)
{
    int size = format->bits / 8;
    uint64_t value = 0;

    if (format->bits < 8)
        return load_packed(from, index, format->bits);
    if (!format->big_endian)
        return bytes_load(from + index * size, size);
    for (int i = 0; i < size; i++)
        value = value << 8 | from[index * size + i];
    return value;
}

static void store_item(const struct item_format *format, unsigned char *to, int64_t index,
                       uint64_t value)
{
    int size = format->bits / 8;

    assert(!format->big_endian);
    if (format->bits < 8)
        store_packed(to, index, format->bits, value);
    else
        bytes_store(to + index * size, size, value);
}

static float float_of_item(int bits, uint64_t item)
{
    uint32_t narrow = (uint32_t)item;
    float value;
    double wide;

    if (bits == 16)
        return float16_decode((uint16_t)item);
    if (bits == 64) {
        memcpy(&wide, &item, sizeof wide);
        return (float)wide;
    }
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static uint64_t item_of_float(int bits, float value)
{
    double wide = (double)value;
    uint32_t narrow;
    uint64_t item;

    if (bits == 16)
        return float16_encode(value);
    if (bits == 64) {
        memcpy(&item, &wide, sizeof item);
        return item;
    }
    memcpy(&narrow, &value, sizeof narrow);
    return narrow;
}

/* False if the integer does not fit int64_t. */
static bool integer_of_item(const struct item_format *format, uint64_t item, int64_t *value)
{
    uint64_t sign = UINT64_C(1) << (format->bits - 1);

    if (is_signed(format->type) && (item & sign))
        *value = -(int64_t)(sign - 1 - (item & (sign - 1))) - 1;
    else if (item > INT64_MAX)
        return false;
    else
        *value = (int64_t)item;
    return true;
}

static bool decode_integers(const struct item_format *format, const unsigned char *from,
                            struct tensor *to, int64_t *bad)
{
    int64_t *item = to->data, count = shape_volume(&to->shape);

    for (int64_t i = 0; i < count; i++)
        if (!integer_of_item(format, load_item(format, from, i), &item[i])) {
            *bad = i;
            return false;
        }
    return true;
}

static void decode_floats(const struct item_format *format, const unsigned char *from,
                          struct tensor *to)
{
    int64_t count = shape_volume(&to->shape);
    float *item = to->data;

    if (count > 0 && format->bits == 32 && format->big_endian == !bytes_are_native()) {
        memcpy(item, from, (size_t)count * sizeof *item);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        item[i] = float_of_item(format->bits, load_item(format, from, i));
}

bool items_decode(const struct item_format *format, const void *from, struct tensor *to,
                  int64_t *bad)
{
    assert(to->dtype == item_dtype(format->type));
    switch (item_dtype(format->type)) {
    case DTYPE_SCALAR:
        decode_floats(format, from, to);
        return true;
    case DTYPE_INTEGER:
        return decode_integers(format, from, to, bad);
    case DTYPE_LOGICAL: {
        int64_t count = shape_volume(&to->shape);
        unsigned char *item = to->data;

        for (int64_t i = 0; i < count; i++)
            item[i] = load_item(format, from, i) != 0;
    }
        return true;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return false;
}

/* Item `index` of `from` as its bits; false if it does not fit. */
static bool item_of(const struct item_format *format, const struct tensor *from, int64_t index,
                    uint64_t *item)
{
    int64_t integer;

    assert(dtype_size(from->dtype) > 0);
    switch (from->dtype) {
    case DTYPE_SCALAR:
        *item = item_of_float(format->bits, ((const float *)from->data)[index]);
        return true;
    case DTYPE_INTEGER:
        integer = ((const int64_t *)from->data)[index];
        *item = (uint64_t)integer & (UINT64_MAX >> (64 - format->bits));
        int bits = format->bits;
        if (is_signed(format->type))
            return bits == 64 ||
                   (integer >= -(INT64_C(1) << (bits - 1)) && integer < INT64_C(1) << (bits - 1));
        return integer >= 0 && (bits >= 63 || integer < INT64_C(1) << bits);
    case DTYPE_LOGICAL:
        *item = ((const unsigned char *)from->data)[index] != 0;
        return true;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        break;
    }
    return false;
}

bool items_encode(const struct item_format *format, const struct tensor *from,
                  struct item_range range, void *to, int64_t *bad)
{
    uint64_t item;

    assert(range.begin % 8 == 0 && from->dtype == item_dtype(format->type));
    memset(to, 0, (size_t)item_bytes(format, range.end - range.begin));
    for (int64_t i = range.begin; i < range.end; i++) {
        if (!item_of(format, from, i, &item)) {
            *bad = i;
            return false;
        }
        store_item(format, to, i - range.begin, item);
    }
    return true;
}
