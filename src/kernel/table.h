/* table.h - what the files of a variant contribute to its table, and to each other */
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

/* --- copies of images with zeros around them, see border.c --- */

/* Whether windows reach beyond the image. */
bool KERNEL(border_is_reached)(const struct conv *conv);

struct plane KERNEL(border_extents)(const struct conv *conv);

/* Copy all images into `copy`, which has batch * border_extents * in_channels items. */
void KERNEL(border_copy)(const struct conv *conv, const float *src, float *copy, struct team *team);

#endif
