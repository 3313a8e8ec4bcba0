/* backend_c.c - the table of the backend 'c': which steps can be printed */
#include "backend/c/c.h"

#include "backend/portable/block_product.h"
#include "backend/portable/conv.h"
#include "backend/portable/quantized.h"
#include "kernel/pool.h"

/* A row: the operator, its family, the bytes of its match.  Of several rows for one operator, the
 * first that takes a group does it, so that what is quick stands before what takes all. */
#define EACH_ROW(name, family, size, longer)                              \
    {                                                                     \
        .op = OP_##name, .match_size = size, .match = c_##family##_match, \
        .make = c_##family##_make, .bytes = true, .goes_on = longer       \
    }
#define ROW(name, family, size) EACH_ROW(name, family, size, false)
#define PLAIN(name, family)     ROW(name, family, 0)

/* It goes on where another row has begun. */
#define LONGER(name, family, size) EACH_ROW(name, family, size, true)

static const struct fast_op ops[] = {
#define MAP(name, weight, formula) PLAIN(name, chain),
#include "kernel/map.def"
#undef MAP
#define CALL(name) PLAIN(name, chain),
#include "backend/portable/chain.def"
#undef CALL
    ROW(conv, conv, sizeof(struct conv_match)),
    LONGER(conv, cascade, sizeof(struct cascade_match)),
    PLAIN(conv, window),
    PLAIN(deconv, window),
    ROW(linear, matrix, sizeof(struct conv_match)),
    PLAIN(linear, matmul),
    ROW(matmul, matrix, sizeof(struct conv_match)),
    PLAIN(matmul, matmul),
    ROW(block_matmul, blocks, sizeof(struct block_match)),
    ROW(max_pool, pool, sizeof(struct image_pool)),
    PLAIN(max_pool, window),
    ROW(avg_pool, pool, sizeof(struct image_pool)),
    PLAIN(avg_pool, window),
    ROW(box, pool, sizeof(struct image_pool)),
    PLAIN(box, window),
    PLAIN(debox, window),
    PLAIN(argmax_pool, window),
    PLAIN(max_pool_with_index, window),
    PLAIN(sample, window),
    PLAIN(desample, window),
    PLAIN(multilinear_upsample, multilinear),
    PLAIN(sum_reduce, reduction),
    PLAIN(mean_reduce, reduction),
    PLAIN(max_reduce, reduction),
    PLAIN(min_reduce, reduction),
    PLAIN(argmax_reduce, reduction),
    PLAIN(argmin_reduce, reduction),
    PLAIN(all_reduce, reduction),
    PLAIN(any_reduce, reduction),
    PLAIN(softmax, softmax),
    PLAIN(transpose, move),
    PLAIN(concat, move),
    PLAIN(stack, move),
    PLAIN(split, move),
    PLAIN(unstack, move),
    PLAIN(slice, move),
    PLAIN(tile, move),
    PLAIN(nearest_upsample, move),
    PLAIN(nearest_downsample, move),
    PLAIN(pad, move),
    PLAIN(cast, typed),
    PLAIN(select, typed),
    PLAIN(copy_n, typed),
    PLAIN(bits_of_scalar, typed),
    PLAIN(scalar_of_bits, typed),
    PLAIN(integer_add, integers),
    PLAIN(integer_sub, integers),
    PLAIN(integer_mul, integers),
    PLAIN(integer_div, integers),
    PLAIN(integer_rest, integers),
    PLAIN(integer_mod, integers),
    PLAIN(integer_pow, integers),
    PLAIN(integer_min, integers),
    PLAIN(integer_max, integers),
    PLAIN(integer_and, integers),
    PLAIN(integer_or, integers),
    PLAIN(integer_xor, integers),
    PLAIN(integer_shift_left, integers),
    PLAIN(integer_shift_right, integers),
    PLAIN(integer_lt, integers),
    PLAIN(integer_gt, integers),
    PLAIN(integer_le, integers),
    PLAIN(integer_ge, integers),
    PLAIN(integer_eq, integers),
    PLAIN(integer_ne, integers),
    PLAIN(integer_neg, integers),
    PLAIN(integer_abs, integers),
    PLAIN(integer_sign, integers),
    PLAIN(integer_not, integers),
    PLAIN(integer_wrap, integers),
    PLAIN(quantize, quantized),
    PLAIN(requantize, quantized),
    LONGER(dequantize, byte_pool, sizeof(struct byte_group)),
    LONGER(dequantize, byte_table, sizeof(struct byte_group)),
    PLAIN(dequantize, quantized),
    PLAIN(quantized_add, quantized),
    PLAIN(quantized_mul, quantized),
    PLAIN(gather, gather),
    PLAIN(gather_elements, gathering),
    PLAIN(gather_nd, gathering),
    PLAIN(scatter_elements, scatter),
    PLAIN(scatter_nd, scatter),
    PLAIN(topk, topk),
    PLAIN(update, update),
    PLAIN(integer_sum_reduce, sums),
    PLAIN(integer_max_reduce, sums),
    PLAIN(integer_min_reduce, sums),
    PLAIN(integer_argmax_reduce, sums),
    PLAIN(integer_argmin_reduce, sums),
    PLAIN(integer_matmul, whole),
    ROW(quantized_matmul, bytes, sizeof(struct byte_match)),
    PLAIN(quantized_matmul, whole),
    ROW(quantized_conv, bytes, sizeof(struct byte_match)),
    PLAIN(quantized_conv, layer),
    PLAIN(transpose, table),
    PLAIN(concat, table),
    PLAIN(stack, table),
    PLAIN(split, table),
    PLAIN(unstack, table),
    PLAIN(slice, table),
    PLAIN(tile, table),
    PLAIN(nearest_upsample, table),
    PLAIN(nearest_downsample, table),
    PLAIN(linear_quantize, steps),
    PLAIN(logarithmic_quantize, steps),
    PLAIN(avg_roi_pool, special),
    PLAIN(max_roi_pool, special),
    PLAIN(roi_resample, special),
    PLAIN(avg_roi_align, special),
    PLAIN(max_roi_align, special),
    PLAIN(roi_align, special),
    PLAIN(roi_pool, special),
    PLAIN(grid_sample, special),
    PLAIN(deform_conv, special),
    PLAIN(determinant, special),
    PLAIN(random_uniform, special),
    PLAIN(random_normal, special),
};

const struct backend backend_c = {.name = "c", .ops = ops, .nop = sizeof ops / sizeof ops[0]};

bool c_knows(const struct node *node)
{
    for (int i = 0; i < backend_c.nop; i++)
        if (is_op(node, ops[i].op))
            return !is_op(node, OP_block_matmul) || c_knows_blocks(node);
    return keeps_items(node);
}
