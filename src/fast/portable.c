/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "fast/portable.h"

#define ROW(name)                                                                             \
    {                                                                                         \
        .op = OP_##name, .layouts = portable_##name##_layouts, .make = portable_##name##_make \
    }

#define BEST(name)                                                                             \
    {                                                                                          \
        .op = OP_##name, .layouts = portable_##name##_layouts, .make = portable_##name##_make, \
        .is_best = portable_##name##_is_best                                                   \
    }

#define LANES(name)                                                                     \
    {                                                                                   \
        .op = OP_##name, .layouts = portable_lanes_layouts, .make = portable_lanes_make \
    }

#define MOVE(name)                                                                    \
    {                                                                                 \
        .op = OP_##name, .layouts = portable_move_layouts, .make = portable_move_make \
    }

static const struct fast_op ops[] = {
#define CHAIN(name, weight) \
    {.op = OP_##name, .layouts = portable_chain_layouts, .make = portable_chain_make},
#define CALL(name) CHAIN(name, )
#include "fast/portable_chain.def"
#undef CHAIN
#undef CALL
    BEST(conv),
    BEST(linear),
    BEST(matmul),
    LANES(sum_reduce),
    LANES(mean_reduce),
    LANES(max_reduce),
    LANES(min_reduce),
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
    {.op = OP_matmul, .layouts = portable_product_layouts, .make = portable_product_make},
    {.op = OP_attention, .layouts = portable_product_layouts, .make = portable_attention_make},
    {.op = OP_masked_attention,
     .layouts = portable_product_layouts,
     .make = portable_attention_make},
    {.op = OP_softmax, .layouts = portable_lanes_layouts, .make = portable_softmax_make},
    {.op = OP_layer_normalization,
     .layouts = portable_normalize_layouts,
     .make = portable_normalize_make},
};

const struct backend backend_portable = {
    .name = "portable", .ops = ops, .nop = sizeof ops / sizeof ops[0]};
