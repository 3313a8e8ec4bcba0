/* test_item.c - items of every type and width, there and back */
#include "tensor/item.h"

#include <math.h>
#include <string.h>

#include "support/t.h"

static void half_floats_have_their_values(void **state)
{
    (void)state;
    assert_true(float16_decode(0x3C00) == 1.0f);
    assert_true(float16_decode(0xC000) == -2.0f);
    assert_true(float16_decode(0x7BFF) == 65504.0f);
    assert_true(float16_decode(0x0400) == 0x1p-14f);
    assert_true(float16_decode(0x0001) == 0x1p-24f);
    assert_true(float16_decode(0x83FF) == -0x1.FF8p-15f);
    assert_true(float16_decode(0x7C00) == INFINITY);
    assert_true(float16_decode(0xFC00) == -INFINITY);
    assert_true(isnan(float16_decode(0x7E01)));
    assert_true(signbit(float16_decode(0x8000)) != 0);
}

static void half_floats_round_to_nearest_even(void **state)
{
    (void)state;
    assert_int_equal(float16_encode(65519.99f), 0x7BFF);
    assert_int_equal(float16_encode(65520.0f), 0x7C00);
    assert_int_equal(float16_encode(1e30f), 0x7C00);
    assert_int_equal(float16_encode(-INFINITY), 0xFC00);
    assert_int_equal(float16_encode(0x1.002p0f), 0x3C00);
    assert_int_equal(float16_encode(0x1.006p0f), 0x3C02);
    assert_int_equal(float16_encode(0x1.002002p0f), 0x3C01);
    assert_int_equal(float16_encode(0x1p-25f), 0x0000);
    assert_int_equal(float16_encode(0x1.000002p-25f), 0x0001);
    assert_int_equal(float16_encode(0x1.8p-24f), 0x0002);
    assert_int_equal(float16_encode(0x1.FFEp-15f), 0x0400);
    assert_int_equal(float16_encode(-1e-30f), 0x8000);
    assert_true(isnan(float16_decode(float16_encode(NAN))));
}

/* i386 returns floats in registers that make every NaN a quiet one. */
static unsigned returned(unsigned bits)
{
#if defined __i386__
    return (bits & 0x7fff) > 0x7c00 ? bits | 0x200 : bits;
#else
    return bits;
#endif
}

static void every_half_float_survives(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++)
        assert_int_equal(float16_encode(float16_decode((uint16_t)bits)), returned(bits));
}

/* Bytes -> memory -> bytes; the second part of the byte count is padding of zero bits. */
static void expect_round_trip(const struct item_format *format, const unsigned char *bytes,
                              int64_t count)
{
    struct shape shape = {1, {count}};
    unsigned char back[256];
    struct item_range all = {0, count};
    struct tensor t;
    int64_t bad = -1;

    assert_true(item_format_valid(format));
    assert_true(tensor_allocate(&t, item_dtype(format->type), &shape));
    items_decode(format, bytes, &t);
    memset(back, 0xEE, sizeof back);
    assert_true(items_encode(format, &t, all, back, &bad));
    assert_memory_equal(back, bytes, (size_t)item_bytes(format, count));
    assert_int_equal(back[item_bytes(format, count)], 0xEE);
    tensor_clear(&t);
}

static void every_width_of_integer_survives(void **state)
{
    static const enum item_type types[] = {ITEM_UNSIGNED, ITEM_SIGNED, ITEM_QUANTIZED_UNSIGNED,
                                           ITEM_QUANTIZED_SIGNED};
    unsigned char bytes[64];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 37 + 0x35);
    for (size_t i = 7; i < sizeof bytes; i += 8)
        bytes[i] &= 0x7F; /* no unsigned integer of 64 bits beyond INT64_MAX */
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int bits = 1; bits <= 64; bits += bits < 8 ? 1 : 8) {
            struct item_format format = {types[t], bits, false};
            expect_round_trip(&format, bytes, 8);
        }
}

static void packed_items_start_at_the_highest_bit(void **state)
{
    static const unsigned char bytes[] = {0xA7, 0x1C};
    struct shape shape = {1, {5}};
    struct item_format three = {ITEM_SIGNED, 3, false}, four = {ITEM_UNSIGNED, 4, false};
    struct tensor t;

    (void)state;
    assert_true(tensor_allocate(&t, DTYPE_INTEGER, &shape));
    const int64_t *item = t.data;
    /* 101 001 110 001 110 0 */
    assert_int_equal(item_bytes(&three, 5), 2);
    items_decode(&three, bytes, &t);
    assert_true(item[0] == -3 && item[1] == 1 && item[2] == -2 && item[3] == 1 && item[4] == -2);
    t.shape.extent[0] = 3;
    items_decode(&four, bytes, &t);
    assert_true(item[0] == 10 && item[1] == 7 && item[2] == 1);
    tensor_clear(&t);
}

static void an_integer_beyond_int64_makes_its_tensor_unsigned(void **state)
{
    static const unsigned char bytes[] = {0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    struct item_format wide = {ITEM_UNSIGNED, 64, false}, sign = {ITEM_SIGNED, 64, false};
    struct shape shape = {1, {2}};
    struct tensor t;
    unsigned char back[sizeof bytes];
    int64_t bad = -1;

    (void)state;
    assert_true(tensor_allocate(&t, DTYPE_INTEGER, &shape));
    items_decode(&wide, bytes, &t);
    assert_true(t.is_unsigned && ((const int64_t *)t.data)[0] == INT64_MIN);
    assert_true(tensor_item(&t, 0) >= 0x1p63 && tensor_item(&t, 0) <= 0x1p63);
    assert_true(items_encode(&wide, &t, (struct item_range){0, 2}, back, &bad));
    assert_memory_equal(back, bytes, sizeof bytes);
    assert_false(items_encode(&sign, &t, (struct item_range){0, 2}, back, &bad));
    assert_int_equal(bad, 0);
    assert_int_equal(items_beyond(&wide, &t), -1);
    assert_int_equal(items_beyond(&sign, &t), 0);
    items_decode(&sign, bytes, &t);
    assert_true(!t.is_unsigned && ((const int64_t *)t.data)[0] == INT64_MIN);
    assert_int_equal(items_beyond(&wide, &t), 0);
    tensor_clear(&t);
}

static void of_no_items_nothing_is_read(void **state)
{
    static const struct item_format formats[] = {{ITEM_FLOAT, 32, false},
                                                 {ITEM_FLOAT, 16, false},
                                                 {ITEM_SIGNED, 64, false},
                                                 {ITEM_BOOL, 8, false}};
    struct shape none = {2, {3, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct tensor t;
        assert_true(tensor_allocate(&t, item_dtype(formats[i].type), &none));
        items_decode(&formats[i], NULL, &t);
        tensor_clear(&t);
    }
}

static bool fits(int64_t value, enum item_type type, int bits)
{
    struct item_format format = {type, bits, false};
    struct tensor t = {.shape = {.rank = 0}, .dtype = DTYPE_INTEGER, .data = &value};
    unsigned char bytes[8];
    int64_t bad = -1;
    bool ok = items_encode(&format, &t, (struct item_range){0, 1}, bytes, &bad);

    assert_int_equal(bad, ok ? -1 : 0);
    return ok;
}

static void an_integer_too_wide_for_its_format_is_refused(void **state)
{
    (void)state;
    assert_true(fits(255, ITEM_UNSIGNED, 8) && !fits(256, ITEM_UNSIGNED, 8));
    assert_true(!fits(-1, ITEM_UNSIGNED, 64) && fits(INT64_MAX, ITEM_UNSIGNED, 64));
    assert_true(fits(-4, ITEM_SIGNED, 3) && !fits(-5, ITEM_SIGNED, 3) && !fits(4, ITEM_SIGNED, 3));
    assert_true(fits(INT64_MIN, ITEM_SIGNED, 64));
    assert_true(fits(1, ITEM_UNSIGNED, 1) && !fits(1, ITEM_SIGNED, 1));
}

static void bools_are_0_or_1_in_memory(void **state)
{
    static const unsigned char bytes[] = {0x80, 0x00, 0x07};
    struct item_format wide = {ITEM_BOOL, 8, false}, narrow = {ITEM_BOOL, 1, false};
    struct shape shape = {1, {3}};
    struct tensor t;

    (void)state;
    assert_true(tensor_allocate(&t, DTYPE_LOGICAL, &shape));
    items_decode(&wide, bytes, &t);
    assert_memory_equal(t.data, "\1\0\1", 3);
    items_decode(&narrow, bytes, &t);
    assert_memory_equal(t.data, "\1\0\0", 3);
    tensor_clear(&t);
}

static void only_settled_widths_are_valid(void **state)
{
    struct item_format float24 = {ITEM_FLOAT, 24, false}, bool2 = {ITEM_BOOL, 2, false};
    struct item_format int12 = {ITEM_SIGNED, 12, false}, int72 = {ITEM_SIGNED, 72, false};

    (void)state;
    assert_false(item_format_valid(&float24));
    assert_false(item_format_valid(&bool2));
    assert_false(item_format_valid(&int12));
    assert_false(item_format_valid(&int72));
}

/* The largest float is below 2^128; below 2^-126 floats have fewer digits. */
static void numbers_are_lost_beyond_the_range_of_floats_only(void **state)
{
    static const double held[] = {
        0, -0.0, 1.0 / 3, 0x1.fffffep127, -0x1p-126, 0x1p-149, 0x1.8p-133, INFINITY, NAN};
    static const double lost[] = {0x1p128, -1e300, 1e-300, 0x1p-151, 0x1.00004p-140};

    (void)state;
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        assert_true(float_holds(held[i]));
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++)
        assert_false(float_holds(lost[i]));
}

static void the_first_number_that_is_lost_is_found(void **state)
{
    /* 1.0 and 2^1023, in either order of bytes */
    static const unsigned char little[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
                                           0, 0, 0, 0, 0, 0, 0xe0, 0x7f};
    static const unsigned char big[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x7f, 0xe0, 0, 0, 0, 0, 0, 0};
    struct item_format format = {ITEM_FLOAT, 64, false};
    struct lost_item item = {0};

    (void)state;
    assert_true(items_lose(&format, little, 2, &item));
    assert_int_equal(item.index, 1);
    assert_true(item.number == 0x1p1023);
    assert_false(items_lose(&format, little, 1, &item));
    format.big_endian = true;
    assert_true(items_lose(&format, big, 2, &item));
    assert_int_equal(item.index, 1);
    format = (struct item_format){ITEM_SIGNED, 64, false};
    assert_false(items_lose(&format, little, 2, &item));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_floats_have_their_values),
        cmocka_unit_test(half_floats_round_to_nearest_even),
        cmocka_unit_test(every_half_float_survives),
        cmocka_unit_test(every_width_of_integer_survives),
        cmocka_unit_test(packed_items_start_at_the_highest_bit),
        cmocka_unit_test(an_integer_beyond_int64_makes_its_tensor_unsigned),
        cmocka_unit_test(of_no_items_nothing_is_read),
        cmocka_unit_test(an_integer_too_wide_for_its_format_is_refused),
        cmocka_unit_test(bools_are_0_or_1_in_memory),
        cmocka_unit_test(only_settled_widths_are_valid),
        cmocka_unit_test(numbers_are_lost_beyond_the_range_of_floats_only),
        cmocka_unit_test(the_first_number_that_is_lost_is_found),
    };
    return cmocka_run_group_tests_name("item", tests, NULL, NULL);
}
