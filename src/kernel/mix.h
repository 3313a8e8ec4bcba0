/* mix.h - items between those of two others */
#ifndef NNEFC_KERNEL_MIX_H
#define NNEFC_KERNEL_MIX_H

#include <stdint.h>

/* to[i] = (1 - share) * from[0][i] + share * from[1][i]; what has no share is not looked at. */
typedef void mix_items(float *to, const float *const from[2], float share, int64_t count);

#endif
