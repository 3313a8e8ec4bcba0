/*
 * test_bytes_mix.c - means of bytes: every variant gives those of sums of 64 bits and the rounding
 * of tensor/quantization.h
 */
#include "exec/random.h"
#include "kernel/kernels.h"
#include "support/t.h"
#include "tensor/quantization.h"

#include <string.h>

enum { CHANNELS = 130, PIXELS = 9, ROOM = CHANNELS * PIXELS, ROUNDS = 1000, FILLED = 0xa5 };

static int64_t draw(struct random *random, int64_t low, int64_t high)
{
    return low + (int64_t)(random_bits(random) % (uint64_t)(high - low + 1));
}

/* Two rows of pixels that are mixed, and pixels of the mixed row. */
struct problem {
    bool is_signed;
    int64_t zero, channels, count;
    int row_bits, bits;
    uint8_t rows[2][ROOM];
    uint16_t row_weight[2];
    struct byte_mix pixels[PIXELS];
};

static void draw_weights(struct random *random, int bits, uint16_t weight[2])
{
    weight[1] = (uint16_t)draw(random, 0, (1 << bits) - 1);
    weight[0] = (uint16_t)((1 << bits) - weight[1]);
}

static void draw_problem(struct random *random, struct problem *p)
{
    static const int64_t whole[] = {8, 16, 32, 64, 128};

    p->is_signed = draw(random, 0, 1);
    p->zero = p->is_signed ? draw(random, INT8_MIN, INT8_MAX) : draw(random, 0, UINT8_MAX);
    p->channels = draw(random, 0, 1) ? whole[draw(random, 0, 4)] : draw(random, 1, CHANNELS);
    p->count = draw(random, 1, PIXELS);
    p->bits = (int)draw(random, 1, MIX_MOST_BITS);
    p->row_bits = (int)draw(random, 0, p->bits);
    for (int i = 0; i < 2 * ROOM; i++)
        p->rows[i / ROOM][i % ROOM] =
            (uint8_t)(draw(random, 0, 3) > 0 ? draw(random, 0, UINT8_MAX)
                                             : UINT8_MAX * draw(random, 0, 1));
    draw_weights(random, p->row_bits, p->row_weight);
    for (int i = 0; i < PIXELS; i++) {
        draw_weights(random, p->bits - p->row_bits, p->pixels[i].weight);
        for (int k = 0; k < 2; k++)
            p->pixels[i].from[k] = draw(random, 0, PIXELS - 1) * p->channels;
    }
}

static int64_t integer_of(const struct problem *p, uint8_t byte)
{
    return p->is_signed ? (int8_t)byte : byte;
}

static uint8_t expected(const struct problem *p, int64_t pixel, int64_t channel)
{
    const struct saturation to = {p->zero, p->is_signed ? INT8_MIN : 0,
                                  p->is_signed ? INT8_MAX : UINT8_MAX};
    const struct byte_mix *at = &p->pixels[pixel];
    int64_t sum = 0;

    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            sum += (int64_t)p->row_weight[y] * at->weight[x] *
                   (integer_of(p, p->rows[y][at->from[x] + channel]) - p->zero);
    return (uint8_t)quantized_integer((float)sum / (float)(1 << p->bits), &to);
}

static void check(const struct byte_kernels *kernels, const struct problem *p)
{
    enum { BEYOND = KERNEL_ALIGNMENT / sizeof(uint16_t) };
    const uint8_t *const both[] = {p->rows[0], p->row_weight[1] ? p->rows[1] : NULL};
    const uint8_t flip = p->is_signed ? 1 << 7 : 0;
    uint16_t row[ROOM + BEYOND];
    uint8_t made[ROOM + 1];
    const struct mixed_byte_row mixed = {.row = row,
                                         .channels = p->channels,
                                         .pixels = p->pixels,
                                         .count = p->count,
                                         .bits = p->bits,
                                         .zero = (uint8_t)p->zero,
                                         .flip = flip};

    memset(made, FILLED, sizeof made);
    kernels->mix(row, both, p->row_weight, flip, p->channels * PIXELS);
    kernels->mean(made, &mixed);
    for (int64_t i = 0; i < p->channels * p->count; i++)
        assert_int_equal(made[i], expected(p, i / p->channels, i % p->channels));
    assert_int_equal(made[p->channels * p->count], FILLED);
}

static void means_are_exact_but_for_their_rounding(void **state)
{
    struct random random = random_stream(1, "means");
    struct problem problem;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        draw_problem(&random, &problem);
        for (int k = 0; kernels_variant(k); k++)
            check(kernels_variant(k)->bytes, &problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_exact_but_for_their_rounding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
