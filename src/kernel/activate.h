/*
 * activate.h - activations of results in memory, and of sums in registers if they only limit them
 *
 * NaN stays (E27): limits, which are numbers, come first, see vec_max().
 */
#ifndef NNEFC_KERNEL_ACTIVATE_H
#define NNEFC_KERNEL_ACTIVATE_H

#include "kernel/epilogue.h"
#include "kernel/vector.h"

activate_items KERNEL(activate);

/* Does the activation limit sums, and does it limit them above, too? */
ALWAYS_INLINE bool clamps(const struct epilogue *epilogue)
{
    return epilogue->activation == ACTIVATION_RELU || epilogue->activation == ACTIVATION_CLAMP;
}

ALWAYS_INLINE bool clamps_above(const struct epilogue *epilogue)
{
    return epilogue->activation == ACTIVATION_CLAMP;
}

ALWAYS_INLINE vec vec_clamp(const struct epilogue *epilogue, vec x)
{
    if (clamps_above(epilogue))
        x = vec_min(vec_all(epilogue->high), x);
    return vec_max(vec_all(epilogue_low(epilogue)), x);
}

#endif
