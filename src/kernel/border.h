/*
 * border.h - copies of images with zeros around them
 *
 * The copy has all that windows reach, and no more: pixel [0, 0] is the first tap of the first
 * output.  Its channels are dense.
 */
#ifndef NNEFC_KERNEL_BORDER_H
#define NNEFC_KERNEL_BORDER_H

#include "kernel/conv.h"
#include "kernel/vector.h"

/* Whether windows reach beyond the image. */
bool KERNEL(border_is_reached)(const struct conv *conv);

struct plane KERNEL(border_extents)(const struct conv *conv);

/* Copy all images into `copy`, which has batch * border_extents * in_channels items. */
void KERNEL(border_copy)(const struct conv *conv, const float *src, float *copy, struct team *team);

#endif
