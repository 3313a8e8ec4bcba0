/* table.h - what the files of a variant contribute to its table */
#ifndef NNEFC_KERNEL_TABLE_H
#define NNEFC_KERNEL_TABLE_H

#include "kernel/vector.h"

#include "kernel/kernels.h"

extern const struct conv_kernel KERNEL(direct), KERNEL(depthwise), KERNEL(transposed),
    KERNEL(winograd_2), KERNEL(winograd_4), KERNEL(strassen);
extern const struct maps KERNEL(maps);
extern const struct reduction_kernels KERNEL(reductions);
extern const struct product_kernels KERNEL(product);
extern mix_items KERNEL(mix);

narrow_columns KERNEL(narrow);
pool_run KERNEL(pool);
int64_t KERNEL(peak)(int64_t rounds, float *result);

#endif
