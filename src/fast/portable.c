/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "fast/portable.h"

#define ROW(name)                                                    \
    {                                                                \
        OP_##name, portable_##name##_layouts, portable_##name##_make \
    }

static const struct fast_op ops[] = {
    ROW(conv),
    ROW(linear),
    ROW(matmul),
};

const struct backend backend_portable = {
    .name = "portable", .ops = ops, .nop = sizeof ops / sizeof ops[0]};
