/*
 * bytes_quads.c - layers of bytes as products of four bytes each
 *
 * Items are unsigned bytes, weights are signed bytes.  So 128 is added to signed items.  The
 * difference that this and the zero make in the sums is subtracted from the bias.
 */
#include "kernel/bytes.h"
#include "kernel/pairs.h"

enum { TUPLE = 4 };
typedef uint8_t source, item;
typedef int8_t weight;
typedef quads tuples;
typedef signed_quads weights;

enum { MOVED = 128 };

static void items_of(item *restrict to, const source *from, const struct byte_code *code,
                     int64_t count)
{
    const uint8_t flip = code->is_signed ? MOVED : 0;

    for (int64_t i = 0; i < count; i++)
        to[i] = from[i] ^ flip;
}

static int32_t item_excess(const struct byte_code *code)
{
    return code->zero + (code->is_signed ? MOVED : 0);
}

static item item_of_zero(const struct byte_code *code)
{
    return (item)item_excess(code);
}

static bool are_items(const struct byte_code *code)
{
    return !code->is_signed;
}

#define TUPLES_ALL   quads_all
#define WEIGHTS_LOAD quads_load
#define ADD_PRODUCTS quads_add_products
#define LAYER        byte_quads
#define RUN_LAYER    run_byte_quads
#define LAYER_NAME   "direct, quads of bytes"
#if defined __AVX512VNNI__
#define HOLDS_FEW
#endif
#include "kernel/bytes_layer.h"
