/* random.c - reproducible random numbers; see random.h */
#include "exec/random.h"

#include <assert.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

struct random random_stream(uint64_t seed, const char *name)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    struct random random;

    for (; *name; name++) /* FNV-1a */
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
    uint64_t state = splitmix(&seed) ^ hash;
    for (int i = 0; i < 4; i++)
        random.state[i] = splitmix(&state);
    return random;
}

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

uint64_t random_bits(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double random_between(struct random *random, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(random) >> 11) * 0x1p-53);
}

void random_fill(struct random *random, struct tensor *tensor, double low, double high)
{
    int64_t count = shape_volume(&tensor->shape);

    assert(low <= high);
    switch (tensor->dtype) {
    case DTYPE_SCALAR:
        for (int64_t i = 0; i < count; i++)
            ((float *)tensor->data)[i] = (float)random_between(random, low, high);
        return;
    case DTYPE_INTEGER:
        for (int64_t i = 0; i < count; i++)
            ((int64_t *)tensor->data)[i] = (int64_t)(random_bits(random) >> 63);
        return;
    case DTYPE_LOGICAL:
        for (int64_t i = 0; i < count; i++)
            ((unsigned char *)tensor->data)[i] = (unsigned char)(random_bits(random) >> 63);
        return;
    case DTYPE_UNKNOWN:
    case DTYPE_STRING:
        return;
    }
}
