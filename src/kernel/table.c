/* table.c - all kernels of a variant */
#include "kernel/table.h"

#include "kernel/activate.h"

/* Strassen's sums run at the speed of the cache, products at that of vectors.  Where vectors have
 * 16 lanes and two of them are multiplied in a cycle, the sums cost more than an eighth of the
 * products. */
#define STRASSEN_ (LANES < 16 ? &KERNEL(strassen) : NULL)

const struct kernels BYTE_KERNEL(kernels) = {
    .name = KERNEL_TEXT(BYTES),
    .direct = &KERNEL(direct),
    .depthwise = &KERNEL(depthwise),
    .winograd_2 = &KERNEL(winograd_2),
    .winograd_4 = &KERNEL(winograd_4),
    .strassen = STRASSEN_,
    .transposed = &KERNEL(transposed),
    .pool = KERNEL(pool),
    .activate = KERNEL(activate),
    .maps = &KERNEL(maps),
    .reductions = &KERNEL(reductions),
    .product = KERNEL(product),
    .narrow = KERNEL(narrow),
    .mix = KERNEL(mix),
    .bytes = &BYTE_KERNEL(bytes),
    .blocks = &KERNEL(blocks),
    .peak = KERNEL(peak),
};
