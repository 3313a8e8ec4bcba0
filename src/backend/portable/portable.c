/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "backend/portable/portable.h"

/* Steps of an operator are made by functions for the likes of it. */
#define ROW(name, layouts_, make_)                                                                 \
    {                                                                                              \
        .op = OP_##name, .layouts = portable_##layouts_##_layouts, .make = portable_##make_##_make \
    }

static const struct fast_op ops[] = {
#define CHAIN(name, weight) ROW(name, chain, chain),
#define CALL(name)          ROW(name, chain, chain),
#include "backend/portable/chain.def"
#undef CHAIN
#undef CALL
    ROW(conv, conv, conv),
    {.op = OP_conv,
     .layouts = portable_cascade_layouts,
     .make = portable_cascade_make,
     .goes_on = true},
    ROW(deconv, deconv, deconv),
    ROW(linear, matrix, matrix),
    ROW(matmul, matrix, matrix),
    ROW(matmul, product, product),
    ROW(attention, product, attention),
    ROW(masked_attention, product, attention),
    ROW(max_pool, pool, pool),
    ROW(avg_pool, pool, pool),
    ROW(box, pool, pool),
    ROW(multilinear_upsample, upsample, upsample),
    ROW(sum_reduce, lanes, lanes),
    ROW(mean_reduce, lanes, lanes),
    ROW(max_reduce, lanes, lanes),
    ROW(min_reduce, lanes, lanes),
    ROW(softmax, lanes, softmax),
    ROW(layer_normalization, normalize, normalize),
    ROW(transpose, move, move),
    ROW(concat, move, move),
    ROW(stack, move, move),
    ROW(split, move, move),
    ROW(unstack, move, move),
    ROW(slice, move, move),
    ROW(tile, move, move),
    ROW(nearest_upsample, move, move),
    ROW(nearest_downsample, move, move),
    ROW(pad, move, move),
};

const struct backend backend_portable = {
    .name = "portable", .ops = ops, .nop = sizeof ops / sizeof ops[0]};
