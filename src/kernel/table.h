/* table.h - the names that the files of a variant share, for its table and for each other */
#ifndef NNEFC_KERNEL_TABLE_H
#define NNEFC_KERNEL_TABLE_H

#include "kernel/vector.h"

#include "kernel/kernels.h"

/* The variant of the kernels of bytes, for some processors have more instructions for these. */
#ifndef BYTES
#define BYTES VARIANT
#endif
#define BYTE_KERNEL(name) KERNEL_NAME_(name, BYTES)

extern const struct conv_kernel KERNEL(direct), KERNEL(depthwise), KERNEL(transposed),
    KERNEL(winograd_2), KERNEL(winograd_4), KERNEL(strassen);
extern const struct maps KERNEL(maps);
extern const struct reduction_kernels KERNEL(reductions);
extern const struct block_kernels KERNEL(blocks);
extern mix_items KERNEL(mix);
extern mix_pixels KERNEL(mix_pixels);
extern const struct byte_kernels BYTE_KERNEL(bytes);
extern const struct conv_kernel BYTE_KERNEL(byte_pairs), BYTE_KERNEL(byte_quads),
    BYTE_KERNEL(byte_depthwise), BYTE_KERNEL(byte_columns), BYTE_KERNEL(byte_rows),
    BYTE_KERNEL(byte_words), BYTE_KERNEL(byte_words_depthwise), BYTE_KERNEL(byte_winograd);

narrow_columns KERNEL(narrow);
pool_run KERNEL(pool);
product_run KERNEL(product);
int64_t KERNEL(peak)(int64_t rounds, float *result);
byte_layer_run BYTE_KERNEL(run_byte_pairs), BYTE_KERNEL(run_byte_quads),
    BYTE_KERNEL(run_byte_depthwise), BYTE_KERNEL(run_byte_columns), BYTE_KERNEL(run_byte_rows),
    BYTE_KERNEL(run_byte_words), BYTE_KERNEL(run_byte_words_depthwise),
    BYTE_KERNEL(run_byte_winograd);
mix_byte_items BYTE_KERNEL(mix_bytes);
mix_byte_pixels BYTE_KERNEL(mean_bytes);
void BYTE_KERNEL(byte_pool)(const struct byte_pool *pool, const void *src, void *dst,
                            struct team *team);

/* Bytes of weights that direct.c has packed, and of the like of strassen.c. */
size_t KERNEL(direct_packed_size)(const struct conv *conv);

/* --- copies of images with zeros around them, see border.c --- */

/* Do windows reach beyond the image? */
bool KERNEL(border_is_reached)(const struct conv *conv);

/* Extents of the part of an image that windows reach, with the pixels outside. */
struct plane KERNEL(border_extents)(const struct conv *conv);

/* Copy all images into `copy`, which has batch * border_extents * in_channels items. */
void KERNEL(border_copy)(const struct conv *conv, const float *src, float *copy, struct team *team);

#endif
