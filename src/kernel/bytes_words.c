/*
 * bytes_words.c - layers of 16-bit integers by weights of 8 bits, as products of pairs
 *
 * Items are signed, so 2^15 is subtracted from unsigned ones.  The difference that this and the
 * zero make in the sums is subtracted from the bias.  Sums have more than 32 bits, see
 * bytes_wide.h.
 */
#include "kernel/bytes.h"
#include "kernel/pairs.h"

/* MOST_TUPLES: 32 bits hold the sum of their products, each of which is at most 2^15 * 2^7. */
enum { TUPLE = 2, MOVED = 1 << 15, MOST_TUPLES = 255 };
typedef uint16_t source;
typedef int16_t item, weight;
typedef pairs tuples, weights;

static void items_of(item *restrict to, const source *from, const struct byte_code *code,
                     int64_t count)
{
    const uint16_t flip = code->is_signed ? 0 : MOVED;

    for (int64_t i = 0; i < count; i++)
        to[i] = (item)(from[i] ^ flip);
}

static int32_t item_excess(const struct byte_code *code)
{
    return code->zero - (code->is_signed ? 0 : MOVED);
}

static item item_of_zero(const struct byte_code *code)
{
    return (item)item_excess(code);
}

static bool are_items(const struct byte_code *code)
{
    return code->is_signed;
}

#define WIDE_SUMS
#define TUPLES_ALL   pairs_all
#define WEIGHTS_LOAD pairs_load
#define ADD_PRODUCTS pairs_add_products
#define LAYER        byte_words
#define RUN_LAYER    run_byte_words
#define LAYER_NAME   "direct, pairs of words"
#include "kernel/bytes_layer.h"
