/* weights.c - constants as C, or as bytes of a file */
#include "backend/c/writer.h"
#include "base/arena.h"
#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vectors of the kernels read so many items behind the last one; a row of a string literal has so
 * many bytes, within what C99 promises; the file aligns arrays for any vector. */
enum { ROOM = C_ROOM, ROW_BYTES = 4000, IN_LINE = 8, ALIGNMENT = 64, WIDEST = 8 };

const struct c_type c_float = {"float", 4, true}, c_truth = {"unsigned char", 1, false},
                    c_uint8 = {"uint8_t", 1, false}, c_int8 = {"int8_t", 1, true},
                    c_int16 = {"int16_t", 2, true}, c_int32 = {"int32_t", 4, true},
                    c_int64 = {"int64_t", 8, true};

const struct c_type *c_type_of(enum dtype dtype)
{
    return dtype == DTYPE_SCALAR ? &c_float : dtype == DTYPE_INTEGER ? &c_int64 : &c_truth;
}

/* Both of these go by the locale of the program, which what is written must not. */
static bool reads_back(float item, int precision)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%.*g", precision, (double)item);
    return strtof(digits, NULL) == item;
}

/* Powers of ten that a double holds. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* x * 10^power, rounded once. */
static double scaled(double x, int power)
{
    return power < 0 ? x / tens[-power] : x * tens[power];
}

/* Is a double so near to the middle of two floats that rounding twice may go wrong? */
static bool is_halfway(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits &= (UINT64_C(1) << 29) - 1;
    return bits >= (UINT64_C(1) << 28) - 2 && bits <= (UINT64_C(1) << 28) + 2;
}

/* A number as the decimal `digits`: so many are its `precision`, and the first is for 10^exponent.
 */
struct decimal {
    double digits;
    int precision, exponent;
    bool certain; /* they are those nearest to the number; else rounding matters */
};

static struct decimal decimal_of(double size, int exponent, int precision)
{
    const double exact = scaled(size, precision - 1 - exponent);
    const double whole = (double)(int64_t)exact, rest = exact - whole - 0.5;

    return (struct decimal){rest > 0 ? whole + 1 : whole, precision, exponent, fabs(rest) >= 1e-6};
}

static bool decimal_reads_back(const struct decimal *d, float item)
{
    const double back = scaled(d->digits, d->exponent + 1 - d->precision);

    return d->certain && !is_halfway(back) ? (float)back == fabsf(item)
                                           : reads_back(item, d->precision);
}

/* With as many digits as are enough.  Most weights need 8 or 9. */
static struct decimal shortest(float item)
{
    static const int fewer[] = {1, 3, 5, 6}, more[] = {7, 8, 9};
    const double size = fabs((double)item);
    int exponent = 0, i = 0;

    while (size >= tens[exponent + 1])
        exponent++;
    while (size < scaled(1, exponent))
        exponent--;
    struct decimal d = decimal_of(size, exponent, 6);
    const int *precisions = decimal_reads_back(&d, item) ? fewer : more;
    do
        d = decimal_of(size, exponent, precisions[i++]);
    while (precisions[i - 1] != 6 && precisions[i - 1] != 9 && !decimal_reads_back(&d, item));
    return d;
}

/* As "%.*g" prints it if that needs no exponent, with '.' always. */
static void add_decimal(struct text *to, const struct decimal *d, bool negative)
{
    char text[24], *begin = text + sizeof text;
    uint32_t digits = (uint32_t)d->digits;
    int behind = d->precision - 1 - d->exponent;

    for (; behind > 0 && digits % 10 == 0; behind--)
        digits /= 10;
    if (behind == 0)
        *--begin = '0';
    for (; behind > 0; behind--, digits /= 10)
        *--begin = (char)('0' + digits % 10);
    *--begin = '.';
    do
        *--begin = (char)('0' + digits % 10);
    while (digits /= 10);
    if (negative)
        *--begin = '-';
    text_add_bytes(to, begin, (size_t)(text + sizeof text - begin));
}

/* The shortest decimal that reads back as that float, for numbers that a double need not scale. */
static void add_slowly(struct text *to, float item, int precision)
{
    size_t before = to->size;

    while (precision < 9 && !reads_back(item, precision))
        precision++;
    text_add(to, "%.*g", precision, (double)item);
    if (!strpbrk(to->data + before, ".e"))
        text_add_bytes(to, ".0", 2);
}

/* The shortest decimal that reads back as that float. */
static void add_float(struct text *to, float item)
{
    const float size = fabsf(item);

    if (!isfinite(item)) {
        text_add(to, "%s", isnan(item) ? "NAN" : item < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    if (size >= 1e-9F && size < 1e9F) {
        struct decimal d = shortest(item);
        if (d.certain && d.exponent >= -4 && d.exponent < d.precision)
            add_decimal(to, &d, item < 0);
        else
            add_slowly(to, item, d.precision);
    } else
        add_slowly(to, item, 1);
    text_add_bytes(to, "F", 1);
}

void c_number(struct text *to, double value)
{
    bool negative = signbit((float)value) && !isnan(value);

    text_add(to, "%s", negative ? "(" : "");
    add_float(to, (float)value);
    text_add(to, "%s", negative ? ")" : "");
}

void c_double(struct text *to, double value)
{
    const bool negative = signbit(value);
    char digits[32];
    int precision = 0;

    do
        snprintf(digits, sizeof digits, "%.*g", ++precision, value);
    while (precision < 17 && !(strtod(digits, NULL) == value));
    text_add(to, "%s", negative ? "(" : "");
    const size_t before = to->size;
    if (isfinite(value))
        text_add(to, "%.*g", precision, value);
    else
        text_add(to, "%s(double)%s", negative ? "-" : "", isnan(value) ? "NAN" : "INFINITY");
    if (isfinite(value) && !strpbrk(to->data + before, ".e"))
        text_add(to, ".0");
    text_add(to, "%s", negative ? ")" : "");
}

void c_integer(struct text *to, int64_t value)
{
    if (value == INT64_MIN)
        text_add(to, "(%" PRId64 " - 1)", value + 1);
    else
        text_add(to, "%" PRId64, value);
}

const struct tensor *c_constant(const struct value *value)
{
    const bool changes = value->kind == VALUE_VARIABLE && value->source->updated;

    return (value->kind == VALUE_CONSTANT || value->kind == VALUE_VARIABLE) && !changes
               ? value->source->tensor
               : NULL;
}

bool c_is_within(const struct value *value, int64_t low, int64_t high)
{
    const struct tensor *tensor = c_constant(value);

    if (!tensor || value->dtype != DTYPE_INTEGER)
        return false;
    for (int64_t i = 0, count = shape_volume(&tensor->shape); i < count; i++) {
        int64_t item = tensor_integer(tensor, i);
        if (item < low || item > high)
            return false;
    }
    return true;
}

const struct c_type *c_narrowest(const int64_t *items, int64_t count)
{
    int64_t low = 0, high = 0;

    for (int64_t i = 0; i < count; i++) {
        low = items[i] < low ? items[i] : low;
        high = items[i] > high ? items[i] : high;
    }
    if (low >= 0 && high <= UINT8_MAX)
        return &c_uint8;
    if (low >= INT8_MIN && high <= INT8_MAX)
        return &c_int8;
    if (low >= INT16_MIN && high <= INT16_MAX)
        return &c_int16;
    return low >= INT32_MIN && high <= INT32_MAX ? &c_int32 : &c_int64;
}

/* --- the forms ------------------------------------------------------------------------------- */

static int64_t item_at(const struct c_block *block, int64_t i)
{
    if (block->dtype == DTYPE_INTEGER)
        return ((const int64_t *)block->items)[i];
    const unsigned char byte = ((const unsigned char *)block->items)[i];
    return block->type->is_signed ? (int8_t)byte : byte;
}

static void add_array(struct c_writer *writer, struct text *to, const struct c_block *block)
{
    text_add(to, "static const %s %s[%" PRId64 "] %s_WEIGHTS_ATTRIBUTE = {", block->type->name,
             block->address, block->count + ROOM, writer->capitals);
    for (int64_t i = 0; i < block->count; i++) {
        text_add_bytes(to, "\n    ", i % IN_LINE == 0 ? 5 : 0);
        text_add_bytes(to, " ", i % IN_LINE == 0 ? 0 : 1);
        if (block->dtype == DTYPE_SCALAR)
            add_float(to, ((const float *)block->items)[i]);
        else
            c_integer(to, item_at(block, i));
        text_add_bytes(to, ",", 1);
    }
    text_add(to, "%s};\n", block->count > 0 ? "\n" : "0");
}

/* An item as a small machine has it: `size` bytes. */
static void add_item_bytes(const struct c_block *block, int64_t i, int64_t size,
                           unsigned char *bytes)
{
    uint64_t bits;
    uint32_t scalar;

    if (block->dtype == DTYPE_SCALAR) {
        memcpy(&scalar, (const float *)block->items + i, sizeof scalar);
        bits = scalar;
    } else {
        bits = (uint64_t)item_at(block, i);
    }
    for (int64_t k = 0; k < size; k++)
        bytes[k] = (unsigned char)(bits >> 8 * k);
}

/* Rows are as short as so many of them can be: what is behind the items takes memory. */
static void add_string(struct c_writer *writer, struct text *to, const struct c_block *block,
                       const char *name)
{
    const int64_t size = block->type->size, all = (block->count + ROOM) * size;
    const int64_t rows = num_divide_up(all, ROW_BYTES);
    const int64_t row = num_divide_up(num_divide_up(all, rows), WIDEST) * WIDEST;

    text_add(to,
             "static const union {\n    char bytes[%" PRId64 "][%" PRId64
             "];\n    %s items[%" PRId64 "];\n} %s %s_WEIGHTS_ATTRIBUTE = {{",
             rows, row, block->type->name, rows * row / size, name, writer->capitals);
    for (int64_t i = 0; i < block->count; i++) {
        unsigned char bytes[WIDEST];
        if (i % (row / size) == 0)
            text_add(to, "%s\n    \"", i > 0 ? "\"," : "");
        add_item_bytes(block, i, size, bytes);
        for (int64_t k = 0; k < size; k++) {
            bool plain = bytes[k] >= ' ' && bytes[k] < 0x7f && !strchr("\"\\?", bytes[k]);
            text_add(to, plain ? "%c" : "\\%03o", bytes[k]);
        }
    }
    text_add(to, "%s\n}};\n", block->count > 0 ? "\"" : "\"\"");
}

/* The bytes of all items, piece by piece. */
static void each_bytes(const struct c_block *block,
                       void (*take)(void *to, const void *bytes, size_t size), void *to)
{
    const int64_t size = block->type->size;
    unsigned char bytes[ROW_BYTES];
    size_t count = 0;

    for (int64_t i = 0; i < block->count; i++) {
        add_item_bytes(block, i, size, bytes + count);
        count += (size_t)size;
        if (count == sizeof bytes || i + 1 == block->count) {
            take(to, bytes, count);
            count = 0;
        }
    }
}

static void take_text(void *to, const void *bytes, size_t size)
{
    text_add_bytes(to, bytes, size);
}

static void take_digest(void *to, const void *bytes, size_t size)
{
    sha1_add(to, bytes, size);
}

/* Returns where it begins. */
static size_t add_to_file(struct text *to, const struct c_block *block)
{
    static const char zeros[ALIGNMENT + ROOM * WIDEST] = {0};
    const size_t at = to->size;

    each_bytes(block, take_text, to);
    text_add_bytes(to, zeros, ROOM * (size_t)block->type->size);
    text_add_bytes(to, zeros, (ALIGNMENT - to->size % ALIGNMENT) % ALIGNMENT);
    return at;
}

const char *c_block(struct c_writer *writer, const struct c_block *wanted, struct text *to)
{
    struct c_block block = *wanted;

    if (block.count > INT32_MAX - ROOM) {
        writer->overflows = true;
        return "NULL";
    }
    for (int i = 0; i < writer->nblock; i++)
        if (writer->blocks[i].items == block.items && writer->blocks[i].count == block.count &&
            writer->blocks[i].type == block.type)
            return writer->blocks[i].address;
    const char *name =
        text_format(writer->arena, "%s_c%d", writer->options->prefix, writer->nblock);
    block.address = name;
    switch (writer->options->weights) {
    case C_WEIGHTS_ARRAY:
        add_array(writer, to, &block);
        break;
    case C_WEIGHTS_STRING:
        block.address = text_format(writer->arena, "%s.items", name);
        add_string(writer, to, &block, name);
        break;
    case C_WEIGHTS_FILE:
        block.address = text_format(writer->arena, "(const %s *)(const void *)(weights + %zu)",
                                    block.type->name, add_to_file(&writer->files->weights, &block));
        break;
    }
    each_bytes(&block, take_digest, &writer->sha1);
    writer->weight_bytes += block.count * block.type->size;
    writer->blocks =
        arena_list(writer->arena, writer->blocks, writer->nblock, sizeof *writer->blocks);
    writer->blocks[writer->nblock++] = block;
    return block.address;
}

void c_open_weights(struct text *to)
{
    text_add(to, "    const unsigned char *weights = (const unsigned char *)items;\n\n    "
                 "(void)weights;\n");
}

static const char *pass(struct c_writer *writer, const struct c_block *block)
{
    const char *address = c_block(writer, block, &writer->data);

    writer->passed =
        arena_list(writer->arena, writer->passed, writer->npassed, sizeof *writer->passed);
    writer->passed[writer->npassed] = (struct c_passed){address, block->type};
    return text_format(writer->arena, "w%d", writer->npassed++);
}

const char *c_floats(struct c_writer *writer, const float *items, int64_t count)
{
    return pass(writer, &(struct c_block){items, count, DTYPE_SCALAR, &c_float, NULL});
}

const char *c_integers(struct c_writer *writer, const int64_t *items, int64_t count,
                       const struct c_type *type)
{
    return pass(writer, &(struct c_block){items, count, DTYPE_INTEGER, type, NULL});
}

const char *c_bytes(struct c_writer *writer, const uint8_t *items, int64_t count)
{
    return pass(writer, &(struct c_block){items, count, DTYPE_LOGICAL, &c_uint8, NULL});
}
