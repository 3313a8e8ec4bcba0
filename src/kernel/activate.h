/*
 * activate.h - activations of results that are in memory, and those that limit sums in registers
 *
 * NaN becomes what the definitions make of it by select (NNEF 1.0.5, section 4.2.4): 0 by relu, the
 * upper limit by clamp.
 */
#ifndef NNEFC_KERNEL_ACTIVATE_H
#define NNEFC_KERNEL_ACTIVATE_H

#include "kernel/epilogue.h"
#include "kernel/vector.h"

activate_items KERNEL(activate);

/* Does it limit them at all, and on both sides? */
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
        x = vec_min(x, vec_all(epilogue->high));
    return vec_max(x, vec_all(epilogue_low(epilogue)));
}

#endif
