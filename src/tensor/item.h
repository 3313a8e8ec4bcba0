/*
 * item.h - items as files hold them (NNEF 1.0.5, section 5.2) and as memory does (dtype.h)
 *
 * Floats have 16, 32 or 64 bits, booleans 1 or 8, integers 1 to 7 (packed, the first item in the
 * highest bits) or a multiple of 8 up to 64. Quantized items are integers here: their meaning is
 * in graph.quant. Items of other widths have no order of bits that the standard settles.
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
    bool big_endian; /* of whole-byte items; tensor files never are, .npy may be */
};

const char *item_type_name(enum item_type type);

/* How memory holds it: scalar, integer or logical. */
enum dtype item_dtype(enum item_type type);

/* The format that loses nothing: float 32, signed integer 64, bool 8. */
struct item_format item_format_of(enum dtype dtype);

/* Whether the width is one of those above. */
bool item_format_valid(const struct item_format *format);

/* Bytes of `count` items, the last byte padded; count * bits must fit int64_t. */
int64_t item_bytes(const struct item_format *format, int64_t count);

/* No file of `count` items has more bytes than that, whatever their format. */
int64_t item_bytes_most(int64_t count);

/*
 * Fill `to`, allocated with item_dtype(), from item_bytes() bytes; of no items `from` may be NULL.
 * False, with the index of the item in *bad, for an unsigned integer above INT64_MAX.
 */
bool items_decode(const struct item_format *format, const void *from, struct tensor *to,
                  int64_t *bad);

/*
 * Items begin <= index < end into item_bytes(format, end - begin) bytes; `begin` is a multiple of
 * 8.  Floats are rounded to nearest even.  False, with the index in *bad, for an integer that
 * needs more bits.  The tensor has dtype item_dtype().
 */
struct item_range {
    int64_t begin, end;
};
bool items_encode(const struct item_format *format, const struct tensor *from,
                  struct item_range range, void *to, int64_t *bad);

/* IEEE 754 binary16, with subnormals, infinities and NaN. */
float float16_decode(uint16_t bits);
uint16_t float16_encode(float value);

#endif
