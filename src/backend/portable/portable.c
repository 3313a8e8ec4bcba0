/* portable.c - the table of the portable backend, which needs nothing but a processor */
#include "backend/portable/portable.h"

#include "backend/portable/block_product.h"
#include "backend/portable/conv.h"
#include "backend/portable/quantized.h"
#include "kernel/pool.h"

/* A row: the operator, the names of its functions, the bytes of its match.  Of two rows for one
 * operator, the first that takes a group does it. */
#define MATCHED(name, match_, make_, size)                                       \
    {                                                                            \
        .op = OP_##name, .match_size = size, .match = portable_##match_##_match, \
        .make = portable_##make_##_make                                          \
    }
#define ROW(name, match, make) MATCHED(name, match, make, 0)

/* The same of operators that know integers that lie as bytes.  LONGER: and go on where another row
 * has begun. */
#define BYTES_ROW(name, name_, size, longer)                                    \
    {                                                                           \
        .op = OP_##name, .match_size = size, .match = portable_##name_##_match, \
        .make = portable_##name_##_make, .bytes = true, .goes_on = longer       \
    }
#define BYTES(name, name_, size)  BYTES_ROW(name, name_, size, false)
#define LONGER(name, name_, size) BYTES_ROW(name, name_, size, true)
#define MOVE(name)                BYTES(name, move, 0)

static const struct fast_op ops[] = {
#define MAP(name, weight, formula) ROW(name, chain, chain),
#include "kernel/map.def"
#undef MAP
#define CALL(name) ROW(name, chain, chain),
#include "backend/portable/chain.def"
#undef CALL
    MATCHED(conv, conv, conv, sizeof(struct conv_match)),
    {.op = OP_conv,
     .match_size = sizeof(struct cascade_match),
     .match = portable_cascade_match,
     .make = portable_cascade_make,
     .goes_on = true},
    MATCHED(deconv, conv, conv, sizeof(struct conv_match)),
    MATCHED(linear, matrix, matrix, sizeof(struct conv_match)),
    MATCHED(matmul, matrix, matrix, sizeof(struct conv_match)),
    ROW(matmul, product, product),
    ROW(attention, product, attention),
    ROW(masked_attention, product, attention),
    MATCHED(max_pool, pool, pool, sizeof(struct image_pool)),
    MATCHED(avg_pool, pool, pool, sizeof(struct image_pool)),
    MATCHED(box, pool, pool, sizeof(struct image_pool)),
    ROW(multilinear_upsample, upsample, upsample),
    ROW(sum_reduce, reduction, reduction),
    ROW(mean_reduce, reduction, reduction),
    ROW(max_reduce, reduction, reduction),
    ROW(min_reduce, reduction, reduction),
    ROW(softmax, reduction, softmax),
    ROW(layer_normalization, normalize, normalize),
    ROW(rms_normalization, normalize, normalize),
    BYTES(quantized_conv, byte_layer, sizeof(struct byte_match)),
    BYTES(quantized_matmul, byte_layer, sizeof(struct byte_match)),
    MATCHED(block_matmul, block_product, block_product, sizeof(struct block_match)),
    BYTES(quantize, bytes, sizeof(struct byte_items)),
    LONGER(dequantize, byte_pool, sizeof(struct byte_group)),
    LONGER(dequantize, byte_upsample, sizeof(struct byte_upsample)),
    LONGER(dequantize, byte_table, sizeof(struct byte_group)),
    BYTES(dequantize, bytes, sizeof(struct byte_items)),
    BYTES(integer_sum_reduce, byte_sums, 0),
    LONGER(quantized_add, byte_table, sizeof(struct byte_group)),
    BYTES(quantized_add, bytes, sizeof(struct byte_items)),
    LONGER(quantized_mul, byte_table, sizeof(struct byte_group)),
    BYTES(quantized_mul, bytes, sizeof(struct byte_items)),
    MOVE(transpose),
    MOVE(concat),
    MOVE(stack),
    MOVE(split),
    MOVE(unstack),
    MOVE(slice),
    MOVE(tile),
    MOVE(nearest_upsample),
    MOVE(nearest_downsample),
    MOVE(pad),
};

const struct backend backend_portable = {
    .name = "portable", .ops = ops, .nop = sizeof ops / sizeof ops[0], .words = true};
