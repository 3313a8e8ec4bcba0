/*
 * random.c - tensors of random numbers, of the extensions
 *
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011)
 * makes four words of a counter and a key.  The key is the seed; the counter holds the number of
 * the block of items, the stream of the operation, and the step of the run.  So no item depends on
 * another one, and threads may make them in any order.  Sums, products, quotients and square roots
 * are all that is made of the words: the same items on every machine.
 */
#include "op/check.h"
#include "op/compute.h"

#include "base/num.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum { ROUNDS = 10, WORDS = 4, PAIR = 2 };

/* --- words --------------------------------------------------------------------------------- */

struct philox {
    uint32_t word[WORDS];
};

static struct philox philox(struct philox counter, uint64_t key)
{
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32), *c = counter.word;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ low;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ high;
        c[3] = (uint32_t)a;
        low += UINT32_C(0x9E3779B9);
        high += UINT32_C(0xBB67AE85);
    }
    return counter;
}

/* The words of a block of items. */
static struct philox block_of(const struct eval *eval, int64_t block)
{
    const struct random_attrs *attrs = eval->attrs;
    uint64_t seed = attrs->seed < 0 ? eval->seed : (uint64_t)attrs->seed;
    const struct philox counter = {
        {(uint32_t)block, (uint32_t)((uint64_t)block >> 32), (uint32_t)attrs->stream, eval->cycle}};

    return philox(counter, seed);
}

/* --- numbers ------------------------------------------------------------------------------- */

/* From [0, 1), by 53 bits. */
static double unit_of(uint32_t high, uint32_t low)
{
    return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

/* The logarithm of 0 < x <= 1, by the series of the inverse hyperbolic tangent. */
static double logarithm(double x)
{
    const double ln2 = 0.69314718055994530942, root = 0.70710678118654752440;
    int exponent;
    double m = frexp(x, &exponent), sum = 0;

    assert(x > 0);
    if (m < root) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), square = s * s;
    for (int k = 21; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return 2 * s * sum + exponent * ln2;
}

/* Sine (`odd`) or cosine of 0 <= x <= pi / 2, by its series. */
static double wave(double x, bool odd)
{
    double sum = 1;

    for (int k = odd ? 23 : 22; k > 1; k -= 2)
        sum = 1 - sum * x * x / (k * (k - 1));
    return odd ? sum * x : sum;
}

/* Two numbers of the normal distribution of mean 0 and deviation 1, as Box and Muller have it. */
static void normal_pair(const struct philox *words, double pair[PAIR])
{
    const double right_angle = 1.57079632679489661923;
    double radius = sqrt(-2 * logarithm(1 - unit_of(words->word[0], words->word[1])));
    double turn = 4 * unit_of(words->word[2], words->word[3]);
    int quarter = (int)turn;
    double angle = (turn - quarter) * right_angle;
    double cosine = wave(angle, false), sine = wave(angle, true);

    assert(quarter >= 0 && quarter < 4);
    pair[0] = radius * (quarter % 2 ? sine : cosine) * (quarter == 1 || quarter == 2 ? -1 : 1);
    pair[1] = radius * (quarter % 2 ? cosine : sine) * (quarter >= 2 ? -1 : 1);
}

/* --- kernels ------------------------------------------------------------------------------- */

static void uniform_block(const void *data, int64_t block)
{
    const struct eval *eval = data;
    const struct random_attrs *attrs = eval->attrs;
    const struct philox words = block_of(eval, block);
    int64_t count = shape_volume(&eval->out[0]->shape), first = block * WORDS;
    float *to = eval->out[0]->data, high = (float)attrs->high;

    for (int64_t i = first; i < first + WORDS && i < count; i++) {
        double part = (double)(words.word[i - first] >> 8) * 0x1p-24;
        to[i] = (float)(attrs->low + (attrs->high - attrs->low) * part);
        if (to[i] >= high && attrs->low < attrs->high) /* it was rounded up */
            to[i] = nextafterf(high, -INFINITY);
    }
}

static void normal_block(const void *data, int64_t block)
{
    const struct eval *eval = data;
    const struct random_attrs *attrs = eval->attrs;
    const struct philox words = block_of(eval, block);
    int64_t count = shape_volume(&eval->out[0]->shape), first = block * PAIR;
    float *to = eval->out[0]->data;
    double pair[PAIR];

    normal_pair(&words, pair);
    for (int64_t i = first; i < first + PAIR && i < count; i++)
        to[i] = (float)(attrs->mean + attrs->scale * pair[i - first]);
}

static bool random_eval(const struct eval *eval)
{
    const bool normal = eval->node->op->id == OP_random_normal;
    int64_t count = shape_volume(&eval->out[0]->shape);

    eval_share(eval, num_divide_up(count, normal ? PAIR : WORDS),
               normal ? normal_block : uniform_block, eval);
    return true;
}

/* --- descriptors --------------------------------------------------------------------------- */

/* An extent of 0 is that of a tensor without items. */
static bool random_infer(struct infer *infer)
{
    const struct random_attrs *attrs = infer->attrs;
    struct shape *out = &infer->out[0];
    bool ok = attrs->stream <= UINT32_MAX ||
              infer_error(infer, "stream", DIAG_ITEM_VALUE,
                          "'stream' of '%s' is %" PRId64 ", expected at most %" PRIu32,
                          infer_name(infer), attrs->stream, UINT32_MAX);

    if (!check_rank_limit(infer, attrs->shape.count))
        return false;
    out->rank = attrs->shape.count;
    for (int i = 0; i < out->rank; i++) {
        out->extent[i] = attrs->shape.item[i];
        if (out->extent[i] < 0)
            ok = infer_error(infer, "shape", DIAG_EXTENT,
                             "shape of '%s' has extent %" PRId64
                             " in dimension %d, expected 0 or more",
                             infer_name(infer), out->extent[i], i);
    }
    return ok;
}

DESCRIPTOR(random_uniform, OP_RANDOM, .infer = random_infer, .eval = random_eval);
DESCRIPTOR(random_normal, OP_RANDOM, .infer = random_infer, .eval = random_eval);
