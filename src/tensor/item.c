/* item.c - converts items; item.h describes the widths and the order of bits */
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

struct item_format tensor_item_format(const struct tensor *tensor)
{
    struct item_format format = item_format_of(tensor->dtype);

    assert(!tensor->is_unsigned || tensor->dtype == DTYPE_INTEGER);
    if (tensor->is_unsigned)
        format.type = ITEM_UNSIGNED;
    return format;
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

/* The bits of item `index`; a packed one may lie in two bytes. */
static uint64_t load_item(const struct item_format *format, const unsigned char *from,
                          int64_t index)
{
    int size = format->bits / 8;
    uint64_t value = 0;

    if (format->bits < 8) {
        int64_t bit = index * format->bits;
        int offset = (int)(bit % 8), end = offset + format->bits;
        const unsigned char *at = from + bit / 8;
        unsigned pair = (unsigned)at[0] << 8 | (end > 8 ? at[1] : 0u);
        return pair >> (16 - end) & ((1u << format->bits) - 1);
    }
    if (!format->big_endian)
        return bytes_load(from + index * size, size);
    for (int i = 0; i < size; i++)
        value = value << 8 | from[index * size + i];
    return value;
}

/* Weights of quantized networks are many: this loop is one that compilers vectorize. */
static void decode_bytes(bool has_sign, const unsigned char *restrict from, int64_t *restrict item,
                         int64_t count)
{
    if (has_sign)
        for (int64_t i = 0; i < count; i++)
            item[i] = (from[i] ^ 0x80) - 0x80; /* the highest bit is the sign */
    else
        for (int64_t i = 0; i < count; i++)
            item[i] = from[i];
}

static void decode_integers(const struct item_format *format, const unsigned char *from,
                            struct tensor *to)
{
    const uint64_t sign = is_signed(format->type) ? UINT64_C(1) << (format->bits - 1) : 0;
    int64_t *item = to->data, count = shape_volume(&to->shape);

    if (format->bits == 8) {
        decode_bytes(sign, from, item, count);
        to->is_unsigned = false;
        return;
    }

    to->is_unsigned = false;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = load_item(format, from, i);
        if (bits & sign)
            item[i] = -(int64_t)(sign - 1 - (bits & (sign - 1))) - 1; /* two's complement */
        else
            item[i] = (int64_t)bits;
        to->is_unsigned |= !sign && item[i] < 0;
    }
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
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = load_item(format, from, i);
        double wide;
        if (format->bits == 64) {
            memcpy(&wide, &bits, sizeof wide);
            item[i] = (float)wide;
        } else
            item[i] =
                format->bits == 16 ? float16_decode((uint16_t)bits) : float_of_bits((uint32_t)bits);
    }
}

bool float_holds(double number)
{
    double kept = (double)(float)number;

    return !isfinite(number) || fabs(kept - number) <= 1e-6 * fabs(number);
}

bool items_lose(const struct item_format *format, const void *from, int64_t count,
                struct lost_item *lost)
{
    assert(count >= 0);
    if (format->type != ITEM_FLOAT || format->bits != 64)
        return false;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = load_item(format, from, i);
        memcpy(&lost->number, &bits, sizeof bits);
        lost->index = i;
        if (!float_holds(lost->number))
            return true;
    }
    return false;
}

void items_decode(const struct item_format *format, const void *from, struct tensor *to)
{
    assert(item_format_valid(format) && to->dtype == item_dtype(format->type));
    if (to->dtype == DTYPE_SCALAR)
        decode_floats(format, from, to);
    else if (to->dtype == DTYPE_INTEGER)
        decode_integers(format, from, to);
    else
        for (int64_t i = 0, count = shape_volume(&to->shape); i < count; i++)
            ((unsigned char *)to->data)[i] = load_item(format, from, i) != 0;
}

/* Has the format that integer of the tensor? */
static bool has_integer(const struct item_format *format, const struct tensor *tensor,
                        int64_t index)
{
    int64_t item = tensor_integer(tensor, index);
    const bool has_sign = is_signed(format->type);
    const int bits = format->bits - has_sign; /* of its size */

    if (item < 0 && tensor->is_unsigned)
        return bits == 64;
    return item < 0 ? has_sign && (bits >= 63 || item >= -(INT64_C(1) << bits))
                    : bits >= 63 || item < INT64_C(1) << bits;
}

int64_t items_beyond(const struct item_format *format, const struct tensor *tensor)
{
    int64_t count = shape_volume(&tensor->shape);

    assert(tensor->dtype == DTYPE_INTEGER && item_dtype(format->type) == DTYPE_INTEGER);
    if (is_signed(format->type) && format->bits == 64 && !tensor->is_unsigned)
        return -1;
    for (int64_t i = 0; i < count; i++)
        if (!has_integer(format, tensor, i))
            return i;
    return -1;
}

/* The bits of item `index` of `from`; false if it does not fit. */
static bool item_of(const struct item_format *format, const struct tensor *from, int64_t index,
                    uint64_t *item)
{
    int64_t integer;
    int bits = format->bits;
    float value;
    double wide;

    assert(dtype_size(from->dtype) > 0 && bits >= 1 && bits <= 64);
    switch (from->dtype) {
    case DTYPE_SCALAR:
        value = ((const float *)from->data)[index];
        wide = (double)value;
        if (bits == 64)
            memcpy(item, &wide, sizeof wide);
        else
            *item = bits == 16 ? float16_encode(value) : bits_of_float(value);
        return true;
    case DTYPE_INTEGER:
        integer = tensor_integer(from, index);
        *item = (uint64_t)integer & (UINT64_MAX >> (64 - bits));
        return has_integer(format, from, index);
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
    int width = format->bits;
    unsigned char *bytes = to;
    uint64_t item;

    assert(range.begin % 8 == 0 && range.begin <= range.end);
    assert(!format->big_endian && from->dtype == item_dtype(format->type));
    memset(to, 0, (size_t)item_bytes(format, range.end - range.begin));
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t bit = (i - range.begin) * width;
        if (!item_of(format, from, i, &item)) {
            *bad = i;
            return false;
        }
        if (width >= 8) {
            bytes_store(bytes + bit / 8, width / 8, item);
            continue;
        }
        /* A packed item may lie in two bytes. */
        int end = (int)(bit % 8) + width;
        unsigned pair = (unsigned)item << (16 - end);
        bytes[bit / 8] |= (unsigned char)(pair >> 8);
        if (end > 8)
            bytes[bit / 8 + 1] |= (unsigned char)(pair & 0xFF);
    }
    return true;
}

/*
 * --- IEEE 754 binary16: sign 1, exponent 5 (bias 15), fraction 10 ---
 *
 * As a float, with exponent 8 (bias 127) and fraction 23, every binary16 is exact and normal.
 */

float float16_decode(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    uint32_t exponent = bits >> 10 & 0x1Fu, fraction = bits & 0x3FFu;

    if (exponent == 0) {
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    exponent = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
    return float_of_bits(sign | exponent << 23 | fraction << 13);
}

/* `value` >> `shift`, rounded to nearest, ties to even; shift > 0. */
static uint32_t shift_rounded(uint32_t value, int shift)
{
    uint32_t half = 1u << (shift - 1), rest = value & (half * 2 - 1), whole = value >> shift;

    return whole + (rest > half || (rest == half && whole % 2));
}

uint16_t float16_encode(float value)
{
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    int exponent = (int)(magnitude >> 23) - (127 - 15);

    if (isnan(value)) {
        uint32_t payload = magnitude >> 13 & 0x3FFu;
        return (uint16_t)(sign | 0x7C00u | (payload ? payload : 0x200u));
    }
    if (exponent >= 0x1F)
        return (uint16_t)(sign | 0x7C00u);
    if (exponent < -10)
        return (uint16_t)sign;
    if (exponent <= 0) /* subnormal: the leading 1 becomes part of the fraction */
        return (uint16_t)(sign | shift_rounded((magnitude & 0x7FFFFFu) | 0x800000u, 14 - exponent));
    /* A fraction that is rounded up to the next power of two carries into the exponent. */
    return (uint16_t)(sign | shift_rounded(magnitude - ((127u - 15u) << 23), 13));
}

/* --- bfloat16 --- */

float bfloat16_decode(uint16_t bits)
{
    return float_of_bits((uint32_t)bits << 16);
}

/* A NaN stays one though all of its fraction may be in the lower half. */
uint16_t bfloat16_encode(float value)
{
    uint32_t bits = bits_of_float(value);

    if (isnan(value))
        return (uint16_t)(bits >> 16 | (bits >> 16 & 0x7Fu ? 0 : 0x40u));
    return (uint16_t)shift_rounded(bits, 16);
}
