/*
 * epilogue.h - the last operations on sums before they are stored
 *
 * A kernel adds bias and residual to its sums and applies an activation to them.
 */
#ifndef NNEFC_KERNEL_EPILOGUE_H
#define NNEFC_KERNEL_EPILOGUE_H

#include <stdbool.h>
#include <stdint.h>

enum activation_kind {
    ACTIVATION_NONE,
    ACTIVATION_RELU,         /* x < 0 ? 0 : x */
    ACTIVATION_CLAMP,        /* max(min(x, high), low) */
    ACTIVATION_LEAKY_RELU,   /* x < 0 ? low * x : x */
    ACTIVATION_ELU,          /* x < 0 ? low * (exp(x) - 1) : x */
    ACTIVATION_SIGMOID,      /* 1 / (1 + exp(-x)) */
    ACTIVATION_TANH,         /* tanh(x) */
    ACTIVATION_SILU,         /* x * sigmoid(x) */
    ACTIVATION_GELU,         /* x * sigmoid(1.702 * x) */
    ACTIVATION_GELU_ERF,     /* x / 2 * (1 + erf(x / sqrt(2))) */
    ACTIVATION_HARD_SIGMOID, /* clamp(x * low + high, 0, 1) */
    ACTIVATION_HARD_SWISH,   /* x * clamp(x * low + high, 0, 1) */
};

struct epilogue {
    enum activation_kind activation;
    float low, high; /* parameters of the activation; limits are no NaN */
};

/* Is the activation NONE, or does it limit x?  epilogue_low() is the lower limit. */
static inline bool epilogue_is_clamp(const struct epilogue *epilogue)
{
    return epilogue->activation <= ACTIVATION_CLAMP;
}

static inline float epilogue_low(const struct epilogue *epilogue)
{
    return epilogue->activation == ACTIVATION_CLAMP ? epilogue->low : 0;
}

/* Apply the activation to `count` items in place. */
typedef void activate_items(const struct epilogue *epilogue, float *items, int64_t count);

#endif
