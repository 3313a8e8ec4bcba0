/* --- numbers for a check, and how it compares results ---------------------------------------- */

/* An item of a result, as it should be. */
struct nn_expected {
    int32_t at;
    float item;
};

NN_USUAL uint32_t nn_next(uint32_t *state)
{
    *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
    return *state;
}

/* From -1 up to 1, without rounding. */
NN_USUAL void nn_fill_scalars(uint32_t *state, float *items, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        items[i] = (float)((int32_t)(nn_next(state) >> 8) - 8388608) / 8388608.0F;
}

/* 0 or 1. */
NN_USUAL void nn_fill_integers(uint32_t *state, int64_t *items, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        items[i] = (int64_t)(nn_next(state) >> 31);
}

NN_USUAL void nn_fill_logicals(uint32_t *state, unsigned char *items, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        items[i] = (unsigned char)(nn_next(state) >> 31);
}

/* How many items are apart by more; infinities and NaN have to be the same. */
NN_USUAL int nn_apart(const float *result, const struct nn_expected *expected, int count,
                      float tolerance)
{
    int apart = 0;

    for (int i = 0; i < count; i++) {
        float x = result[expected[i].at], y = expected[i].item, d = x < y ? y - x : x - y;
        apart += !(x == y || d <= tolerance || (x != x && y != y));
    }
    return apart;
}
