/*
 * winograd_line.h - minimal filtering F(2,3) and F(4,3) of one dimension
 *
 * Of Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015): `size` outputs of a
 * filter of 3 taps are A ((G g) * (B d)), where d are the size + 2 inputs and * multiplies item by
 * item.  Applied to columns and then to rows that makes size * size outputs.
 */
#ifndef NNEFC_FAST_KERNEL_WINOGRAD_LINE_H
#define NNEFC_FAST_KERNEL_WINOGRAD_LINE_H

#include "fast/kernel/vector.h"

enum { WINOGRAD_TAPS = 3, WINOGRAD_MOST = 6 /* inputs along a dimension */ };

/* B d */
ALWAYS_INLINE void winograd_in_2(const vec d[4], vec out[4])
{
    out[0] = d[0] - d[2];
    out[1] = d[1] + d[2];
    out[2] = d[2] - d[1];
    out[3] = d[1] - d[3];
}

ALWAYS_INLINE void winograd_in_4(const vec d[6], vec out[6])
{
    vec even = d[4] - 4.0F * d[2], odd = d[3] - 4.0F * d[1];
    vec near = d[4] - d[2], far = 2.0F * (d[3] - d[1]);

    out[0] = 4.0F * d[0] + (d[4] - 5.0F * d[2]);
    out[1] = even + odd;
    out[2] = even - odd;
    out[3] = near + far;
    out[4] = near - far;
    out[5] = 4.0F * d[1] + (d[5] - 5.0F * d[3]);
}

/* A m */
ALWAYS_INLINE void winograd_out_2(const vec m[4], vec out[2])
{
    out[0] = m[0] + m[1] + m[2];
    out[1] = m[1] - m[2] - m[3];
}

ALWAYS_INLINE void winograd_out_4(const vec m[6], vec out[4])
{
    vec sum = m[1] + m[2], difference = m[1] - m[2];
    vec far_sum = m[3] + m[4], far_difference = m[3] - m[4];

    out[0] = m[0] + sum + far_sum;
    out[1] = 2.0F * far_difference + difference;
    out[2] = 4.0F * far_sum + sum;
    out[3] = 8.0F * far_difference + difference + m[5];
}

/* Either, where `size` is a constant. */
ALWAYS_INLINE void winograd_in(const vec *d, vec *out, const int64_t size)
{
    if (size == 4)
        winograd_in_4(d, out);
    else
        winograd_in_2(d, out);
}

ALWAYS_INLINE void winograd_out(const vec *m, vec *out, const int64_t size)
{
    if (size == 4)
        winograd_out_4(m, out);
    else
        winograd_out_2(m, out);
}

/* G g */
ALWAYS_INLINE void winograd_filter_2(const vec g[3], vec out[4])
{
    out[0] = g[0];
    out[1] = (g[0] + g[1] + g[2]) * 0.5F;
    out[2] = (g[0] - g[1] + g[2]) * 0.5F;
    out[3] = g[2];
}

ALWAYS_INLINE void winograd_filter_4(const vec g[3], vec out[6])
{
    vec outer = g[0] + g[2], far = g[0] + 4.0F * g[2], middle = 2.0F * g[1];

    out[0] = g[0] * 0.25F;
    out[1] = (outer + g[1]) / -6.0F;
    out[2] = (outer - g[1]) / -6.0F;
    out[3] = (far + middle) / 24.0F;
    out[4] = (far - middle) / 24.0F;
    out[5] = g[2];
}

ALWAYS_INLINE void winograd_filter(const vec *g, vec *out, const int64_t size)
{
    if (size == 4)
        winograd_filter_4(g, out);
    else
        winograd_filter_2(g, out);
}

#endif
