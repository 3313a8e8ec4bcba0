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
#define ACTIVATION(kind, formula) ACTIVATION_##kind,
#include "kernel/activation.def"
#undef ACTIVATION
};

struct epilogue {
    enum activation_kind activation;
    float low, high; /* parameters of the activation; limits are no NaN */
};

/* Is the activation NONE, or does it limit sums?  epilogue_low() is the lower limit. */
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
