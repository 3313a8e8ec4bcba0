/*
 * float16.c - IEEE 754 binary16: sign 1, exponent 5 (bias 15), fraction 10
 *
 * As a float, with exponent 8 (bias 127) and fraction 23, every binary16 is exact and normal.
 */
#include "tensor/bytes.h"
#include "tensor/item.h"

#include <math.h>

float float16_decode(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    uint32_t exponent = bits >> 10 & 0x1Fu, fraction = bits & 0x3FFu;

    if (exponent == 0) {
        float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    exponent = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
    return float_of_bits(sign | exponent << 23 | fraction << 13);
}

/* `value` >> `shift`, rounded to nearest, ties to even; shift > 0. */
static uint32_t shift_rounded(uint32_t value, int shift)
{
    uint32_t half = 1u << (shift - 1), rest = value & (half * 2 - 1), whole = value >> shift;

    return whole + (rest > half || (rest == half && whole % 2));
}

uint16_t float16_encode(float value)
{
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    int exponent = (int)(magnitude >> 23) - (127 - 15);

    if (isnan(value)) {
        uint32_t payload = magnitude >> 13 & 0x3FFu;
        return (uint16_t)(sign | 0x7C00u | (payload ? payload : 0x200u));
    }
    if (exponent >= 0x1F)
        return (uint16_t)(sign | 0x7C00u);
    if (exponent < -10)
        return (uint16_t)sign;
    if (exponent <= 0) /* subnormal: the leading 1 becomes part of the fraction */
        return (uint16_t)(sign | shift_rounded((magnitude & 0x7FFFFFu) | 0x800000u, 14 - exponent));
    /* A fraction that is rounded up to the next power of two carries into the exponent. */
    return (uint16_t)(sign | shift_rounded(magnitude - ((127u - 15u) << 23), 13));
}
