/* test_wire.c - varints */
#include "tensor/bytes.h"

#include "support/t.h"

static void expect_varint(uint64_t value, const char *bytes, int size)
{
    unsigned char stored[VARINT_MAX];
    uint64_t back = ~value;

    assert_int_equal(varint_store(stored, value), size);
    assert_memory_equal(stored, bytes, (size_t)size);
    assert_int_equal(varint_load(stored, (size_t)size, &back), size);
    assert_true(back == value);
    assert_int_equal(varint_load(stored, (size_t)size - 1, &back), 0);
}

static void numbers_take_seven_bits_a_byte(void **state)
{
    (void)state;
    expect_varint(0, "\x00", 1);
    expect_varint(1, "\x01", 1);
    expect_varint(127, "\x7F", 1);
    expect_varint(128, "\x80\x01", 2);
    expect_varint(300, "\xAC\x02", 2);
    expect_varint(UINT32_MAX, "\xFF\xFF\xFF\xFF\x0F", 5);
    expect_varint((uint64_t)INT64_MAX, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 9);
    expect_varint(UINT64_MAX, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10);
}

static void leading_zeros_are_read(void **state)
{
    static const unsigned char zeros[] = {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
    uint64_t value = 0;

    (void)state;
    assert_int_equal(varint_load(zeros, sizeof zeros, &value), 10);
    assert_true(value == 1);
}

static void more_than_64_bits_are_refused(void **state)
{
    static const unsigned char bits65[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                           0xFF, 0xFF, 0xFF, 0xFF, 0x02};
    static const unsigned char bytes11[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                            0x80, 0x80, 0x80, 0x80, 0x00};
    uint64_t value;

    (void)state;
    assert_int_equal(varint_load(bits65, sizeof bits65, &value), 0);
    assert_int_equal(varint_load(bytes11, sizeof bytes11, &value), 0);
    assert_int_equal(varint_load(bytes11, 0, &value), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_take_seven_bits_a_byte),
        cmocka_unit_test(leading_zeros_are_read),
        cmocka_unit_test(more_than_64_bits_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
