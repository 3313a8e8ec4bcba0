/* table.c - all kernels of a variant */
#include "fast/kernel/table.h"

#include "fast/kernel/activate.h"

const struct kernels KERNEL(kernels) = {
    .name = KERNEL_TEXT(VARIANT),
    .direct = &KERNEL(direct),
    .activate = KERNEL(activate),
    .maps = &KERNEL(maps),
    .peak = KERNEL(peak),
};
