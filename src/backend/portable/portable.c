/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "backend/portable/portable.h"

/* Steps of an operator are made by functions for the likes of it. */
#define ROW(name, layouts_, make_)                                                                 \
    {                                                                                              \
        .op = OP_##name, .layouts = portable_##layouts_##_layouts, .make = portable_##make_##_make \
    }

#define BEST(name, by)                                                                     \
    {                                                                                      \
        .op = OP_##name, .layouts = portable_##by##_layouts, .make = portable_##by##_make, \
        .is_best = portable_##by##_is_best, .kernel = portable_##by##_kernel               \
    }

static const struct fast_op ops[] = {
#define CHAIN(name, weight) ROW(name, chain, chain),
#define CALL(name)          ROW(name, chain, chain),
#include "backend/portable/chain.def"
#undef CHAIN
#undef CALL
    BEST(conv, conv),
    {.op = OP_conv,
     .layouts = portable_cascade_layouts,
     .make = portable_cascade_make,
     .goes_on = true},
    BEST(deconv, deconv),
    BEST(linear, matrix),
    BEST(matmul, matrix),
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
