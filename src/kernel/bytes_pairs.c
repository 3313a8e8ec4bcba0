/* bytes_pairs.c - layers of bytes as products of pairs of 16 bits, which are exact */
#include "kernel/bytes.h"
#include "kernel/pairs.h"

enum { TUPLE = 2 };
typedef uint8_t source;
typedef int16_t item, weight;
typedef pairs tuples, weights;

/* Less their zero. */
static void items_of(item *restrict to, const source *from, const struct byte_code *code,
                     int64_t count)
{
    const int8_t *with_sign = (const int8_t *)from;
    const int16_t zero = (int16_t)code->zero;

    if (code->is_signed)
        for (int64_t i = 0; i < count; i++)
            to[i] = (int16_t)(with_sign[i] - zero);
    else
        for (int64_t i = 0; i < count; i++)
            to[i] = (int16_t)(from[i] - zero);
}

static item item_of_zero(const struct byte_code *code)
{
    (void)code;
    return 0;
}

static int32_t item_excess(const struct byte_code *code)
{
    (void)code;
    return 0;
}

static bool are_items(const struct byte_code *code)
{
    (void)code;
    return false;
}

#define TUPLES_ALL   pairs_all
#define WEIGHTS_LOAD pairs_load
#define ADD_PRODUCTS pairs_add_products
#define LAYER        byte_pairs
#define RUN_LAYER    run_byte_pairs
#define LAYER_NAME   "direct, pairs of bytes"
#include "kernel/bytes_layer.h"
