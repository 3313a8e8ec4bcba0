/*
 * bits.c - scalars as the integers that have the same bits, of the extensions
 *
 * Formats are those of IEEE 754 with 32 and 16 bits, and bfloat16, the upper half of the former.  A
 * scalar that a format lacks is rounded to the nearest one, of two to that whose last bit is 0.
 */
#include "op/broadcast.h"
#include "op/compute.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { HALF_DIGITS = 10, HALF_LEAST = -24, HALF_SPECIAL = 0x7C00, HALF_SIGN = 0x8000 };

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float scalar_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Digits that are rounded up to the next power of 2 count up the exponent, at last to infinity. */
static uint32_t half_of(float x)
{
    const double size = fabs((double)x), least_normal = 0x1p-14, beyond = 65520;
    uint32_t sign = signbit(x) ? HALF_SIGN : 0;
    int exponent;

    if (isnan(x)) /* of its digits the upper ones, of which the first is set */
        return sign | HALF_SPECIAL | 1 << (HALF_DIGITS - 1) | (bits_of(x) >> 13 & 0x3FF);
    if (size >= beyond)
        return sign | HALF_SPECIAL;
    if (size < least_normal)
        return sign | (uint32_t)rint(ldexp(size, -HALF_LEAST));
    double digits = rint(ldexp(frexp(size, &exponent), HALF_DIGITS + 1));
    return sign | (uint32_t)(((exponent + 13) << HALF_DIGITS) + (int)digits);
}

static float of_half(uint32_t bits)
{
    int exponent = bits >> HALF_DIGITS & 0x1F;
    uint32_t digits = bits & 0x3FF, sign = bits & HALF_SIGN;

    if (exponent == 0x1F)
        return scalar_of(sign << 16 | 0x7F800000 | digits << 13);
    double size = exponent == 0 ? ldexp(digits, HALF_LEAST)
                                : ldexp(digits + 0x400, exponent + HALF_LEAST - 1);
    return (float)(sign ? -size : size);
}

static void bits_item(const void *data, int64_t i)
{
    const struct eval *eval = data;
    const struct bits_attrs *attrs = eval->attrs;
    float x = ((const float *)eval->in[0]->data)[i];
    int64_t *to = (int64_t *)eval->out[0]->data + i;
    uint32_t bits = bits_of(x);

    switch ((enum format)attrs->format) {
    case FORMAT_FLOAT32:
        *to = bits;
        return;
    case FORMAT_FLOAT16:
        *to = half_of(x);
        return;
    case FORMAT_BFLOAT16:
        /* The lower half is rounded off, but a NaN stays one. */
        *to = isnan(x) ? bits >> 16 | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
        return;
    }
}

static void scalar_item(const void *data, int64_t i)
{
    const struct eval *eval = data;
    const struct bits_attrs *attrs = eval->attrs;
    uint32_t bits = (uint32_t)((const int64_t *)eval->in[0]->data)[i];
    float *to = (float *)eval->out[0]->data + i;

    switch ((enum format)attrs->format) {
    case FORMAT_FLOAT32:
        *to = scalar_of(bits);
        return;
    case FORMAT_FLOAT16:
        *to = of_half(bits & 0xFFFF);
        return;
    case FORMAT_BFLOAT16:
        *to = scalar_of(bits << 16);
        return;
    }
}

static bool bits_eval(const struct eval *eval)
{
    const bool is_scalar = eval->in[0]->dtype == DTYPE_SCALAR;

    eval_share(eval, shape_volume(&eval->out[0]->shape), is_scalar ? bits_item : scalar_item, eval);
    return true;
}

DESCRIPTOR(bits_of_scalar, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same,
           .eval = bits_eval);
DESCRIPTOR(scalar_of_bits, OP_ELEMENTWISE | OP_PARTIAL | OP_ANY_LAYOUT, .infer = infer_same,
           .eval = bits_eval);
