/* --- scalars and the bits of their formats -----------------------------------------------------
 */

NN_USUAL int64_t nn_bits32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}
NN_USUAL float nn_scalar32(int64_t item)
{
    uint32_t bits = (uint32_t)((uint64_t)item & 0xFFFFFFFFU);
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* value >> shift, rounded to the nearest, of two to the even one. */
NN_USUAL uint32_t nn_shift_rounded(uint32_t value, int shift)
{
    uint32_t half = 1U << (shift - 1), rest = value & (half * 2 - 1), whole = value >> shift;

    return whole + (rest > half || (rest == half && whole % 2));
}
NN_USUAL int64_t nn_bits16(float x)
{
    uint32_t bits = (uint32_t)nn_bits32(x), sign = bits >> 16 & 0x8000U;
    uint32_t magnitude = bits & 0x7FFFFFFFU, payload = magnitude >> 13 & 0x3FFU;
    int exponent = (int)(magnitude >> 23) - (127 - 15);

    if (x != x)
        return sign | 0x7C00U | (payload ? payload : 0x200U);
    if (exponent >= 0x1F)
        return sign | 0x7C00U;
    if (exponent < -10)
        return sign;
    if (exponent <= 0)
        return sign | nn_shift_rounded((magnitude & 0x7FFFFFU) | 0x800000U, 14 - exponent);
    return sign | nn_shift_rounded(magnitude - ((127U - 15U) << 23), 13);
}
NN_USUAL float nn_scalar16(int64_t item)
{
    uint32_t bits = (uint32_t)(item & 0xFFFF), sign = (bits & 0x8000U) << 16;
    uint32_t exponent = bits >> 10 & 0x1FU, fraction = bits & 0x3FFU;

    if (exponent == 0) {
        float magnitude = (float)fraction * 5.9604644775390625e-8F; /* 2 to the power of -24 */
        return sign ? -magnitude : magnitude;
    }
    exponent = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
    return nn_scalar32((int64_t)(sign | exponent << 23 | fraction << 13));
}
NN_USUAL int64_t nn_bitsb16(float x)
{
    uint32_t bits = (uint32_t)nn_bits32(x);

    if (x != x)
        return bits >> 16 | (bits >> 16 & 0x7FU ? 0 : 0x40U);
    return nn_shift_rounded(bits, 16);
}
NN_USUAL float nn_scalarb16(int64_t item)
{
    return nn_scalar32((int64_t)((uint64_t)(item & 0xFFFF) << 16));
}
