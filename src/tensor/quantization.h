/*
 * quantization.h - numbers that integers stand for: the formulas, and nowhere else
 *
 * Integer q stands for (q - zero) * scale.  Floats have 32 bits, and each operation that is written
 * rounds once; integers become the nearest float.
 */
#ifndef NNEFC_TENSOR_QUANTIZATION_H
#define NNEFC_TENSOR_QUANTIZATION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Integers of a matrix that have scale and zero in common are a multiple of so many, unless they
 * are all of a column: so many are read at once. */
enum { BLOCK_UNIT = 8 };

/* Integer `index` of those of 4 bits, of which each byte has two, the first one in its lower half.
 */
static inline int64_t nibble_load(const void *from, bool is_signed, int64_t index)
{
    const int nibble = ((const unsigned char *)from)[index / 2] >> index % 2 * 4 & 15;

    return is_signed ? (nibble ^ 8) - 8 : nibble;
}

/* What integers of a result can be: low <= zero <= high is not required. */
struct saturation {
    int64_t zero, low, high;
};

static inline float quantized_number(int64_t q, int64_t zero, float scale)
{
    return (float)(int64_t)((uint64_t)q - (uint64_t)zero) * scale;
}

/* The integer of `steps` steps from zero, rounded half to even; NaN gives `low`. */
static inline int64_t quantized_integer(float steps, const struct saturation *s)
{
    float low = (float)(s->low - s->zero), high = (float)(s->high - s->zero);

    steps = steps > low ? steps : low;
    steps = steps < high ? steps : high;
    /* A float that bounds more than 24 bits may lie beyond the integer that it is rounded from. */
    int64_t q = (int64_t)rintf(steps) + s->zero;
    return q < s->low ? s->low : q > s->high ? s->high : q;
}

/* The sum of two quantized tensors is fmaf(x, a, fmaf(y, b, offset)), in integers of the result. */
struct quantized_sum {
    float a, b, offset;
};

/* Scales and zeros are those of both operands, then of the result. */
static inline struct quantized_sum quantized_sum_of(const float scale[3], const int64_t zero[3])
{
    struct quantized_sum sum = {.a = scale[0] / scale[2], .b = scale[1] / scale[2]};

    sum.offset = (float)zero[2] - (sum.a * (float)zero[0] + sum.b * (float)zero[1]);
    return sum;
}

/* Products of `x` and `y`, both less their zeros, are requantized by this factor. */
static inline float quantized_factor(float scale_x, float scale_y, float scale)
{
    return scale_x * scale_y / scale;
}

#endif
