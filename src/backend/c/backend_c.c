/* backend_c.c - the table of the backend 'c': which steps can be printed */
#include "backend/c/c.h"

#include "backend/portable/conv.h"
#include "kernel/pool.h"

/* A row: the operator, its family, the bytes of its match.  Of several rows for one operator, the
 * first that takes a group does it, so that what is quick stands before what takes all. */
#define ROW(name, family, size)                                           \
    {                                                                     \
        .op = OP_##name, .match_size = size, .match = c_##family##_match, \
        .make = c_##family##_make                                         \
    }
#define PLAIN(name, family) ROW(name, family, 0)

static const struct fast_op ops[] = {
#define MAP(name, weight, formula) PLAIN(name, chain),
#include "kernel/map.def"
#undef MAP
#define CALL(name) PLAIN(name, chain),
#include "backend/portable/chain.def"
#undef CALL
    ROW(conv, conv, sizeof(struct conv_match)),
    PLAIN(conv, window),
    PLAIN(deconv, window),
    ROW(linear, matrix, sizeof(struct conv_match)),
    PLAIN(linear, matmul),
    ROW(matmul, matrix, sizeof(struct conv_match)),
    PLAIN(matmul, matmul),
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
};

const struct backend backend_c = {.name = "c", .ops = ops, .nop = sizeof ops / sizeof ops[0]};

bool c_knows(const struct node *node)
{
    for (int i = 0; i < backend_c.nop; i++)
        if (is_op(node, ops[i].op))
            return true;
    return keeps_items(node);
}
