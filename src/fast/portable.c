/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "fast/portable.h"

#define ROW(name)                                                    \
    {                                                                \
        OP_##name, portable_##name##_layouts, portable_##name##_make \
    }

#define LANES(name)                                            \
    {                                                          \
        OP_##name, portable_lanes_layouts, portable_lanes_make \
    }

#define MOVE(name)                                           \
    {                                                        \
        OP_##name, portable_move_layouts, portable_move_make \
    }

static const struct fast_op ops[] = {
#define CHAIN(name, weight) {OP_##name, portable_chain_layouts, portable_chain_make},
#define CALL(name)          CHAIN(name, )
#include "fast/portable_chain.def"
#undef CHAIN
#undef CALL
    ROW(conv),
    ROW(linear),
    ROW(matmul),
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
    {OP_matmul, portable_product_layouts, portable_product_make},
    {OP_attention, portable_product_layouts, portable_attention_make},
    {OP_masked_attention, portable_product_layouts, portable_attention_make},
    {OP_softmax, portable_lanes_layouts, portable_softmax_make},
    {OP_layer_normalization, portable_normalize_layouts, portable_normalize_make},
};

const struct backend backend_portable = {
    .name = "portable", .ops = ops, .nop = sizeof ops / sizeof ops[0]};
