/* table.c - all kernels of a variant */
#include "kernel/table.h"

#include "kernel/activate.h"

const struct kernels BYTE_KERNEL(kernels) = {
    .name = KERNEL_TEXT(BYTES),
    .direct = &KERNEL(direct),
    .depthwise = &KERNEL(depthwise),
    .winograd_2 = &KERNEL(winograd_2),
    .winograd_4 = &KERNEL(winograd_4),
    /* Its sums run at the speed of the cache, products at that of vectors: where vectors have 16
     * lanes and two are multiplied in a cycle, sums cost more than an eighth of the products. */
    .strassen = LANES < 16 ? &KERNEL(strassen) : NULL,
    .transposed = &KERNEL(transposed),
    .pool = KERNEL(pool),
    .activate = KERNEL(activate),
    .maps = &KERNEL(maps),
    .reductions = &KERNEL(reductions),
    .product = KERNEL(product),
    .narrow = KERNEL(narrow),
    .mix = KERNEL(mix),
    .mix_pixels = KERNEL(mix_pixels),
    .bytes = &BYTE_KERNEL(bytes),
    .blocks = &KERNEL(blocks),
    .peak = KERNEL(peak),
};
