/* --- integers that stand for numbers -----------------------------------------------------------
 *
 * Each operation rounds once: what a compiler could fuse goes through a volatile.
 */

/* Integer q stands for (q - zero) * scale. */
NN_USUAL float nn_number(int64_t q, int64_t zero, float scale)
{
    return (float)(int64_t)((uint64_t)q - (uint64_t)zero) * scale;
}

/* The integer of `steps` steps from zero, rounded half to even; NaN gives `low`. */
NN_USUAL int64_t nn_integer(float steps, int64_t zero, int64_t low, int64_t high)
{
    float least = (float)(low - zero), most = (float)(high - zero);

    steps = steps > least ? steps : least;
    steps = steps < most ? steps : most;
    int64_t q = (int64_t)rintf(steps) + zero;
    return q < low ? low : q > high ? high : q;
}

/* A sum of two quantized tensors is fmaf(x, a, fmaf(y, b, offset)), in integers of the result. */
struct nn_sum {
    float a, b, offset;
};
NN_USUAL struct nn_sum nn_sum_of(float scale_x, float scale_y, float scale, int64_t zero_x,
                                 int64_t zero_y, int64_t zero)
{
    struct nn_sum sum;
    volatile float x, y, both;

    sum.a = scale_x / scale;
    sum.b = scale_y / scale;
    x = sum.a * (float)zero_x;
    y = sum.b * (float)zero_y;
    both = x + y;
    sum.offset = (float)zero - both;
    return sum;
}
NN_USUAL float nn_product(int64_t x, int64_t zero_x, int64_t y, int64_t zero_y)
{
    return (float)(((double)x - (double)zero_x) * ((double)y - (double)zero_y));
}
