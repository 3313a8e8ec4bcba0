/* --- integers of 64 bits, which wrap -----------------------------------------------------------
 */

enum { NN_WIDEST = 64 };

/* The lowest bits, with their sign or without. */
NN_USUAL int64_t nn_wrap(int64_t item, int64_t bits, int is_signed)
{
    int unused = NN_WIDEST - (int)bits;
    uint64_t moved = (uint64_t)item << unused;

    if (!is_signed || !(moved >> (NN_WIDEST - 1)))
        return (int64_t)(moved >> unused);
    return (int64_t) ~(~moved >> unused);
}

/* `huge`: 64 bits without a sign, held as the signed integer of the same bits. */
/* A divisor is not 0.  The quotient of the least item by -1 wraps. */
NN_USUAL int64_t nn_quotient(int64_t x, int64_t y, int huge)
{
    if (huge)
        return (int64_t)((uint64_t)x / (uint64_t)y);
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}
NN_USUAL int64_t nn_rest(int64_t x, int64_t y, int huge)
{
    if (huge)
        return (int64_t)((uint64_t)x % (uint64_t)y);
    return y == -1 ? 0 : x % y;
}
NN_USUAL int64_t nn_modulus(int64_t x, int64_t y, int huge)
{
    int64_t left = nn_rest(x, y, huge);

    return !huge && left != 0 && (left < 0) != (y < 0) ? left + y : left;
}
/* Squares and multiplies.  An exponent has a sign, whatever the base has.  Of 0 to a negative power
 * nothing is left, as of all but 1 and -1. */
NN_USUAL int64_t nn_power(int64_t x, int64_t y, int huge)
{
    uint64_t result = 1, factor = (uint64_t)x;

    if (y < 0)
        return x == 1 ? 1 : x == -1 && !huge ? (y % 2 ? -1 : 1) : 0;
    for (uint64_t left = (uint64_t)y; left; left >>= 1, factor *= factor)
        if (left & 1)
            result *= factor;
    return (int64_t)result;
}
NN_USUAL int nn_is_less(int64_t x, int64_t y, int huge)
{
    return huge ? (uint64_t)x < (uint64_t)y : x < y;
}
/* An item of fewer bits without a sign is not negative, so its sign fills in zeros. */
NN_USUAL uint64_t nn_shifted_right(int64_t x, int64_t y, int huge)
{
    int fills = !huge && x < 0;
    uint64_t bits = fills ? ~(uint64_t)x : (uint64_t)x;

    bits = y < 0 || y >= NN_WIDEST ? 0 : bits >> y;
    return fills ? ~bits : bits;
}

/* A number without its fraction; of those beyond the range the nearest, of none 0. */
NN_USUAL int64_t nn_truncated(float x)
{
    if (x >= 9223372036854775808.0F)
        return INT64_MAX;
    if (x < -9223372036854775808.0F)
        return INT64_MIN;
    return x == x ? (int64_t)x : 0;
}
