/*
 * winograd_line.h - minimal filtering F(2,3) and F(4,3) of one dimension
 *
 * Of Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015): `size` outputs of a
 * filter of 3 taps are A ((G g) * (B d)), where d are the size + 2 inputs and * multiplies item by
 * item.  Applied to columns and then to rows that makes size * size outputs.
 */
#ifndef NNEFC_KERNEL_WINOGRAD_LINE_H
#define NNEFC_KERNEL_WINOGRAD_LINE_H

#include "kernel/vector.h"

/*
 * F(4,3) evaluates polynomials at 0, infinity, and these points with either sign.  A float holds
 * them and their squares exactly, and no other such points make smaller rounding errors.  1 and 2
 * take as many products but make twice the error, and four times for some results.
 */
static const float winograd_near = 0.6875F, winograd_far = 1.5F;

/* B d, for either size, which is a constant. */
ALWAYS_INLINE void winograd_in(const vec *d, vec *out, const int64_t size)
{
    if (size == 2) {
        out[0] = d[0] - d[2];
        out[1] = d[1] + d[2];
        out[2] = d[2] - d[1];
        out[3] = d[1] - d[3];
        return;
    }
    const float a = winograd_near, b = winograd_far;
    vec near_even = d[4] - b * b * d[2], near_odd = d[3] - b * b * d[1];
    vec far_even = d[4] - a * a * d[2], far_odd = d[3] - a * a * d[1];

    out[0] = a * a * b * b * d[0] + (d[4] - (a * a + b * b) * d[2]);
    out[1] = near_even + a * near_odd;
    out[2] = near_even - a * near_odd;
    out[3] = far_even + b * far_odd;
    out[4] = far_even - b * far_odd;
    out[5] = a * a * b * b * d[1] + (d[5] - (a * a + b * b) * d[3]);
}

/* A m.  The filter transform scales the products, so that most of them need no factor here. */
ALWAYS_INLINE void winograd_out(const vec *m, vec *out, const int64_t size)
{
    if (size == 2) {
        out[0] = m[0] + m[1] + m[2];
        out[1] = m[1] - m[2] - m[3];
        return;
    }
    const float a = winograd_near, b = winograd_far;
    vec near_sum = m[1] + m[2], near_difference = m[1] - m[2];
    vec far_sum = m[3] + m[4], far_difference = m[3] - m[4];

    out[0] = 1 / a * near_sum + (1 / (b * b) * far_sum + m[0]);
    out[1] = near_difference + 1 / b * far_difference;
    out[2] = a * near_sum + far_sum;
    out[3] = a * a * near_difference + (b * far_difference + m[5]);
}

/* G g */
ALWAYS_INLINE void winograd_filter(const vec *g, vec *out, const int64_t size)
{
    if (size == 2) {
        out[0] = g[0];
        out[1] = (g[0] + g[1] + g[2]) * 0.5F;
        out[2] = (g[0] - g[1] + g[2]) * 0.5F;
        out[3] = g[2];
        return;
    }
    const float a = winograd_near, b = winograd_far;
    const float of_near = 1 / (2 * a * (a * a - b * b)), of_far = 1 / (2 * (b * b - a * a));
    vec near = g[0] + a * a * g[2], far = g[0] + b * b * g[2];

    out[0] = 1 / (a * a * b * b) * g[0];
    out[1] = of_near * (near + a * g[1]);
    out[2] = of_near * (near - a * g[1]);
    out[3] = of_far * (far + b * g[1]);
    out[4] = of_far * (far - b * g[1]);
    out[5] = g[2];
}

#endif
