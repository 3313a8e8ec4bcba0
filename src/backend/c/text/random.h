/* --- random numbers ------------------------------------------------------------------------------
 *
 * Philox4x32-10 makes four words of a counter and a key: the same numbers on every machine.
 */

NN_USUAL void nn_philox(uint32_t c[4], uint64_t key)
{
    uint32_t low = (uint32_t)(key & 0xFFFFFFFFU), high = (uint32_t)(key >> 32);

    for (int i = 0; i < 10; i++) {
        uint64_t a = (uint64_t)0xD2511F53U * c[0], b = (uint64_t)0xCD9E8D57U * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ low;
        c[1] = (uint32_t)(b & 0xFFFFFFFFU);
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ high;
        c[3] = (uint32_t)(a & 0xFFFFFFFFU);
        low += 0x9E3779B9U;
        high += 0xBB67AE85U;
    }
}

/* From [0, 1), by 53 bits. */
NN_USUAL double nn_unit(uint32_t high, uint32_t low)
{
    return (double)(((uint64_t)high << 32 | low) >> 11) * 1.1102230246251565e-16;
}

NN_USUAL void nn_uniform(uint64_t seed, uint32_t stream, uint32_t cycle, double low, double high,
                         int count, float *to)
{
    for (int i = 0; i < count; i += 4) {
        uint32_t words[4] = {(uint32_t)i / 4, 0, 0, 0};
        words[2] = stream;
        words[3] = cycle;
        nn_philox(words, seed);
        for (int k = 0; k < 4 && i + k < count; k++) {
            double part = (double)(words[k] >> 8) * 5.9604644775390625e-8;
            volatile double along = (high - low) * part;
            float x = (float)(low + along);
            if (x >= (float)high && low < high)
                x = nextafterf((float)high, -INFINITY);
            to[i + k] = x;
        }
    }
}

/* The logarithm of 0 < x <= 1, by the series of the inverse hyperbolic tangent. */
NN_USUAL double nn_logarithm(double x)
{
    int exponent;
    double m = frexp(x, &exponent), sum = 0, s;

    if (m < 0.70710678118654752440) {
        m *= 2;
        exponent--;
    }
    s = (m - 1) / (m + 1);
    for (int k = 21; k > 0; k -= 2)
        sum = sum * (s * s) + 1.0 / k;
    return 2 * s * sum + exponent * 0.69314718055994530942;
}

/* Sine (`odd`) or cosine of 0 <= x <= pi / 2, by its series. */
NN_USUAL double nn_wave(double x, int odd)
{
    double sum = 1;

    for (int k = odd ? 23 : 22; k > 1; k -= 2)
        sum = 1 - sum * x * x / (k * (k - 1));
    return odd ? sum * x : sum;
}

NN_USUAL void nn_normal(uint64_t seed, uint32_t stream, uint32_t cycle, double mean, double scale,
                        int count, float *to)
{
    for (int i = 0; i < count; i += 2) {
        uint32_t words[4] = {(uint32_t)i / 2, 0, 0, 0};
        words[2] = stream;
        words[3] = cycle;
        nn_philox(words, seed);
        double radius = sqrt(-2 * nn_logarithm(1 - nn_unit(words[0], words[1])));
        double turn = 4 * nn_unit(words[2], words[3]);
        int quarter = (int)turn;
        double angle = (turn - quarter) * 1.57079632679489661923;
        double cosine = nn_wave(angle, 0), sine = nn_wave(angle, 1);
        double first = radius * (quarter % 2 ? sine : cosine);
        double second = radius * (quarter % 2 ? cosine : sine);
        to[i] = (float)(mean + scale * (quarter == 1 || quarter == 2 ? -first : first));
        if (i + 1 < count)
            to[i + 1] = (float)(mean + scale * (quarter >= 2 ? -second : second));
    }
}
