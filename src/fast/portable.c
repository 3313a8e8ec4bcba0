/* portable.c - the backend that needs nothing but a processor: which operators it knows */
#include "fast/portable.h"

#define ROW(name)                                                    \
    {                                                                \
        OP_##name, portable_##name##_layouts, portable_##name##_make \
    }

#define CHAIN(name)                                            \
    {                                                          \
        OP_##name, portable_chain_layouts, portable_chain_make \
    }

static const struct fast_op ops[] = {
    CHAIN(neg),   CHAIN(rcp),      CHAIN(exp),   CHAIN(log),      CHAIN(tanh),    CHAIN(abs),
    CHAIN(sign),  CHAIN(not ),     CHAIN(floor), CHAIN(ceil),     CHAIN(round),   CHAIN(sqr),
    CHAIN(sqrt),  CHAIN(rsqr),     CHAIN(rsqrt), CHAIN(log2),     CHAIN(sigmoid), CHAIN(relu),
    CHAIN(gelu),  CHAIN(gelu_erf), CHAIN(silu),  CHAIN(softplus), CHAIN(erf),     CHAIN(leaky_relu),
    CHAIN(elu),   CHAIN(selu),     CHAIN(add),   CHAIN(sub),      CHAIN(mul),     CHAIN(div),
    CHAIN(lt),    CHAIN(gt),       CHAIN(le),    CHAIN(ge),       CHAIN(eq),      CHAIN(ne),
    CHAIN(and),   CHAIN(or),       CHAIN(min),   CHAIN(max),      CHAIN(prelu),   CHAIN(select),
    CHAIN(clamp), CHAIN(sin),      CHAIN(cos),   CHAIN(tan),      CHAIN(sinh),    CHAIN(cosh),
    CHAIN(asin),  CHAIN(acos),     CHAIN(atan),  CHAIN(asinh),    CHAIN(acosh),   CHAIN(atanh),
    CHAIN(pow),   ROW(conv),       ROW(linear),  ROW(matmul),
};

const struct backend backend_portable = {
    .name = "portable", .ops = ops, .nop = sizeof ops / sizeof ops[0]};
