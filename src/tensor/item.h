/*
 * item.h - conversion of items between files (NNEF 1.0.5, section 5.2) and memory (tensor.h)
 *
 * Floats have 16, 32 or 64 bits, booleans 1 or 8, integers 1 to 7 (packed, the first item in the
 * highest bits) or a multiple of 8 up to 64.  For other widths the standard does not settle the
 * order of bits.  Quantized items are plain integers here; graph.quant gives their meaning.
 */
#ifndef NNEFC_TENSOR_ITEM_H
#define NNEFC_TENSOR_ITEM_H

#include "tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

/* The numbers are those of a tensor file. */
enum item_type {
    ITEM_FLOAT,
    ITEM_UNSIGNED,
    ITEM_QUANTIZED_UNSIGNED,
    ITEM_QUANTIZED_SIGNED,
    ITEM_SIGNED,
    ITEM_BOOL,
    ITEM_TYPE_COUNT
};

struct item_format {
    enum item_type type;
    int bits;
    bool big_endian; /* of items of whole bytes; only .npy files may be */
};

const char *item_type_name(enum item_type type);

/* The type in memory: scalar, integer or logical. */
enum dtype item_dtype(enum item_type type);

/* The format that keeps every item exactly: float 32, signed integer 64, bool 8. */
struct item_format item_format_of(enum dtype dtype);

/* The same of a tensor, whose integers may have no sign. */
struct item_format tensor_item_format(const struct tensor *tensor);

/* Integers of 64 bits without a sign, which memory holds as those with a sign of the same bits. */
static inline bool item_format_is_huge(const struct item_format *format)
{
    return format->type == ITEM_UNSIGNED && format->bits == 64;
}

/* Whether the width is one of those above. */
bool item_format_valid(const struct item_format *format);

/* Bytes of `count` items, the last byte padded; count * bits must fit int64_t. */
int64_t item_bytes(const struct item_format *format, int64_t count);

/* The most bytes that a file of `count` items may have, in any format; INT64_MAX if too many. */
int64_t item_bytes_most(int64_t count);

/*
 * Fill `to`, allocated with item_dtype(), from item_bytes() bytes.  `from` may be NULL if there are
 * no items.  An integer above INT64_MAX makes the tensor one without a sign.
 */
void items_decode(const struct item_format *format, const void *from, struct tensor *to);

/* The first item of a tensor of integers that the format has not; -1: it has all of them. */
int64_t items_beyond(const struct item_format *format, const struct tensor *tensor);

/* Whether 32 bits hold the number: it stays finite, and loses at most a millionth of its value. */
bool float_holds(double number);

/* The first of the items, floats of 64 bits, of which that is not so; false: none, or no such. */
struct lost_item {
    int64_t index;
    double number;
};
bool items_lose(const struct item_format *format, const void *from, int64_t count,
                struct lost_item *lost);

/*
 * Convert the items begin <= index < end to item_bytes(format, end - begin) bytes; `begin` is a
 * multiple of 8, the format is little-endian and the tensor has dtype item_dtype().  Floats are
 * rounded to nearest, ties to even.  False for an integer that needs more bits; *bad is its index.
 */
struct item_range {
    int64_t begin, end;
};
bool items_encode(const struct item_format *format, const struct tensor *from,
                  struct item_range range, void *to, int64_t *bad);

/* IEEE 754 binary16, with subnormals, infinities and NaN. */
float float16_decode(uint16_t bits);
uint16_t float16_encode(float value);

/* bfloat16, the upper half of a float, likewise. */
float bfloat16_decode(uint16_t bits);
uint16_t bfloat16_encode(float value);

#endif
