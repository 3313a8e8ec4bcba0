/* activate.c - activations, LANES items at once */
#include "kernel/activate.h"

#include "kernel/curve.h"

#include <assert.h>

ALWAYS_INLINE vec elu(vec x, float alpha)
{
    return vec_select(x < 0.0F, alpha * vec_expm1_negative(vec_min(x, vec_all(0))), x);
}

ALWAYS_INLINE vec hard_sigmoid(vec x, float slope, float offset)
{
    return vec_max(vec_all(0), vec_min(vec_all(1), x * slope + offset));
}

/* One vector; `activation` is a constant wherever this is expanded. */
ALWAYS_INLINE vec activate_vec(enum activation_kind activation, const struct epilogue *e, vec x)
{
    switch (activation) {
    case ACTIVATION_NONE:
        return x;
    case ACTIVATION_RELU:
    case ACTIVATION_CLAMP:
        return vec_clamp(e, x);
    case ACTIVATION_LEAKY_RELU:
        return vec_select(x < 0.0F, x * e->low, x);
    case ACTIVATION_ELU:
        return elu(x, e->low);
    case ACTIVATION_SIGMOID:
        return vec_sigmoid(x);
    case ACTIVATION_TANH:
        return vec_tanh(x);
    case ACTIVATION_SILU:
        return x * vec_sigmoid(x);
    case ACTIVATION_GELU:
        return x * vec_sigmoid(x * 1.702F);
    case ACTIVATION_GELU_ERF:
        return vec_gelu_erf(x);
    case ACTIVATION_HARD_SIGMOID:
        return hard_sigmoid(x, e->low, e->high);
    case ACTIVATION_HARD_SWISH:
        return x * hard_sigmoid(x, e->low, e->high);
    }
    return x;
}

/* Expanded for each activation, so that its constants stay in registers. */
ALWAYS_INLINE void apply_to_all(enum activation_kind activation, const struct epilogue *e,
                                float *items, int64_t count)
{
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES)
        vec_store(items + i, activate_vec(activation, e, vec_load(items + i)));
    if (i == count)
        return;
    int rest = (int)(count - i);
    vec_store_some(items + i, activate_vec(activation, e, vec_load_some(items + i, rest)), rest);
}

void KERNEL(activate)(const struct epilogue *epilogue, float *items, int64_t count)
{
    assert(count >= 0);
    switch (epilogue->activation) {
    case ACTIVATION_NONE:
        return;
    case ACTIVATION_RELU:
        apply_to_all(ACTIVATION_RELU, epilogue, items, count);
        return;
    case ACTIVATION_CLAMP:
        apply_to_all(ACTIVATION_CLAMP, epilogue, items, count);
        return;
    case ACTIVATION_LEAKY_RELU:
        apply_to_all(ACTIVATION_LEAKY_RELU, epilogue, items, count);
        return;
    case ACTIVATION_ELU:
        apply_to_all(ACTIVATION_ELU, epilogue, items, count);
        return;
    case ACTIVATION_SIGMOID:
        apply_to_all(ACTIVATION_SIGMOID, epilogue, items, count);
        return;
    case ACTIVATION_TANH:
        apply_to_all(ACTIVATION_TANH, epilogue, items, count);
        return;
    case ACTIVATION_SILU:
        apply_to_all(ACTIVATION_SILU, epilogue, items, count);
        return;
    case ACTIVATION_GELU:
        apply_to_all(ACTIVATION_GELU, epilogue, items, count);
        return;
    case ACTIVATION_GELU_ERF:
        apply_to_all(ACTIVATION_GELU_ERF, epilogue, items, count);
        return;
    case ACTIVATION_HARD_SIGMOID:
        apply_to_all(ACTIVATION_HARD_SIGMOID, epilogue, items, count);
        return;
    case ACTIVATION_HARD_SWISH:
        apply_to_all(ACTIVATION_HARD_SWISH, epilogue, items, count);
        return;
    }
}
